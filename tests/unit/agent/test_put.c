// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"

#include "scratch.h"
#include "wire/cpio.h"
#include "wire/crc32c.h"

struct archive {
	struct strbuf bytes;
	struct wire_cpio_writer writer;
};

static void archive_begin(struct archive *a)
{
	*a = (struct archive){ 0 };
	wire_cpio_writer_init(&a->writer, wire_cpio_strbuf_sink, &a->bytes);
}

static void add(struct archive *a, const char *name, uint32_t mode, uint32_t mtime,
		const char *text)
{
	struct wire_cpio_entry entry = { .name = name, .mode = mode, .mtime = mtime };

	assert_success(wire_cpio_write(&a->writer, &entry, text, strlen(text)));
}

/* Unpacks into root/in in pieces of this size. */
static struct error *unpack(const char *root, struct archive *a, size_t piece,
			    struct wire_put_done *ret)
{
	struct agent_put *put = NULL;
	struct error *err = agent_put_new(5, root, "/in", &put);

	for (size_t at = 0; !err && at < a->bytes.n; at += piece) {
		size_t n = a->bytes.n - at < piece ? a->bytes.n - at : piece;

		err = agent_put_data(put, (struct bytes){ (const uint8_t *)a->bytes.at + at, n });
	}
	if (!err)
		err = agent_put_end(put, a->bytes.n, wire_crc32c(0, a->bytes.at, a->bytes.n), ret);
	agent_put_free(put);
	strbuf_deinit(&a->bytes);
	return err;
}

static struct stat stat_of(const char *root, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", root, name);
	struct stat st = { 0 };

	assert_int_equal(lstat(path, &st), 0);
	return st;
}

static void files_directories_and_links_are_unpacked_with_mode_and_date(void **state)
{
	static const size_t pieces[] = { 1, 7, 1000000 };
	struct wire_put_done done;
	struct archive a;

	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		archive_begin(&a);
		add(&a, "d", S_IFDIR | 0750, 1000, "");
		add(&a, "d/file", S_IFREG | 0640, 2000, "content");
		add(&a, "d/suid", S_IFREG | 04755, 3000, "x");
		add(&a, "d/link", S_IFLNK | 0777, 4000, "file");
		add(&a, "no/such/parent", S_IFREG | 0600, 5000, "");
		assert_success(wire_cpio_write_trailer(&a.writer));
		assert_success(unpack(*state, &a, pieces[i], &done));
		assert_int_equal(done.files, 3);
		assert_int_equal(done.bytes, 8);
		assert_file(*state, "in/d/file", "content");
		assert_file(*state, "in/d/link", "content");
		assert_int_equal(stat_of(*state, "in/d").st_mode, S_IFDIR | 0750);
		assert_int_equal(stat_of(*state, "in/d").st_mtime, 1000);
		assert_int_equal(stat_of(*state, "in/d/file").st_mode, S_IFREG | 0640);
		assert_int_equal(stat_of(*state, "in/d/file").st_mtime, 2000);
		assert_int_equal(stat_of(*state, "in/d/suid").st_mode, S_IFREG | 04755);
		assert_int_equal(stat_of(*state, "in/d/link").st_mtime, 4000);
		assert_int_equal(stat_of(*state, "in/no/such").st_mode, S_IFDIR | 0755);
	}
}

static void an_unpacked_file_replaces_a_symlink_not_its_target(void **state)
{
	struct wire_put_done done;
	struct archive a;
	_cleanup_free_ char *link = xasprintf("%s/in/file", (char *)*state);

	scratch_dir(*state, "in");
	scratch_write(*state, "other", "mine");
	assert_int_equal(symlink("../other", link), 0);
	archive_begin(&a);
	add(&a, "file", S_IFREG | 0644, 0, "new");
	assert_success(wire_cpio_write_trailer(&a.writer));
	assert_success(unpack(*state, &a, 100, &done));
	assert_file(*state, "other", "mine");
	assert_file(*state, "in/file", "new");
	assert_true(S_ISREG(stat_of(*state, "in/file").st_mode));
}

static void nothing_is_written_outside_the_root(void **state)
{
	static const char *const targets[] = { "..", "/", "../..", "/../out" };
	struct wire_put_done done;
	struct archive a;

	scratch_dir(*state, "out");
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		struct error *err;

		archive_begin(&a);
		add(&a, "way", S_IFLNK | 0777, 0, targets[i]);
		add(&a, "way/out/file", S_IFREG | 0644, 0, "x");
		add(&a, "way/file", S_IFREG | 0644, 0, "x");
		assert_success(wire_cpio_write_trailer(&a.writer));
		err = unpack(*state, &a, 100, &done);
		/* "/out" may come to be inside the cage; then that is where the file is. */
		error_free(err);
		assert_false(scratch_has(*state, "out/file"));
		assert_false(scratch_has(*state, "file"));
	}
	/* The same for a destination that is a link. */
	assert_int_equal(chdir(*state), 0);
	assert_int_equal(symlink("/tmp", "leads-out"), 0);
	assert_int_equal(chdir("/"), 0);
	{
		struct agent_put *put = NULL;

		assert_error_tag(agent_put_new(1, *state, "/leads-out", &put), "agent-put");
		assert_null(put);
	}
}

static void a_name_with_dots_is_refused(void **state)
{
	struct wire_put_done done;
	struct archive a;
	char *at;

	archive_begin(&a);
	add(&a, "xx/file", S_IFREG | 0644, 0, "x");
	assert_success(wire_cpio_write_trailer(&a.writer));
	at = memmem(a.bytes.at, a.bytes.n, "xx/", 3);
	memcpy(at, "..", 2);
	assert_error_tag(unpack(*state, &a, 100, &done), "cpio-name");
	assert_false(scratch_has(*state, "file"));
}

static void a_directory_entry_keeps_an_existing_link_to_a_directory(void **state)
{
	struct wire_put_done done;
	struct archive a;

	archive_begin(&a);
	add(&a, "usr/lib", S_IFDIR | 0755, 0, "");
	add(&a, "lib", S_IFLNK | 0777, 0, "usr/lib");
	add(&a, "lib", S_IFDIR | 0755, 0, "");
	add(&a, "lib/file", S_IFREG | 0644, 0, "x");
	assert_success(wire_cpio_write_trailer(&a.writer));
	assert_success(unpack(*state, &a, 100, &done));
	assert_true(S_ISLNK(stat_of(*state, "in/lib").st_mode));
	assert_file(*state, "in/usr/lib/file", "x");
}

static void a_transfer_with_a_wrong_length_sum_or_archive_fails(void **state)
{
	struct wire_put_done done = { .files = 77 };
	struct archive a;
	struct agent_put *put = NULL;
	uint32_t sum;

	archive_begin(&a);
	add(&a, "file", S_IFREG | 0644, 0, "text");
	assert_success(wire_cpio_write_trailer(&a.writer));
	sum = wire_crc32c(0, a.bytes.at, a.bytes.n);
	for (int damage = 0; damage < 2; damage++) {
		assert_success(agent_put_new(5, *state, "in", &put));
		assert_int_equal(agent_put_channel(put), 5);
		assert_success(
			agent_put_data(put, (struct bytes){ (uint8_t *)a.bytes.at, a.bytes.n }));
		assert_error_tag(
			agent_put_end(put, a.bytes.n + (damage == 0), sum + (damage == 1), &done),
			"agent-put");
		agent_put_free(put);
	}
	/* Whole by its sum, but no whole archive. */
	assert_success(agent_put_new(5, *state, "in", &put));
	assert_success(agent_put_data(put, (struct bytes){ (uint8_t *)a.bytes.at, 116 }));
	assert_error_tag(agent_put_end(put, 116, wire_crc32c(0, a.bytes.at, 116), &done),
			 "cpio-truncated");
	agent_put_free(put);
	assert_int_equal(done.files, 77);
	strbuf_deinit(&a.bytes);
}

static void a_file_cannot_replace_a_directory(void **state)
{
	struct wire_put_done done;
	struct archive a;

	scratch_dir(*state, "in");
	scratch_dir(*state, "in/name");
	archive_begin(&a);
	add(&a, "name", S_IFREG | 0644, 0, "x");
	assert_success(wire_cpio_write_trailer(&a.writer));
	assert_error_tag(unpack(*state, &a, 100, &done), "agent-put");
	assert_true(S_ISDIR(stat_of(*state, "in/name").st_mode));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(files_directories_and_links_are_unpacked_with_mode_and_date),
		scratch_test(an_unpacked_file_replaces_a_symlink_not_its_target),
		scratch_test(nothing_is_written_outside_the_root),
		scratch_test(a_name_with_dots_is_refused),
		scratch_test(a_directory_entry_keeps_an_existing_link_to_a_directory),
		scratch_test(a_transfer_with_a_wrong_length_sum_or_archive_fails),
		scratch_test(a_file_cannot_replace_a_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
