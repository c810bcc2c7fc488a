// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/error.h"

DEFINE_ERROR_DOMAIN(agent, AGENT, AGENT_ERRORS);
