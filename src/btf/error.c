// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/error.h"

DEFINE_ERROR_DOMAIN(btf, BTF, BTF_ERRORS);
