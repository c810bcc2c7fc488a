// SPDX-License-Identifier: LGPL-2.1-or-later
#include "work/work.h"

DEFINE_ERROR_DOMAIN(work, WORK, WORK_ERRORS);
