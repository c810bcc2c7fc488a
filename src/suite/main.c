// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lives in libktstr.a, so that authors write tests and nothing else. */
#include "suite/declared.h"

int main(int argc, char **argv)
{
	_cleanup_suite_entry_list_ struct suite_entry_list entries = { 0 };

	suite_entries_of_program(&entries);
	return suite_program_main(argc, argv, &entries);
}
