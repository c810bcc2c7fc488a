/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that the C library knows nothing of. */
#ifndef KTSTR_TESTS_HOST_RAW_THREAD_H
#define KTSTR_TESTS_HOST_RAW_THREAD_H

#include <stdbool.h>

/* What every byte of the thread-local storage of a raw thread holds, if it has its own. */
enum { RAW_THREAD_FILL = 0x11 };

/*
 * Returns its tid. With storage of its own the thread pointer stands in the
 * middle of a filled area; else the thread shares that of whoever started it.
 */
int raw_thread_start(bool own_storage);

#endif
