// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "json/doc.h"
#include "suite/heard.h"
#include "suite/report_writer.h"

static void a_report_has_its_lines(void **state UNUSED)
{
	struct heard heard;
	_cleanup_free_ char *first = xasprintf(
		"{\"report\":\"begin\",\"test\":\"t\",\"api\":1,\"pid\":%d}\n", getpid());

	heard_init(&heard);
	suite_report_begin(&heard.report, "t");
	suite_report_note(&heard.report, "n\n\"q\"");
	suite_report_part(&heard.report, KTSTR_REASON_NEED, "x.c", 3, "text");
	suite_report_partf(&heard.report, KTSTR_REASON_SETUP, "a %d", 5);
	suite_report_end(&heard.report);
	assert_int_equal(strncmp(heard_text(&heard), first, strlen(first)), 0);
	assert_string_equal(heard_text(&heard) + strlen(first),
			    "{\"report\":\"note\",\"text\":\"n\\n\\\"q\\\"\"}\n"
			    "{\"report\":\"part\",\"reason\":\"need\",\"text\":\"text\","
			    "\"file\":\"x.c\",\"line\":3}\n"
			    "{\"report\":\"part\",\"reason\":\"setup\",\"text\":\"a 5\"}\n"
			    "{\"report\":\"end\",\"parts\":2}\n");
	heard_deinit(&heard);
}

static void a_long_text_is_cut_between_characters(void **state UNUSED)
{
	struct heard heard;
	static char text[EXCHANGE_LIMIT_TEXT + 100];
	const char *all;

	/* A character of three bytes stands across the limit. */
	memset(text, 'x', sizeof(text) - 1);
	memcpy(text + EXCHANGE_LIMIT_TEXT - 2, "\xe2\x82\xac", 3);
	heard_init(&heard);
	suite_report_note(&heard.report, text);
	all = heard_text(&heard);
	assert_contains(all + strlen(all) - 40, "xxx… (101 bytes more)\"}\n");
	assert_null(strstr(all, "\xef\xbf\xbd"));
	heard_deinit(&heard);
}

static void a_kept_text_is_split_and_can_be_joined(void **state UNUSED)
{
	struct heard heard;
	static char text[3 * SUITE_LIMIT_PIECE + 5], joined[sizeof(text) + 1];
	size_t lines = 0, at = 0;

	/* All of three bytes, so that the limit falls into one. */
	for (size_t i = 0; i + 3 <= sizeof(text); i += 3)
		memcpy(text + i, "\xe2\x82\xac", 3);
	heard_init(&heard);
	suite_report_text(&heard.report, "kernel.log", text, sizeof(text) - sizeof(text) % 3);
	for (const char *line = heard_text(&heard); *line; line = strchr(line, '\n') + 1) {
		_cleanup_json_doc_ struct json_doc *doc = NULL;
		size_t n = strcspn(line, "\n") + 1;
		struct json_text piece;

		assert_true(n <= WIRE_REPORT_LINE_BYTES);
		assert_success(json_doc_parse(line, n, "line", &doc));
		assert_true(json_text_is(json_string(json_find(json_doc_root(doc), "name")),
					 "kernel.log"));
		piece = json_string(json_find(json_doc_root(doc), "text"));
		assert_true(at + piece.n <= sizeof(joined));
		memcpy(joined + at, piece.at, piece.n);
		at += piece.n;
		lines++;
	}
	assert_int_equal(at, sizeof(text) - sizeof(text) % 3);
	assert_memory_equal(joined, text, at);
	assert_true(lines >= 4);
	heard_deinit(&heard);
}

/* Six bytes for each: the longest that JSON makes of one. */
static void a_piece_of_control_characters_fits_into_a_line(void **state UNUSED)
{
	struct heard heard;
	static char text[SUITE_LIMIT_PIECE];
	const char *line;

	memset(text, 1, sizeof(text));
	heard_init(&heard);
	suite_report_text(&heard.report, "a", text, sizeof(text));
	line = heard_text(&heard);
	assert_int_equal(strcspn(line, "\n") + 1, strlen(line));
	assert_true(strlen(line) > 6 * SUITE_LIMIT_PIECE);
	assert_true(strlen(line) <= WIRE_REPORT_LINE_BYTES);
	heard_deinit(&heard);
}

static void parts_past_the_limit_are_counted(void **state UNUSED)
{
	static const char part[] = "{\"report\":\"part\",\"reason\":\"need\",\"text\":\"x\"}\n";
	struct heard heard;
	_cleanup_free_ char *last = xasprintf("{\"report\":\"end\",\"parts\":%d}\n",
					      SUITE_LIMIT_PARTS + 1);

	heard_init(&heard);
	for (int i = 0; i < SUITE_LIMIT_PARTS + 3; i++)
		suite_report_forward(&heard.report, part, strlen(part));
	/* What the suite itself has to say is said all the same. */
	suite_report_part(&heard.report, KTSTR_REASON_SCHED_EXIT, NULL, 0, "gone");
	suite_report_end(&heard.report);
	assert_contains(heard_text(&heard), "since there were too many: 3");
	assert_contains(heard_text(&heard), last);
	heard_deinit(&heard);
}

static void parts_are_forwarded_after_notes_reach_the_limit(void **state UNUSED)
{
	static const char part[] = "{\"report\":\"part\",\"reason\":\"need\",\"text\":\"x\"}\n";
	static const char note[] = "{\"report\":\"note\",\"text\":\"x\"}\n";
	struct heard heard;

	heard_init(&heard);
	heard.report.bytes_ = SUITE_LIMIT_REPORT_BYTES;
	suite_report_forward(&heard.report, note, strlen(note));
	suite_report_forward(&heard.report, part, strlen(part));
	suite_report_end(&heard.report);
	assert_null(strstr(heard_text(&heard), note));
	assert_contains(heard_text(&heard), part);
	assert_contains(heard_text(&heard), "{\"report\":\"end\",\"parts\":1}\n");
	heard_deinit(&heard);
}

static void forwarded_parts_count(void **state UNUSED)
{
	static const char part[] = "{\"report\":\"part\",\"reason\":\"need\",\"text\":\"x\"}\n";
	static const char note[] = "{\"report\":\"note\",\"text\":\"x\"}\n";
	static char longest[WIRE_REPORT_LINE_BYTES + 1];
	struct heard heard;

	heard_init(&heard);
	suite_report_forward(&heard.report, part, strlen(part));
	suite_report_forward(&heard.report, note, strlen(note));
	memset(longest, ' ', sizeof(longest));
	suite_report_forward(&heard.report, longest, sizeof(longest));
	assert_int_equal(heard.report.parts, 1);
	suite_report_end(&heard.report);
	assert_string_equal(heard_text(&heard),
			    "{\"report\":\"part\",\"reason\":\"need\",\"text\":\"x\"}\n"
			    "{\"report\":\"note\",\"text\":\"x\"}\n"
			    "{\"report\":\"note\",\"text\":\"lines of the test's function "
			    "dropped, since there were too many: 1\"}\n"
			    "{\"report\":\"end\",\"parts\":1}\n");
	heard_deinit(&heard);
}

static void room_is_what_is_left_of_a_line(void **state UNUSED)
{
	struct heard heard;
	struct json_writer *w;
	size_t room;
	char *text;

	heard_init(&heard);
	w = suite_report_open_line(&heard.report, WIRE_REPORT_NOTE);
	json_key(w, "text");
	room = suite_report_line_room(&heard.report);
	text = xcalloc(1, room);
	memset(text, 'x', room - 2);
	json_write_string(w, text);
	assert_int_equal(suite_report_line_room(&heard.report), 0);
	suite_report_close_line(&heard.report);
	assert_int_equal(strlen(heard_text(&heard)), WIRE_REPORT_LINE_BYTES);
	free(text);
	heard_deinit(&heard);
}

/* In a child, since it ends: the exit code. */
static int exit_code_of(void (*call)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		assert_non_null(freopen("/dev/null", "w", stderr));
		call();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void write_to_nowhere(void)
{
	struct suite_report_writer report;

	suite_report_writer_init(&report, open("/dev/full", O_WRONLY), 0);
	suite_report_note(&report, "x");
}

static void write_too_much(void)
{
	struct suite_report_writer report;
	struct json_writer *w;
	char *text = xcalloc(1, WIRE_REPORT_LINE_BYTES);

	memset(text, 'x', WIRE_REPORT_LINE_BYTES - 1);
	suite_report_writer_init(&report, open("/dev/null", O_WRONLY), 0);
	w = suite_report_open_line(&report, WIRE_REPORT_NOTE);
	json_add_string(w, "text", text);
	suite_report_close_line(&report);
}

static void a_report_that_cannot_be_written_ends_the_process(void **state UNUSED)
{
	assert_int_equal(exit_code_of(write_to_nowhere), SUITE_EXIT_REPORT);
	assert_int_equal(exit_code_of(write_too_much), SUITE_EXIT_REPORT);
}

static void the_report_descriptor_is_not_inherited_by_children(void **state UNUSED)
{
	struct suite_report_writer report;
	int fd = open("/dev/null", O_WRONLY);
	_cleanup_free_ char *text = xasprintf("%d", fd);

	setenv(WIRE_REPORT_ENV, text, 1);
	assert_success(suite_report_writer_open(&report));
	assert_int_equal(report.fd, fd);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_null(getenv(WIRE_REPORT_ENV));
	suite_report_writer_deinit(&report);
	/* Closed by now. */
	setenv(WIRE_REPORT_ENV, text, 1);
	assert_error_tag(suite_report_writer_open(&report), "io");
	setenv(WIRE_REPORT_ENV, "3x", 1);
	assert_error_tag(suite_report_writer_open(&report), "parse");
	setenv(WIRE_REPORT_ENV, "", 1);
	assert_error_tag(suite_report_writer_open(&report), "parse");
	setenv(WIRE_REPORT_ENV, "-1", 1);
	assert_error_tag(suite_report_writer_open(&report), "parse");
	unsetenv(WIRE_REPORT_ENV);
	assert_success(suite_report_writer_open(&report));
	assert_int_equal(report.fd, -1);
	suite_report_writer_deinit(&report);
}

static void expect(const char *line, const char *expected)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	suite_report_text_print(to, line, strlen(line));
	fclose(to);
	assert_string_equal(text, expected);
	free(text);
}

static void report_lines_are_printed_as_text(void **state UNUSED)
{
	expect("{\"report\":\"part\",\"reason\":\"check\",\"text\":\"a b\",\"file\":\"x.c\","
	       "\"line\":7}\n",
	       "part [check] a b (x.c:7)\n");
	expect("{\"report\":\"part\",\"reason\":\"setup\",\"text\":\"a\"}\n", "part [setup] a\n");
	expect("{\"report\":\"payload\",\"name\":\"p\",\"exit_code\":-9,\"timed_out\":true,"
	       "\"metrics\":[1,2]}\n",
	       "payload name=p exit_code=-9 timed_out=yes metrics=(2)\n");
	expect("no json\n", "no json\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_has_its_lines),
		cmocka_unit_test(a_long_text_is_cut_between_characters),
		cmocka_unit_test(a_kept_text_is_split_and_can_be_joined),
		cmocka_unit_test(a_piece_of_control_characters_fits_into_a_line),
		cmocka_unit_test(parts_past_the_limit_are_counted),
		cmocka_unit_test(parts_are_forwarded_after_notes_reach_the_limit),
		cmocka_unit_test(forwarded_parts_count),
		cmocka_unit_test(room_is_what_is_left_of_a_line),
		cmocka_unit_test(a_report_that_cannot_be_written_ends_the_process),
		cmocka_unit_test(the_report_descriptor_is_not_inherited_by_children),
		cmocka_unit_test(report_lines_are_printed_as_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
