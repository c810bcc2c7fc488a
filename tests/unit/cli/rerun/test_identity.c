// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rerun/rerun.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/paths.h"
#include "unit.h"

/* Two records in one directory, each with its frames. */
struct fixture {
	char dir[32];
	char *past_path, *now_path;
	struct result_run past, now;
	struct strbuf text;
};

static char *word(const char *text)
{
	return (char *)(uintptr_t)text;
}

static void put_frames(struct fixture *f, const char *name, const struct result_frame *at, size_t n)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", f->dir, name);
	_cleanup_result_frames_ struct result_frames frames = { 0 };

	for (size_t i = 0; i < n; i++)
		result_frames_add(&frames, &at[i]);
	assert_success(result_frames_write(f->dir, path, &frames));
}

static const struct result_frame sent[] = {
	{ 1000000001, 0x11, 257, 0, 70 },
	{ 2000000000, 0x22, 269, 2, 5 },
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/ktstr-identity-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	f->past_path = xasprintf("%s/past.ktstr.json", f->dir);
	f->now_path = xasprintf("%s/now.ktstr.json", f->dir);
	f->past = (struct result_run){ .state = RESULT_FINISHED,
				       .verdict = KTSTR_FAIL,
				       .reason = KTSTR_REASON_CHECK,
				       .digest = "aaaaaaaaaaaaaaaa" };
	f->now = f->past;
	f->past.frames_file = word("past.frames");
	f->now.frames_file = word("now.frames");
	put_frames(f, "past.frames", sent, 2);
	put_frames(f, "now.frames", sent, 2);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	assert_success(paths_remove(f->dir));
	free(f->past_path);
	free(f->now_path);
	strbuf_deinit(&f->text);
	free(f);
	return 0;
}

static void check(struct fixture *f, enum identity identity, const char *words)
{
	strbuf_clear(&f->text);
	assert_int_equal(identity_compare(f->past_path, &f->past, f->now_path, &f->now, &f->text),
			 identity);
	assert_string_equal(strbuf_str(&f->text), words);
}

static void the_same_digest_and_verdict_are_identical(void **state)
{
	check(*state, IDENTITY_SAME, "identical to the bit: digest aaaaaaaaaaaaaaaa, fail\n");
}

static void the_first_frame_that_differs_is_shown_with_both(void **state)
{
	struct fixture *f = *state;
	struct result_frame other[2] = { sent[0], sent[1] };

	f->now.digest = "bbbbbbbbbbbbbbbb";
	other[1].time_ns += 7;
	other[1].n = 6;
	other[1].hash = 0x33;
	put_frames(f, "now.frames", other, 2);
	check(f, IDENTITY_DIFFERENT,
	      "not identical: digest bbbbbbbbbbbbbbbb, was aaaaaaaaaaaaaaaa; frame 1 is the first that "
	      "differs\n"
	      "  was: report on channel 2 at 2.000000000 s, 5 bytes, hash 0000000000000022\n"
	      "  is:  report on channel 2 at 2.000000007 s, 6 bytes, hash 0000000000000033\n");
}

/* A library of another host is in no list of files. */
static void other_libraries_are_named_where_runs_differ(void **state)
{
	struct fixture *f = *state;

	f->past.files_hash = "1111111111111111";
	f->now.files_hash = "2222222222222222";
	check(f, IDENTITY_SAME, "identical to the bit: digest aaaaaaaaaaaaaaaa, fail\n");
	f->now.digest = "bbbbbbbbbbbbbbbb";
	check(f, IDENTITY_DIFFERENT,
	      "not identical: digest bbbbbbbbbbbbbbbb, was aaaaaaaaaaaaaaaa; files sent into the guest, "
	      "with libraries: hash 2222222222222222, was 1111111111111111; the first 2 frames are "
	      "the same\n");
	f->now.files_hash = f->past.files_hash;
	check(f, IDENTITY_DIFFERENT,
	      "not identical: digest bbbbbbbbbbbbbbbb, was aaaaaaaaaaaaaaaa; the first 2 frames are "
	      "the same\n");
}

static void a_run_that_ends_earlier_has_no_frame_there(void **state)
{
	struct fixture *f = *state;

	f->now.digest = "bbbbbbbbbbbbbbbb";
	put_frames(f, "now.frames", sent, 1);
	check(f, IDENTITY_DIFFERENT,
	      "not identical: digest bbbbbbbbbbbbbbbb, was aaaaaaaaaaaaaaaa; frame 1 is the first that "
	      "differs\n"
	      "  was: report on channel 2 at 2.000000000 s, 5 bytes, hash 0000000000000022\n"
	      "  is:  no frame, it had sent 1\n");
	put_frames(f, "now.frames", sent, 2);
	check(f, IDENTITY_DIFFERENT,
	      "not identical: digest bbbbbbbbbbbbbbbb, was aaaaaaaaaaaaaaaa; the first 2 frames are "
	      "the same\n");
}

static void another_verdict_is_not_identical(void **state)
{
	struct fixture *f = *state;

	f->now.verdict = KTSTR_PASS;
	f->now.reason = KTSTR_REASON_NONE;
	check(f, IDENTITY_DIFFERENT,
	      "not identical: pass, was fail; but the guest sent the same\n");
}

static void frames_that_are_gone_are_not_a_match(void **state)
{
	struct fixture *f = *state;

	f->now.digest = "bbbbbbbbbbbbbbbb";
	f->past.frames_file = NULL;
	strbuf_clear(&f->text);
	assert_int_equal(identity_compare(f->past_path, &f->past, f->now_path, &f->now, &f->text),
			 IDENTITY_DIFFERENT);
	assert_contains(strbuf_str(&f->text), "the first difference is not known: ");
	assert_contains(strbuf_str(&f->text), "does not name a file with its frames\n");
}

static void without_a_digest_nothing_is_known(void **state)
{
	struct fixture *f = *state;

	f->past.digest = NULL;
	check(f, IDENTITY_UNKNOWN, "cannot be compared: the record has no digest\n");
	f->past.digest = "aaaaaaaaaaaaaaaa";
	f->now.digest = NULL;
	check(f, IDENTITY_UNKNOWN, "cannot be compared: this run has no digest\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static void put_pages(struct fixture *f, const char *name, const char *text)
{
	_cleanup_free_ char *dir = xasprintf("%s/%s.kept", f->dir, name);
	_cleanup_free_ char *path = xasprintf("%s/pages.txt", dir);

	assert_success(paths_make(dir, 0700));
	assert_success(io_replace_file(path, text, strlen(text)));
}

#define PAGE_A "0x1000 0000000000000001 Kernel data\n"
#define PAGE_B "0x2000 0000000000000002 System RAM: slab\n"
#define PAGE_C "0x3000 0000000000000003 System RAM: free (buddy)\n"

static void memory_that_differs_is_told_with_its_owner(void **state)
{
	struct fixture *f = *state;

	put_pages(f, "past", PAGE_A PAGE_B PAGE_C);
	put_pages(f, "now", PAGE_A PAGE_B PAGE_C);
	assert_int_equal(identity_compare(f->past_path, &f->past, f->now_path, &f->now, &f->text),
			 IDENTITY_SAME);
	strbuf_clear(&f->text);
	put_pages(f, "now", PAGE_A "0x2000 0000000000000009 System RAM: slab\n");
	assert_int_equal(identity_compare(f->past_path, &f->past, f->now_path, &f->now, &f->text),
			 IDENTITY_DIFFERENT);
	assert_contains(
		strbuf_str(&f->text),
		"pages of memory that differ: 2, the first: 0x2000 0000000000000002 System RAM: slab");
}

/* A page that only one of them has written. */
static void a_page_of_one_side_only_differs(void **state)
{
	struct fixture *f = *state;

	put_pages(f, "past", PAGE_A PAGE_C);
	put_pages(f, "now", PAGE_A PAGE_B PAGE_C);
	assert_int_equal(identity_compare(f->past_path, &f->past, f->now_path, &f->now, &f->text),
			 IDENTITY_DIFFERENT);
	assert_contains(strbuf_str(&f->text), "differ: 1, the first: 0x2000");
}

/* A record is foreign: a FIFO in place of the file must not be waited for. */
static void pages_that_are_not_a_file_are_left_out(void **state)
{
	struct fixture *f = *state;
	_cleanup_free_ char *path = xasprintf("%s/now.kept/pages.txt", f->dir);

	put_pages(f, "past", PAGE_A);
	put_pages(f, "now", PAGE_B);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(identity_compare(f->past_path, &f->past, f->now_path, &f->now, &f->text),
			 IDENTITY_SAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_same_digest_and_verdict_are_identical),
		TEST(the_first_frame_that_differs_is_shown_with_both),
		TEST(other_libraries_are_named_where_runs_differ),
		TEST(a_run_that_ends_earlier_has_no_frame_there),
		TEST(another_verdict_is_not_identical),
		TEST(frames_that_are_gone_are_not_a_match),
		TEST(without_a_digest_nothing_is_known),
		TEST(memory_that_differs_is_told_with_its_owner),
		TEST(a_page_of_one_side_only_differs),
		TEST(pages_that_are_not_a_file_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
