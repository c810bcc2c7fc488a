// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/error.h"

DEFINE_ERROR_DOMAIN(kernel, KERNEL, KERNEL_ERRORS);
