// SPDX-License-Identifier: LGPL-2.1-or-later
#include "wire/error.h"

DEFINE_ERROR_DOMAIN(wire, WIRE, WIRE_ERRORS);
