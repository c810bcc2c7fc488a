/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ctrl-A and what follows it are for us, as in QEMU and screen. All other keys are the guest's. */
#ifndef KTSTR_CLI_SHELL_KEYS_H
#define KTSTR_CLI_SHELL_KEYS_H

#include "base/macros.h"

enum { KEYS_ESCAPE = 0x01 };

struct keys {
	bool escaped; /* the last key was Ctrl-A */
	bool end;     /* Ctrl-A X */
};

/*
 * Leaves in place what the guest gets and returns how much. What stands behind Ctrl-A X is gone;
 * Ctrl-A with a key that means nothing is nothing.
 */
size_t keys_filter(struct keys *keys, char *bytes, size_t n);

#endif
