// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/error.h"

DEFINE_ERROR_DOMAIN(elf, ELF, ELF_ERRORS);
