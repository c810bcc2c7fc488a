// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/error.h"

#include "unit.h"

static void every_tag_is_there_and_different(void **state UNUSED)
{
	for (int i = 0; i < ELF_N_ERROR_KINDS; i++) {
		assert_non_null(elf_error_domain.kinds[i].tag);
		assert_true(strlen(elf_error_domain.kinds[i].meaning) > 0);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(elf_error_domain.kinds[i].tag,
						elf_error_domain.kinds[j].tag);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_tag_is_there_and_different),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
