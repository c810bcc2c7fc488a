// SPDX-License-Identifier: GPL-2.0-or-later
#include "inspect/source.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/io.h"
#include "unit.h"
#include "vm/run/run.h"
#include "vm/template/template.h"

enum { RAM_BYTES = 8 << 20, MARK_AT = 0x200000 };

static char dir[64];

static char *in_dir(const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

static int make_dir(void **state UNUSED)
{
	_cleanup_free_ char *ram = NULL;
	int fd;

	strcpy(dir, "/tmp/ktstr-source-XXXXXX");
	if (!mkdtemp(dir) || setenv("KTSTR_RUN_DIR", dir, 1) != 0)
		return -1;
	ram = in_dir("ram.0");
	fd = open(ram, O_CREAT | O_RDWR, 0600);
	if (fd < 0 || ftruncate(fd, RAM_BYTES) != 0 || pwrite(fd, "mark", 4, MARK_AT) != 4)
		return -1;
	return close(fd);
}

static int remove_dir(void **state UNUSED)
{
	static const char *const names[] = { "ram.0", "template.json", "vm.json", "empty", "vm" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *path = in_dir(names[i]);

		remove(path);
	}
	return rmdir(dir);
}

static void assert_marked(const struct inspect_source *source)
{
	char mark[4];

	assert_int_equal(source->reader.read(&source->reader, MARK_AT, mark, 4), KMEM_READ_OK);
	assert_memory_equal(mark, "mark", 4);
	/* Between 640 KiB and 1 MiB is no RAM. */
	assert_int_equal(source->reader.read(&source->reader, 0xb0000, mark, 4), KMEM_READ_OUTSIDE);
	assert_int_equal(source->note.n, 0);
}

static void a_file_of_ram_is_laid_out_as_q35_has_it(void **state UNUSED)
{
	_cleanup_free_ char *path = in_dir("ram.0");
	_cleanup_inspect_source_ struct inspect_source source = INSPECT_SOURCE_NONE;

	assert_success(inspect_open(path, false, &source));
	assert_marked(&source);
}

static void a_template_is_opened_by_directory_json_or_ram_file(void **state UNUSED)
{
	static const char *const names[] = { "", "template.json", "ram.0" };
	uint64_t ram_bytes = RAM_BYTES;
	struct vm_template_description d = { .key = (char *)"key",
					     .proof = { .nonce = { 1 },
							.generation = 1,
							.monotonic_ns = 1,
							.monotonic_limit_ns = 2 },
					     .state_bytes = 1,
					     .ram_bytes = { &ram_bytes, 1 } };
	_cleanup_free_ char *json = in_dir("template.json");

	assert_success(vm_template_description_write(&d, json));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *path = in_dir(names[i]);
		_cleanup_inspect_source_ struct inspect_source source = INSPECT_SOURCE_NONE;

		assert_success(inspect_open(path, false, &source));
		assert_marked(&source);
	}
	assert_int_equal(remove(json), 0);
}

static void a_vm_description_locates_its_ram(void **state UNUSED)
{
	struct vm_run_info info = { .id = (char *)"0123abcd",
				    .owner = vm_run_process_of(getpid()),
				    .started_at_sec = 1 };
	_cleanup_free_ char *json = in_dir("vm.json"), *ram = in_dir("ram.0");
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_inspect_source_ struct inspect_source source = INSPECT_SOURCE_NONE;

	vec_push(&info.ram, (struct vm_run_ram){ .guest_address = 1 << 20,
						 .size_bytes = RAM_BYTES - (1 << 20),
						 .file = take_ptr(ram),
						 .offset_bytes = 1 << 20 });
	vm_run_info_format(&info, &text);
	info.id = NULL;
	vm_run_info_deinit(&info);
	assert_success(io_replace_file(json, text.at, text.n));
	assert_success(inspect_open(json, false, &source));
	assert_marked(&source);
}

static void a_source_that_is_missing_or_empty_is_an_error(void **state UNUSED)
{
	_cleanup_free_ char *empty = in_dir("empty"), *none = in_dir("none");
	_cleanup_inspect_source_ struct inspect_source source = INSPECT_SOURCE_NONE;

	assert_error_tag(inspect_open(none, false, &source), "io");
	assert_success(io_replace_file(empty, "", 0));
	assert_error_tag(inspect_open(empty, false, &source), "parse");
	assert_success(io_replace_file(empty, "\177ELF", 4));
	assert_error_tag(inspect_open(empty, false, &source), "not-elf");
	assert_error_tag(inspect_open("vm:zz", false, &source), "absent");
	assert_int_equal(source.fd, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_of_ram_is_laid_out_as_q35_has_it),
		cmocka_unit_test(a_template_is_opened_by_directory_json_or_ram_file),
		cmocka_unit_test(a_vm_description_locates_its_ram),
		cmocka_unit_test(a_source_that_is_missing_or_empty_is_an_error),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
