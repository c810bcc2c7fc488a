// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/topo/topo.h"

#include "sample.h"
#include "text/terminal.h"

static void assert_picture(const char *topology, size_t columns, bool unicode, const char *expected)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	_cleanup_view_ struct view view = { 0 };

	sample_view(topology, &view);
	picture_format(&view, &(struct block_look){ unicode, columns }, &s);
	assert_string_equal(strbuf_str(&s), expected);
}

static void nodes_hold_llcs_and_llcs_hold_cores(void **state UNUSED)
{
	assert_picture("1n2l2c2t", 80, true,
		       "╔ node 0 ═════════════════════════╗\n"
		       "║ ┌ LLC 0 ──────┐ ┌ LLC 1 ──────┐ ║\n"
		       "║ │ [0 1] [2 3] │ │ [4 5] [6 7] │ ║\n"
		       "║ └─────────────┘ └─────────────┘ ║\n"
		       "╚═════════════════════════════════╝\n");
	assert_picture("2n2l1c1t,mem=1G:512M", 80, false,
		       "+ node 0, 1.0 GiB =+   + node 1, 512.0 MiB =+\n"
		       "| + LLC 0 -+       |   | + LLC 1 -+         |\n"
		       "| | [0]    |       |   | | [1]    |         |\n"
		       "| +--------+       |   | +--------+         |\n"
		       "+==================+   +====================+\n");
}

static void a_narrow_terminal_gets_a_high_picture(void **state UNUSED)
{
	assert_picture("1n2l2c2t", 24, false,
		       "+ node 0 =========+\n"
		       "| + LLC 0 ------+ |\n"
		       "| | [0 1] [2 3] | |\n"
		       "| +-------------+ |\n"
		       "| + LLC 1 ------+ |\n"
		       "| | [4 5] [6 7] | |\n"
		       "| +-------------+ |\n"
		       "+=================+\n");
}

static void many_cpus_become_lists_and_many_llcs_a_line(void **state UNUSED)
{
	assert_picture("1n2l33c1t", 80, true,
		       "╔ node 0 ═══════════════════════╗\n"
		       "║ ┌ LLC 0 ────┐  ┌ LLC 1 ─────┐ ║\n"
		       "║ │ 33 cores  │  │ 33 cores   │ ║\n"
		       "║ │ CPUs 0-32 │  │ CPUs 33-65 │ ║\n"
		       "║ └───────────┘  └────────────┘ ║\n"
		       "╚═══════════════════════════════╝\n");
	assert_picture("2n130l2c2t", 80, true,
		       "╔ node 0 ════════════╗ ╔ node 1 ════════════╗\n"
		       "║ 65 LLCs, 130 cores ║ ║ 65 LLCs, 130 cores ║\n"
		       "║ CPUs 0-259         ║ ║ CPUs 260-519       ║\n"
		       "╚════════════════════╝ ╚════════════════════╝\n");
}

/* Whatever the machine: no line is wider than the terminal, and all lines of a box are equal. */
static void every_picture_fits(void **state UNUSED)
{
	static const char *const texts[] = { "1n1l64c1t", "4n8l4c2t",  "1n16l4c1t",  "1n1l1c8t",
					     "8n64l1c1t", "1n15l8c2t", "1n1024l1c1t" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_view_ struct view view = { 0 };

		sample_view(texts[i], &view);
		for (size_t columns = 40; columns < 220; columns += 9) {
			_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

			picture_format(&view, &(struct block_look){ true, columns }, &s);
			for (char *line = strtok(s.at, "\n"); line; line = strtok(NULL, "\n"))
				if (text_width(line) > columns)
					fail_msg("%s in %zu columns: %s", texts[i], columns, line);
		}
	}
}

static void unknown_items_are_drawn_as_unknown(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = sample_machine(sample_unknown);
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	_cleanup_view_ struct view view = { 0 };

	view_of_machine(m, &view);
	picture_format(&view, &(struct block_look){ false, 80 }, &s);
	assert_contains(strbuf_str(&s), "+ node 0, 1.0 MiB =+");
	assert_contains(strbuf_str(&s), "+ node not known ");
	assert_contains(strbuf_str(&s), "+ LLC not known -+");
	assert_contains(strbuf_str(&s), "| [0] (1) (2) |");
	assert_contains(strbuf_str(&s), "| (3) ");
}

static void a_node_of_memory_only_is_drawn(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = sample_machine(sample_apart);
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	_cleanup_view_ struct view view = { 0 };

	view_of_machine(m, &view);
	picture_format(&view, &(struct block_look){ false, 80 }, &s);
	assert_contains(strbuf_str(&s), "| [0 4] [1 5] |");
	assert_contains(strbuf_str(&s), "+ node 2, 1.0 GiB =+");
	assert_contains(strbuf_str(&s), "| no CPUs ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_hold_llcs_and_llcs_hold_cores),
		cmocka_unit_test(a_narrow_terminal_gets_a_high_picture),
		cmocka_unit_test(many_cpus_become_lists_and_many_llcs_a_line),
		cmocka_unit_test(every_picture_fits),
		cmocka_unit_test(unknown_items_are_drawn_as_unknown),
		cmocka_unit_test(a_node_of_memory_only_is_drawn),
	};

	return cmocka_run_group_tests_name("cli/topo/picture", tests, NULL, NULL);
}
