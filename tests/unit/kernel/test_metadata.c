// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/cache.h"

#include "sample.h"

#define DIR_PATH "/cache/kernels/9.8.7+x"
#define FILES                                                                 \
	"\"files\":{\"bzImage\":{\"bytes\":3,\"hash\":\"00000000000000ff\"}," \
	"\"vmlinux\":{\"bytes\":4,\"hash\":\"0123456789abcdef\"}}"
#define USUAL                                                                            \
	"\"format\":1,\"id\":\"9.8.7+x\",\"release\":\"9.8.7+x\",\"version\":\"9.8.7\"," \
	"\"sched_ext\":\"broken\",\"sched_ext_reason\":\"why\",\"source\":\"pkg 1\","

static struct error *parse(const char *text, struct kernel **ret)
{
	return kernel_metadata_parse(text, strlen(text), DIR_PATH, ret);
}

static void members_become_a_kernel_with_paths(void **state UNUSED)
{
	_cleanup_kernel_ struct kernel *kernel = NULL;

	assert_success(parse("{" USUAL "\"build_id\":\"abcd\",\"modules_bytes\":5,"
			     "\"origin\":{\"path\":\"/p\",\"bytes\":6,\"mtime_ns\":7}," FILES "}",
			     &kernel));
	assert_string_equal(kernel->id, "9.8.7+x");
	assert_string_equal(kernel->build_id, "abcd");
	assert_int_equal(kernel->scx, KERNEL_SCX_BROKEN);
	assert_string_equal(kernel->scx_reason, "why");
	assert_string_equal(kernel->bzimage_path, DIR_PATH "/bzImage");
	assert_string_equal(kernel->vmlinux_path, DIR_PATH "/vmlinux");
	assert_string_equal(kernel->modules_dir, DIR_PATH "/modules");
	assert_null(kernel->config_path);
	assert_null(kernel->btf_path);
	assert_null(kernel->flavour);
	assert_true(kernel->files[KERNEL_VMLINUX].hash == 0x0123456789abcdef);
	assert_string_equal(kernel->origin_path, "/p");
	assert_int_equal(kernel->origin_mtime_ns, 7);
}

static void what_is_written_reads_back_the_same(void **state UNUSED)
{
	_cleanup_kernel_ struct kernel *kernel = NULL, *back = NULL;
	_cleanup_strbuf_ struct strbuf once = STRBUF_INIT, twice = STRBUF_INIT;
	struct json_writer w = json_writer_to(&once, JSON_PRETTY);

	assert_success(parse("{" USUAL "\"suite\":\"s\",\"flavour\":\"rt\"," FILES "}", &kernel));
	json_begin_object(&w);
	kernel_metadata_write(kernel, &w);
	json_end_object(&w);
	assert_success(parse(strbuf_str(&once), &back));
	w = json_writer_to(&twice, JSON_PRETTY);
	json_begin_object(&w);
	kernel_metadata_write(back, &w);
	json_end_object(&w);
	assert_string_equal(strbuf_str(&once), strbuf_str(&twice));
	assert_string_equal(back->flavour, "rt");
	assert_null(back->modules_dir);
}

static void every_member_is_written_in_its_order(void **state UNUSED)
{
	static const char all[] =
		"{\"format\":1,\"id\":\"9.8.7+x\",\"release\":\"9.8.7+x\",\"version\":\"9.8.7\","
		"\"flavour\":\"rt\",\"build_id\":\"abcd\",\"sched_ext\":\"broken\","
		"\"sched_ext_reason\":\"why\",\"source\":\"pkg 1\",\"suite\":\"s\","
		"\"origin\":{\"path\":\"/p\",\"bytes\":0,\"mtime_ns\":7},\"added_unix_sec\":0,"
		"\"modules_bytes\":0," FILES "}";
	_cleanup_kernel_ struct kernel *kernel = NULL;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct json_writer w = json_writer_to(&text, JSON_COMPACT);

	assert_success(parse(all, &kernel));
	json_begin_object(&w);
	kernel_metadata_write(kernel, &w);
	json_end_object(&w);
	assert_string_equal(strbuf_str(&text), all);
}

static void an_error_names_the_member(void **state UNUSED)
{
	struct kernel *kernel = NULL;
	_cleanup_error_ struct error *err = parse(
		"{" USUAL "\"files\":{\"vmlinux\":{\"bytes\":3,\"hash\":\"0x\"}}}", &kernel);

	assert_string_equal(error_message(err),
			    "metadata.json: files.vmlinux.hash: not 16 hexadecimal digits");
}

static void text_that_is_not_ours_is_damage(void **state UNUSED)
{
	static const char *const broken[] = {
		"",
		"[]",
		"{",
		"{}",
		/* no files; no vmlinux; a hash that is none; another folder's; another format */
		"{" USUAL "\"files\":{}}",
		"{" USUAL "\"files\":{\"bzImage\":{\"bytes\":3,\"hash\":\"00000000000000ff\"}}}",
		"{" USUAL "\"files\":{\"vmlinux\":{\"bytes\":3,\"hash\":\"0x\"}}}",
		"{" USUAL "\"files\":{\"vmlinux\":{\"bytes\":-3,\"hash\":\"00000000000000ff\"}}}",
		"{\"format\":1,\"id\":\"other\",\"release\":\"9.8.7+x\",\"version\":\"9.8.7\","
		"\"sched_ext\":\"usable\",\"source\":\"p\"," FILES "}",
		"{\"format\":2,\"id\":\"9.8.7+x\",\"release\":\"9.8.7+x\",\"version\":\"9.8.7\","
		"\"sched_ext\":\"usable\",\"source\":\"p\"," FILES "}",
		"{\"format\":1,\"id\":\"9.8.7+x\",\"release\":\"9.8.7+x\",\"version\":\"9.8.7\","
		"\"sched_ext\":\"perhaps\",\"source\":\"p\"," FILES "}",
		"{\"format\":1,\"id\":\"9.8.7+x\",\"release\":\"../x\",\"version\":\"9.8.7\","
		"\"sched_ext\":\"usable\",\"source\":\"p\"," FILES "}",
		"{\"format\":1,\"id\":\"9.8.7+x\",\"release\":\"9.8.7+x\",\"version\":\"new\","
		"\"sched_ext\":\"usable\",\"source\":\"p\"," FILES "}",
	};

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		struct kernel *kernel = NULL;

		assert_error_tag(parse(broken[i], &kernel), "kernel-corrupt");
		assert_null(kernel);
	}
}

static void files_must_have_their_sizes(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_free_ char *dir = xasprintf("%s/9.8.7+x", cache);
	_cleanup_kernel_ struct kernel *kernel = NULL;

	assert_error_tag(kernel_metadata_read(dir, &kernel), "kernel-corrupt");
	assert_success(paths_make(dir, 0755));
	free(sample_write_text(dir, "metadata.json", "{" USUAL FILES "}"));
	free(sample_write_text(dir, "bzImage", "abc"));
	assert_error_tag(kernel_metadata_read(dir, &kernel), "kernel-corrupt"); /* no vmlinux */
	free(sample_write_text(dir, "vmlinux", "abc"));
	assert_error_tag(kernel_metadata_read(dir, &kernel), "kernel-corrupt"); /* too short */
	free(sample_write_text(dir, "vmlinux", "abcd"));
	assert_success(kernel_metadata_read(dir, &kernel));
	sample_cache_end(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_become_a_kernel_with_paths),
		cmocka_unit_test(what_is_written_reads_back_the_same),
		cmocka_unit_test(every_member_is_written_in_its_order),
		cmocka_unit_test(an_error_names_the_member),
		cmocka_unit_test(text_that_is_not_ours_is_damage),
		cmocka_unit_test(files_must_have_their_sizes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
