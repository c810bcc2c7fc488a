// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/session.h"

DEFINE_ERROR_DOMAIN(harness, HARNESS, HARNESS_ERRORS);
