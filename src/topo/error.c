// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topo/error.h"

DEFINE_ERROR_DOMAIN(topo, TOPO, TOPO_ERRORS);
