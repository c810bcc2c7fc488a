// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lives in libktstr.a, so that authors write tests and nothing else. */
#include "suite/program.h"

int main(int argc, char **argv)
{
	_cleanup_entry_list_ struct entry_list entries = { 0 };

	entries_of_program(&entries);
	return program_main(argc, argv, &entries);
}
