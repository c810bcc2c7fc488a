/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KTSTR_TESTS_UNIT_SUITE_SHELL_PROGRAM_H
#define KTSTR_TESTS_UNIT_SUITE_SHELL_PROGRAM_H

/* Commands of a shell as the program of a payload: a member of struct ktstr_program. */
#define SHELL(script)                    \
	.argv = (const char *const[])    \
	{                                \
		"sh", "-c", script, NULL \
	}

#endif
