// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bpfload/error.h"

DEFINE_ERROR_DOMAIN(bpfload, BPFLOAD, BPFLOAD_ERRORS);
