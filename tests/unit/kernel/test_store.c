// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/cache.h"

#include <dirent.h>

#include "sample.h"

/* Stores a sample with a configuration and one module. */
static struct error *store(const struct sample *sample, struct kernel **ret)
{
	_cleanup_close_ int lock = -1;
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
	_cleanup_kernel_image_ struct kernel_image *image = NULL;
	_cleanup_kernel_store_ struct kernel_store s = { 0 };
	_cleanup_free_ char *modules = NULL, *inner = NULL, *config = NULL;
	struct kernel_parcel parcel = { .label = "test", .source = "pkg 1", .flavour = "cloud" };

	assert_success(kernel_cache_lock("test", NULL, &lock));
	assert_success(kernel_store_begin(&s));
	sample_bzimage(sample, &file);
	parcel.file = build_bytes(&file);
	assert_success(kernel_image_parse(parcel.file, "test", &image));
	modules = xasprintf("%s/tree/modules", s.work);
	inner = xasprintf("%s/kernel/fs", modules);
	assert_success(paths_make(inner, 0755));
	free(sample_write_text(inner, "ext9.ko.xz", "0123456789"));
	config = sample_write_text(s.work, "config", "CONFIG_X=y\n");
	parcel.config_path = config;
	parcel.modules_dir = modules;
	return kernel_store_commit(&s, image, &parcel, ret);
}

static void assert_file(const char *path, const void *bytes, size_t n)
{
	_cleanup_strbuf_ struct strbuf content = STRBUF_INIT;

	assert_success(io_read_file(path, 1 << 20, &content));
	assert_int_equal(content.n, n);
	assert_memory_equal(content.at, bytes, n);
}

static size_t count_entries(const char *directory)
{
	_cleanup_dir_ DIR *dir = opendir(directory);
	size_t n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	return n - 2;
}

static void a_stored_kernel_has_all_files_in_its_directory(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_free_ char *kernels = kernel_cache_dir(), *module = NULL;
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT, vmlinux = STRBUF_INIT, btf = STRBUF_INIT;
	_cleanup_kernel_ struct kernel *kernel = NULL;
	struct sample sample = sample_usual();

	assert_success(store(&sample, &kernel));
	sample_bzimage(&sample, &file);
	sample_vmlinux(&sample, &vmlinux);
	sample_btf(&sample, &btf);
	assert_string_equal(kernel->id, SAMPLE_RELEASE);
	assert_string_equal(kernel->build_id, SAMPLE_BUILD_ID);
	assert_int_equal(kernel->scx, KERNEL_SCX_USABLE);
	assert_string_equal(kernel->flavour, "cloud");
	assert_file(kernel->bzimage_path, file.at, file.n);
	assert_file(kernel->vmlinux_path, vmlinux.at, vmlinux.n);
	assert_file(kernel->btf_path, btf.at, btf.n);
	assert_file(kernel->config_path, "CONFIG_X=y\n", 11);
	module = xasprintf("%s/kernel/fs/ext9.ko.xz", kernel->modules_dir);
	assert_file(module, "0123456789", 10);
	assert_int_equal(kernel->modules_bytes, 10);
	/* The kernel and the lock; nothing temporary. */
	assert_int_equal(count_entries(kernels), 2);
	sample_cache_end(cache);
}

static void what_is_not_committed_is_removed(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_free_ char *kernels = kernel_cache_dir();
	struct kernel_store s = { 0 };

	assert_success(paths_make(kernels, 0755));
	assert_success(kernel_store_begin(&s));
	free(sample_write_text(s.dir, "bzImage", "half"));
	assert_int_equal(count_entries(kernels), 2);
	kernel_store_deinit(&s);
	assert_int_equal(count_entries(kernels), 0);
	kernel_store_deinit(&s);
	sample_cache_end(cache);
}

static void the_same_build_is_replaced_and_another_is_added(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_free_ char *kernels = kernel_cache_dir();
	_cleanup_kernel_ struct kernel *first = NULL, *again = NULL, *other = NULL;
	_cleanup_kernel_list_ struct kernel_list list = { 0 };
	struct sample sample = sample_usual();

	assert_success(store(&sample, &first));
	assert_success(store(&sample, &again));
	assert_string_equal(again->id, first->id);
	/* Of the one that was there before nothing is left. */
	assert_int_equal(count_entries(kernels), 2);
	sample.build_id_at = 0xab;
	assert_success(store(&sample, &other));
	assert_string_equal(other->id, SAMPLE_RELEASE ".ab010203");
	assert_success(kernel_list_read(&list));
	assert_int_equal(list.n, 2);
	sample_cache_end(cache);
}

static void a_damaged_entry_is_replaced_under_its_name(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_free_ char *damaged = xasprintf("%s/kernels/" SAMPLE_RELEASE, cache);
	_cleanup_kernel_ struct kernel *kernel = NULL;
	struct sample sample = sample_usual();

	assert_success(paths_make(damaged, 0755));
	free(sample_write_text(damaged, "bzImage", "half"));
	assert_success(store(&sample, &kernel));
	assert_string_equal(kernel->id, SAMPLE_RELEASE);
	sample_cache_end(cache);
}

static void the_scx_verdict_is_stored(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_kernel_ struct kernel *kernel = NULL;

	assert_success(store(&(struct sample){ .banner = SAMPLE_BANNER, .leaky = 2 }, &kernel));
	assert_int_equal(kernel->scx, KERNEL_SCX_BROKEN);
	assert_contains(kernel->scx_reason, "2 of 3");
	sample_cache_end(cache);
}

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

static void metadata_is_read_into_a_kernel_with_paths(void **state UNUSED)
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

static void kernel_metadata_survives_a_round_trip(void **state UNUSED)
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

static void malformed_metadata_is_damage(void **state UNUSED)
{
	static const char *const broken[] = {
		"",
		"[]",
		"{",
		"{}",
		/* no files; no vmlinux; a hash that is none; another directory's; another format */
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
		cmocka_unit_test(a_stored_kernel_has_all_files_in_its_directory),
		cmocka_unit_test(what_is_not_committed_is_removed),
		cmocka_unit_test(the_same_build_is_replaced_and_another_is_added),
		cmocka_unit_test(a_damaged_entry_is_replaced_under_its_name),
		cmocka_unit_test(the_scx_verdict_is_stored),
		cmocka_unit_test(metadata_is_read_into_a_kernel_with_paths),
		cmocka_unit_test(kernel_metadata_survives_a_round_trip),
		cmocka_unit_test(every_member_is_written_in_its_order),
		cmocka_unit_test(an_error_names_the_member),
		cmocka_unit_test(malformed_metadata_is_damage),
		cmocka_unit_test(files_must_have_their_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
