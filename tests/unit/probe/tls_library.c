// SPDX-License-Identifier: GPL-2.0-or-later
/* A library with one thread-local variable, too large for the loader's spare static area. */
char *touch_tls(void);

enum { BYTES = 1 << 16 };

static _Thread_local char block[BYTES] __attribute__((aligned(64)));

char *touch_tls(void)
{
	block[0] = 1;
	return block;
}
