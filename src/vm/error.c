// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/error.h"

DEFINE_ERROR_DOMAIN(vm, VM, VM_ERRORS);
