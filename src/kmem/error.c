// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/error.h"

DEFINE_ERROR_DOMAIN(kmem, KMEM, KMEM_ERRORS);
