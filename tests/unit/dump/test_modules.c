// SPDX-License-Identifier: GPL-2.0-or-later
#include "build_guest.h"

static void modules_are_listed_with_address_and_size(void **state)
{
	assert_string_equal(guest_text(*state, "modules", 0, 10),
			    "dummy                    0xffffffffc0001000 4096\n"
			    "ext\\x1b                  0xffffffffc0011000 8192\n");
}

static void fewer_are_shown_when_asked_for(void **state)
{
	assert_string_equal(
		guest_json(*state, "modules", 1),
		"{\"modules\":[{\"name\":\"dummy\",\"base\":\"0xffffffffc0001000\",\"text_bytes\":4096}],"
		"\"shown\":1,\"total\":2,\"incomplete\":\"shown 1 of 2\"}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		guest_test(modules_are_listed_with_address_and_size),
		guest_test(fewer_are_shown_when_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
