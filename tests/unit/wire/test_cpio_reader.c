// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/cpio.h"

#include "base/alloc.h"
#include "entries.h"
#include "unit.h"

/* What the reader told, as text: one word per event. */
static struct error *told_begin(void *context, const struct wire_cpio_entry *e)
{
	strbuf_appendf(context, "[%s %o %u", e->name, e->mode, e->mtime);
	if (e->target)
		strbuf_appendf(context, " -> %s", e->target);
	if (S_ISCHR(e->mode))
		strbuf_appendf(context, " %u:%u", e->device_major, e->device_minor);
	strbuf_append(context, "|");
	return NULL;
}

static struct error *told_data(void *context, const void *bytes, size_t n)
{
	strbuf_append_bytes(context, bytes, n);
	return NULL;
}

static struct error *told_end(void *context)
{
	strbuf_append(context, "]");
	return NULL;
}

static const struct wire_cpio_events telling = { told_begin, told_data, told_end };

static struct error *read_in_pieces(const void *bytes, size_t n, size_t piece, struct strbuf *told)
{
	_cleanup_wire_cpio_reader_ struct wire_cpio_reader *r = wire_cpio_reader_new(&telling,
										     told);
	const char *at = bytes;
	struct error *err = NULL;

	for (size_t i = 0; i < n && !err; i += piece)
		err = wire_cpio_reader_feed(r, at + i, n - i < piece ? n - i : piece);
	return err ? err : wire_cpio_reader_finish(r);
}

static struct error *read_all(const struct strbuf *a)
{
	_cleanup_strbuf_ struct strbuf told = STRBUF_INIT;

	return read_in_pieces(a->at, a->n, a->n, &told);
}

/* One header by hand, so that every field can lie. */
struct lie {
	const char *magic, *name, *data;
	uint32_t mode, links, size, name_bytes;
};

static void append_entry(struct strbuf *a, struct lie l)
{
	uint32_t name_bytes = l.name_bytes ? l.name_bytes : (uint32_t)strlen(l.name) + 1;

	strbuf_appendf(a, "%s%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x",
		       l.magic ? l.magic : "070701", 7, l.mode, 0, 0, l.links, 0, l.size, 0, 0, 0,
		       0, name_bytes, 0);
	strbuf_append_bytes(a, l.name, strlen(l.name) + 1);
	strbuf_append_repeated(a, 0, -a->n & 3);
	if (l.data)
		strbuf_append_bytes(a, l.data, strlen(l.data));
	strbuf_append_repeated(a, 0, -a->n & 3);
}

static void append_trailer(struct strbuf *a)
{
	append_entry(a, (struct lie){ .name = WIRE_CPIO_TRAILER, .links = 1 });
}

static struct error *read_lie(struct lie l)
{
	_cleanup_strbuf_ struct strbuf a = STRBUF_INIT;

	append_entry(&a, l);
	append_trailer(&a);
	return read_all(&a);
}

static void archive_reads_the_same_in_pieces_of_any_size(void **state UNUSED)
{
	static const size_t pieces[] = { 1, 2, 3, 7, 109, 110, 111, 512, 4096 };
	static const char wanted[] = "[d 40755 0|][l 120777 0 -> some/where|][empty 100644 0|]"
				     "[d/f 100600 0|hello][tty 20620 0 5:0|]";
	_cleanup_strbuf_ struct strbuf a = STRBUF_INIT;
	struct wire_cpio_writer w;

	wire_cpio_writer_init(&w, wire_cpio_strbuf_sink, &a);
	assert_success(write_directory(&w, "d", 0755));
	assert_success(wire_cpio_write_link(&w, "l", "some/where"));
	assert_success(write_file(&w, "empty", 0644, "", 0));
	assert_success(write_file(&w, "d/f", 0600, "hello", 5));
	assert_success(write_device(&w, "tty", 0620, 5, 0));
	assert_success(wire_cpio_write_trailer(&w));
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		_cleanup_strbuf_ struct strbuf told = STRBUF_INIT;

		assert_success(read_in_pieces(a.at, a.n, pieces[i], &told));
		assert_string_equal(strbuf_str(&told), wanted);
	}
}

static void every_shorter_archive_is_truncated(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf a = STRBUF_INIT;

	append_entry(&a, (struct lie){ .name = "f", .mode = 0100644, .size = 3, .data = "abc" });
	append_trailer(&a);
	for (size_t n = 0; n < a.n; n++) {
		_cleanup_strbuf_ struct strbuf told = STRBUF_INIT;

		assert_error_tag(read_in_pieces(a.at, n, n ? n : 1, &told), "cpio-truncated");
	}
	assert_success(read_all(&a));
}

static void names_that_lead_out_are_refused(void **state UNUSED)
{
	static const char *const bad[] = { "/etc/passwd", "../x", "a/../../b", "..", "" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_error_tag(read_lie((struct lie){ .name = bad[i], .mode = 0100644 }),
				 "cpio-name");
}

static void malformed_cpio_headers_are_refused(void **state UNUSED)
{
	static const struct {
		struct lie lie;
		const char *tag;
	} rows[] = {
		{ { .magic = "070707", .name = "f", .mode = 0100644 }, "cpio-magic" },
		{ { .magic = "070702", .name = "f", .mode = 0100644 }, "cpio-magic" },
		{ { .name = "f", .mode = 0100644, .name_bytes = 3 }, "cpio-name" },
		{ { .name = "long", .mode = 0100644, .name_bytes = 3 }, "cpio-name" },
		{ { .name = "f", .mode = 0100644, .name_bytes = 4097 }, "cpio-name" },
		{ { .name = "f", .mode = 0100644, .name_bytes = 0xffffffff }, "cpio-name" },
		{ { .name = "s", .mode = 0140644 }, "cpio-type" },
		{ { .name = "f", .mode = 02100644 }, "cpio-type" },
		{ { .name = "hard", .mode = 0100644, .links = 2 }, "cpio-type" },
		{ { .name = "d", .mode = 0040755, .size = 4, .data = "abcd" }, "cpio-size" },
		{ { .name = "l", .mode = 0120777 }, "cpio-target" },
		{ { .name = "l", .mode = 0120777, .size = 4096 }, "cpio-target" },
		{ { .name = "l", .mode = 0120777, .size = 2, .data = "a" }, "cpio-target" },
		{ { .name = WIRE_CPIO_TRAILER, .size = 1 }, "cpio-size" },
		{ { .name = "f", .mode = 0100644, .size = 1, .data = "ab" }, "cpio-padding" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_error_tag(read_lie(rows[i].lie), rows[i].tag);
}

static void cpio_fields_that_are_not_hexadecimal_are_refused(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf a = STRBUF_INIT;

	append_entry(&a, (struct lie){ .name = "f", .mode = 0100644 });
	append_trailer(&a);
	for (size_t i = 6; i < WIRE_CPIO_HEADER_BYTES; i += 8) {
		char kept = a.at[i];

		a.at[i] = 'g';
		assert_error_tag(read_all(&a), "cpio-header");
		a.at[i] = ' ';
		assert_error_tag(read_all(&a), "cpio-header");
		a.at[i] = kept;
	}
	assert_success(read_all(&a));
}

static void only_zeros_may_follow_the_trailer(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf a = STRBUF_INIT;

	append_trailer(&a);
	strbuf_append_repeated(&a, 0, 1000);
	assert_success(read_all(&a));
	strbuf_append_char(&a, '0');
	assert_error_tag(read_all(&a), "cpio-padding");
}

static void entries_have_a_limit(void **state UNUSED)
{
	static const struct wire_cpio_events deaf;
	_cleanup_wire_cpio_reader_ struct wire_cpio_reader *r = wire_cpio_reader_new(&deaf, NULL);
	_cleanup_strbuf_ struct strbuf a = STRBUF_INIT;

	append_entry(&a, (struct lie){ .name = "d", .mode = 0040755 });
	for (size_t i = 0; i < WIRE_LIMIT_CPIO_ENTRIES; i++)
		assert_success(wire_cpio_reader_feed(r, a.at, a.n));
	assert_error_tag(wire_cpio_reader_feed(r, a.at, a.n), "cpio-limit");
}

static void nothing_is_read_after_an_error(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf told = STRBUF_INIT;
	_cleanup_wire_cpio_reader_ struct wire_cpio_reader *r = wire_cpio_reader_new(&telling,
										     &told);
	_cleanup_strbuf_ struct strbuf bad = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf good = STRBUF_INIT;

	strbuf_append_repeated(&bad, 'x', WIRE_CPIO_HEADER_BYTES);
	append_trailer(&good);
	assert_error_tag(wire_cpio_reader_feed(r, bad.at, bad.n), "cpio-magic");
	assert_error_tag(wire_cpio_reader_feed(r, good.at, good.n), "cpio-truncated");
	assert_error_tag(wire_cpio_reader_finish(r), "cpio-truncated");
	assert_string_equal(strbuf_str(&told), "");
}

static struct error *full_disk(void *context UNUSED, const void *bytes UNUSED, size_t n UNUSED)
{
	return base_error(BASE_IO, ENOSPC, "writing");
}

static void an_error_of_the_caller_comes_back(void **state UNUSED)
{
	static const struct wire_cpio_events failing = { .data = full_disk };
	_cleanup_wire_cpio_reader_ struct wire_cpio_reader *r = wire_cpio_reader_new(&failing,
										     NULL);
	_cleanup_strbuf_ struct strbuf a = STRBUF_INIT;

	append_entry(&a, (struct lie){ .name = "f", .mode = 0100644, .size = 3, .data = "abc" });
	assert_error_tag(wire_cpio_reader_feed(r, a.at, a.n), "io");
}

static void bytes_of_files_are_counted(void **state UNUSED)
{
	static const struct wire_cpio_events deaf;
	_cleanup_wire_cpio_reader_ struct wire_cpio_reader *r = wire_cpio_reader_new(&deaf, NULL);
	_cleanup_strbuf_ struct strbuf a = STRBUF_INIT;

	append_entry(&a, (struct lie){ .name = "f", .mode = 0100644, .size = 3, .data = "abc" });
	append_entry(&a, (struct lie){ .name = "l", .mode = 0120777, .size = 1, .data = "f" });
	append_trailer(&a);
	assert_success(wire_cpio_reader_feed(r, a.at, a.n));
	assert_success(wire_cpio_reader_finish(r));
	assert_int_equal(wire_cpio_reader_file_bytes(r), 3);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(archive_reads_the_same_in_pieces_of_any_size),
		cmocka_unit_test(every_shorter_archive_is_truncated),
		cmocka_unit_test(names_that_lead_out_are_refused),
		cmocka_unit_test(malformed_cpio_headers_are_refused),
		cmocka_unit_test(cpio_fields_that_are_not_hexadecimal_are_refused),
		cmocka_unit_test(only_zeros_may_follow_the_trailer),
		cmocka_unit_test(entries_have_a_limit),
		cmocka_unit_test(nothing_is_read_after_an_error),
		cmocka_unit_test(an_error_of_the_caller_comes_back),
		cmocka_unit_test(bytes_of_files_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
