// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/cpio.h"

#include <stdlib.h>
#include <unistd.h>

#include "entries.h"
#include "unit.h"

struct archive {
	struct strbuf bytes;
	struct wire_cpio_writer w;
};

static int setup(void **state)
{
	struct archive *a = calloc(1, sizeof(*a));

	wire_cpio_writer_init(&a->w, wire_cpio_strbuf_sink, &a->bytes);
	*state = a;
	return 0;
}

static int teardown(void **state)
{
	struct archive *a = *state;

	strbuf_deinit(&a->bytes);
	free(a);
	return 0;
}

/* Written by hand after the kernel's description of the initramfs buffer format. */
static void entry_is_header_name_and_bytes_padded_to_four(void **state)
{
	static const char wanted[] = "070701"
				     "00000001"		/* ino */
				     "000081A4"		/* mode 0100644 */
				     "00000000"		/* uid */
				     "00000000"		/* gid */
				     "00000001"		/* nlink */
				     "00000000"		/* mtime */
				     "00000005"		/* filesize */
				     "0000000000000000" /* device it is on */
				     "0000000000000000" /* device it is */
				     "00000006"		/* namesize */
				     "00000000"		/* check */
				     "etc/x\0"		/* 110 + 6 is a multiple of four */
				     "hello\0\0\0";
	struct archive *a = *state;

	assert_success(write_file(&a->w, "etc/x", 0644, "hello", 5));
	assert_int_equal(a->bytes.n, sizeof(wanted) - 1);
	assert_memory_equal(a->bytes.at, wanted, sizeof(wanted) - 1);
}

static void archive_ends_with_the_trailer_and_a_full_block(void **state)
{
	struct archive *a = *state;

	assert_success(write_file(&a->w, "f", 0600, "abc", 3));
	assert_success(wire_cpio_write_trailer(&a->w));
	assert_int_equal(a->bytes.n % 512, 0);
	assert_true(a->w.written == a->bytes.n);
	/* 110 + 2 of name, 4 of data, then the trailer's own header. */
	assert_memory_equal(a->bytes.at + 116 + 110, "TRAILER!!!", 11);
}

static void bytes_may_come_in_pieces(void **state)
{
	struct archive *a = *state;
	struct wire_cpio_entry e = { .name = "f", .mode = S_IFREG | 0600, .size = 6 };
	struct strbuf whole = STRBUF_INIT;
	struct wire_cpio_writer w;

	assert_success(wire_cpio_begin(&a->w, &e));
	assert_success(wire_cpio_data(&a->w, "ab", 2));
	assert_success(wire_cpio_data(&a->w, "", 0));
	assert_success(wire_cpio_data(&a->w, "cdef", 4));
	assert_success(wire_cpio_end(&a->w));
	wire_cpio_writer_init(&w, wire_cpio_strbuf_sink, &whole);
	assert_success(write_file(&w, "f", 0600, "abcdef", 6));
	assert_int_equal(whole.n, a->bytes.n);
	assert_memory_equal(whole.at, a->bytes.at, whole.n);
	strbuf_deinit(&whole);
}

static void a_wrong_number_of_bytes_is_refused(void **state)
{
	struct archive *a = *state;
	struct wire_cpio_entry e = { .name = "f", .mode = S_IFREG | 0600, .size = 2 };
	struct wire_cpio_entry dir = { .name = "d", .mode = S_IFDIR | 0755, .size = 1 };

	assert_error_tag(wire_cpio_data(&a->w, "x", 1), "cpio-size");
	assert_error_tag(wire_cpio_begin(&a->w, &dir), "cpio-size");
	assert_success(wire_cpio_begin(&a->w, &e));
	assert_error_tag(wire_cpio_data(&a->w, "abc", 3), "cpio-size");
	assert_success(wire_cpio_data(&a->w, "a", 1));
	assert_error_tag(wire_cpio_end(&a->w), "cpio-size");
	assert_error_tag(wire_cpio_begin(&a->w, &e), "cpio-size");
	assert_error_tag(wire_cpio_write_trailer(&a->w), "cpio-size");
}

static void names_that_lead_out_are_refused(void **state)
{
	static const char *const bad[] = { "",	   "/etc/passwd", "..",	       "../x",
					   "a/..", "a//../b",	  "TRAILER!!!" };
	static const char *const good[] = { "a", ".", "./a", "a/..b", "a/b..", "...", "a/.../b" };
	_cleanup_strbuf_ struct strbuf lengthy = STRBUF_INIT;
	struct archive *a = *state;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_error_tag(write_directory(&a->w, bad[i], 0755), "cpio-name");
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_success(write_directory(&a->w, good[i], 0755));
	strbuf_append_repeated(&lengthy, 'n', 4095);
	assert_success(wire_cpio_check_name(strbuf_str(&lengthy)));
	strbuf_append_char(&lengthy, 'n');
	assert_error_tag(wire_cpio_check_name(strbuf_str(&lengthy)), "cpio-name");
}

static void only_supported_file_types_are_written(void **state)
{
	struct archive *a = *state;
	struct wire_cpio_entry socket = { .name = "s", .mode = S_IFSOCK | 0600 };

	assert_error_tag(wire_cpio_begin(&a->w, &socket), "cpio-type");
	assert_error_tag(wire_cpio_write_link(&a->w, "l", ""), "cpio-target");
	assert_int_equal(a->bytes.n, 0);
}

static struct error *broken_sink(void *context UNUSED, const void *bytes UNUSED, size_t n UNUSED)
{
	return base_error(BASE_IO, EPIPE, "sink");
}

static void an_error_of_the_sink_comes_back(void **state UNUSED)
{
	struct wire_cpio_writer w;

	wire_cpio_writer_init(&w, broken_sink, NULL);
	assert_error_tag(write_file(&w, "f", 0600, "x", 1), "io");
	assert_true(w.written == 0);
}

/* Lists the archive with a program that knows nothing of us. */
static void list_with(const char *command, const struct strbuf *archive, struct strbuf *ret)
{
	char path[] = "/tmp/ktstr-cpio-XXXXXX";
	_cleanup_free_ char *line = NULL;
	char chunk[512];
	size_t n;
	int fd = mkstemp(path);
	FILE *pipe;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, archive->at, archive->n), archive->n);
	close(fd);
	assert_true(asprintf(&line, "%s <%s 2>/dev/null", command, path) > 0);
	pipe = popen(line, "r");
	assert_non_null(pipe);
	while ((n = fread(chunk, 1, sizeof(chunk), pipe)) > 0)
		strbuf_append_bytes(ret, chunk, n);
	assert_int_equal(pclose(pipe), 0);
	unlink(path);
}

static void busybox_cpio_reads_our_archive(void **state)
{
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf details = STRBUF_INIT;
	struct archive *a = *state;
	struct wire_cpio_entry dated = { .name = "usr/bin/dated",
					 .mode = S_IFREG | 04755,
					 .mtime = 86400 };

	skip_unless(system("busybox cpio --help >/dev/null 2>&1") == 0, "no busybox with cpio");
	assert_success(write_directory(&a->w, "usr", 0755));
	assert_success(write_directory(&a->w, "usr/bin", 01777));
	assert_success(wire_cpio_write_link(&a->w, "bin", "usr/bin"));
	assert_success(wire_cpio_write(&a->w, &dated, "1234567", 7));
	assert_success(write_device(&a->w, "console", 0600, 5, 1));
	assert_success(wire_cpio_write_trailer(&a->w));
	list_with("busybox cpio -t", &a->bytes, &names);
	assert_string_equal(strbuf_str(&names), "usr\nusr/bin\nbin\nusr/bin/dated\nconsole\n");
	list_with("TZ=UTC busybox cpio -tv", &a->bytes, &details);
	assert_contains(strbuf_str(&details), "drwxrwxrwt");
	assert_contains(strbuf_str(&details), "lrwxrwxrwx");
	assert_contains(strbuf_str(&details), "bin -> usr/bin");
	assert_contains(strbuf_str(&details), "-rwsr-xr-x");
	assert_contains(strbuf_str(&details), "1970-01-02 00:00:00 usr/bin/dated");
	assert_contains(strbuf_str(&details), "crw-------");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(entry_is_header_name_and_bytes_padded_to_four,
						setup, teardown),
		cmocka_unit_test_setup_teardown(archive_ends_with_the_trailer_and_a_full_block,
						setup, teardown),
		cmocka_unit_test_setup_teardown(bytes_may_come_in_pieces, setup, teardown),
		cmocka_unit_test_setup_teardown(a_wrong_number_of_bytes_is_refused, setup,
						teardown),
		cmocka_unit_test_setup_teardown(names_that_lead_out_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(only_supported_file_types_are_written, setup,
						teardown),
		cmocka_unit_test(an_error_of_the_sink_comes_back),
		cmocka_unit_test_setup_teardown(busybox_cpio_reads_our_archive, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
