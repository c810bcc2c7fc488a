/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread number given to another thread, while the stack of its first owner
 * goes to a third: whoever remembers a number or an address is led astray.
 */
#ifndef KTSTR_TESTS_HOST_REUSE_H
#define KTSTR_TESTS_HOST_REUSE_H

#include <stdbool.h>
#include <sys/types.h>

/* The next thread or process of this system gets the number, if nobody is quicker. */
bool reuse_ask_for_number(pid_t number);

#endif
