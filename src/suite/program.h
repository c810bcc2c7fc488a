/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line of a test binary. */
#ifndef KTSTR_SUITE_PROGRAM_H
#define KTSTR_SUITE_PROGRAM_H

#include "suite/entries.h"

/* The exit code. */
int suite_program_main(int argc, char **argv, const struct suite_entry_list *entries);

#endif
