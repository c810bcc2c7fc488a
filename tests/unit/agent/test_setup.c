// SPDX-License-Identifier: GPL-2.0-or-later
/* The machine itself is set up in tests/vm; here is what needs none. */
#include "agent/machine.h"

#include "unit.h"

static void kernel_parameter_is_matched_as_a_whole_word(void **state UNUSED)
{
	assert_true(agent_setup_cmdline_has("quiet ktstr.mailbox nokaslr\n", "ktstr.mailbox"));
	assert_true(agent_setup_cmdline_has("ktstr.mailbox", "ktstr.mailbox"));
	assert_true(agent_setup_cmdline_has("a  ktstr.mailbox=1\n", "ktstr.mailbox"));
	assert_false(agent_setup_cmdline_has("ktstr.mailboxes", "ktstr.mailbox"));
	assert_false(agent_setup_cmdline_has("not.ktstr.mailbox", "ktstr.mailbox"));
	assert_false(agent_setup_cmdline_has("a=ktstr.mailbox", "ktstr.mailbox"));
	assert_false(agent_setup_cmdline_has("", "ktstr.mailbox"));
	assert_false(agent_setup_cmdline_has(" \n ", "ktstr.mailbox"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_parameter_is_matched_as_a_whole_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
