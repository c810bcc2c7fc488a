// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/show_test/show_test.h"
#include "declared.h"
#include "text/terminal.h"

static void format(struct declared *d, size_t which, size_t columns, bool colour,
		   struct strbuf *into)
{
	const struct text_look look = { .columns = columns, .colour = colour };
	_cleanup_shown_test_ struct shown_test shown = { 0 };

	assert_success(
		shown_test_init(&shown, &d->suite, &d->suite.tests.at[which], NULL, &d->host));
	shown.memory_bytes = 512 << 20;
	shown_test_format(&shown, &look, into);
}

/* What is shown without the table of checks, which has a row for each of checks.def. */
static void split_checks(const char *text, struct strbuf *ret_rest, struct strbuf *ret_checks)
{
	const char *table = strstr(text, "\n\n  check "), *end;

	assert_non_null(table);
	end = strstr(table + 2, "\n\n");
	assert_non_null(end);
	strbuf_append_bytes(ret_rest, text, (size_t)(table - text));
	strbuf_append(ret_rest, end);
	strbuf_append_bytes(ret_checks, table + 1, (size_t)(end - table));
}

static void every_property_of_a_test_is_shown(void **state)
{
	struct declared *d = *state;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, rest = STRBUF_INIT, checks = STRBUF_INIT;
	_cleanup_free_ char *expected = xasprintf(
		"my:fair  my.c:12\n"
		"  two cells\n"
		"\n"
		"  machine     2n4l2c1t: 8 CPUs, 4 LLCs, 2 nodes, 512.0 MiB of memory by default\n"
		"  clock       real\n"
		"  scheduler   scx_x 'a b'; attached within 9 s\n"
		"  sysctls     a.b=1\n"
		"  kernel args nosmt\n"
		"  needs       sched_ext, at least 2 CPUs, 1 to 8 LLCs, at most 4 nodes, CONFIG_PSI\n"
		"              not met: kernel 9.9.9 has no sched_ext (needs-sched-ext)\n"
		"  runs        5 s, and its own function meanwhile\n"
		"  time limit  155.0 s with tcg: duration 5 s + 5 x (20 s + 1 s for its size + 9 s to "
		"attach)\n"
		"              tcg: asked for\n"
		"  expected    it fails: check, a check of the workload did not hold\n"
		"\n"
		"  cgroup  declared  CPUs  work\n"
		"  left    LLC 1     2-3   4 x bursty, 50 ms busy, 100 ms asleep\n"
		"  right   node 1    4-7   none\n"
		"\n"
		"  file   size  found\n"
		"  my      6 B  %1$s/my\n"
		"  scx_x   1 B  %1$s/scx_x\n"
		"  not found   no file gone: searched in %1$s, PATH\n",
		d->root);

	format(d, 0, 0, false, &text);
	split_checks(strbuf_str(&text), &rest, &checks);
	assert_string_equal(strbuf_str(&rest), expected);
}

static bool is_row(const char *line, const char *const words[3])
{
	for (size_t i = 0; i < 3; i++) {
		line += strspn(line, " ");
		if (strncmp(line, words[i], strlen(words[i])) != 0)
			return false;
		line += strlen(words[i]);
	}
	return *line == '\n';
}

static void every_check_is_shown_with_its_source(void **state)
{
	static const char *const known[][3] = {
		{ "check", "wanted", "by" },
		{ "progress", "required", "default" },
		{ "isolation", "required", "declared" },
		{ "scheduler_alive", "required", "default" },
		{ "max_spread_pct", "at most 12.5 %", "declared" },
		{ "max_gap_ms", "off", "default" },
	};
	static const char *const names[] = {
#define KTSTR_CHECK(name, ...) "\n  " #name " ",
#include <ktstr/checks.def>
#undef KTSTR_CHECK
	};
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, rest = STRBUF_INIT, checks = STRBUF_INIT;

	format(*state, 0, 0, false, &text);
	split_checks(strbuf_str(&text), &rest, &checks);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_contains(strbuf_str(&checks), names[i]);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		_cleanup_free_ char *start = xasprintf("\n  %s ", known[i][0]);
		const char *line = strstr(strbuf_str(&checks), start);

		assert_non_null(line);
		assert_true(is_row(line + 1, known[i]));
	}
}

static void undeclared_properties_are_not_shown(void **state)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	format(*state, 1, 0, false, &text);
	assert_null(strstr(strbuf_str(&text), "cgroup"));
	assert_null(strstr(strbuf_str(&text), "sysctls"));
	assert_non_null(strstr(strbuf_str(&text), "needs       nothing\n  runs        as long as"));
	assert_non_null(strstr(strbuf_str(&text), "scheduler   the kernel's own\n"));
	assert_non_null(strstr(strbuf_str(&text), "15.0 s with tcg: 5 x timeout 3 s\n"));
	assert_non_null(strstr(strbuf_str(&text), "expected    it passes\n"));
}

/* A path is one word: lines with one may be longer. */
static void no_line_passes_the_terminal(void **state)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *at, *end;

	format(*state, 0, 60, false, &text);
	for (at = strbuf_str(&text); *at; at = end + (*end == '\n')) {
		_cleanup_free_ char *line = NULL;

		end = strchrnul(at, '\n');
		line = xstrndup(at, (size_t)(end - at));
		assert_true(strchr(line, '/') || text_width(line) <= 60);
	}
}

static void control_characters_of_a_declaration_are_escaped(void **state)
{
	struct declared *d = *state;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	strcpy(d->suite.tests.at[0].description, "\033[2J");
	strcpy(d->suite.tests.at[0].scheduler.argv.at[1], "\033");
	format(d, 0, 80, false, &text);
	assert_null(strchr(strbuf_str(&text), '\033'));
}

static void colour_marks_the_name(void **state)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	format(*state, 1, 80, true, &text);
	assert_memory_equal(strbuf_str(&text), "\033[1mmy:plain\033[0m", 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DECLARED_TEST(every_property_of_a_test_is_shown),
		DECLARED_TEST(every_check_is_shown_with_its_source),
		DECLARED_TEST(undeclared_properties_are_not_shown),
		DECLARED_TEST(no_line_passes_the_terminal),
		DECLARED_TEST(control_characters_of_a_declaration_are_escaped),
		DECLARED_TEST(colour_marks_the_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
