// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/error.h"

DEFINE_ERROR_DOMAIN(attach, ATTACH, ATTACH_ERRORS);
DEFINE_ERROR_DOMAIN(thread, THREAD, THREAD_ERRORS);
