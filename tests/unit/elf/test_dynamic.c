// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/closure_internal.h"

#include "made_dynamic.h"
#include "unit.h"

static struct error *read_made(const struct made_dynamic *m, struct elf_dynamic **ret)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_elf_image_ struct elf_image *img = NULL;

	made_dynamic_append(m, &bytes);
	assert_success(elf_image_from_bytes(bytes.at, bytes.n, "made", &img));
	return elf_dynamic_read(img, ret);
}

static void every_wish_is_read(void **state UNUSED)
{
	static const struct made_dynamic m = {
		.interpreter = "/lib64/ld-linux-x86-64.so.2",
		.soname = "libself.so.1",
		.rpath = "$ORIGIN/../lib:/opt/lib",
		.needed = { "liba.so.1", "libc.so.6" },
	};
	_cleanup_elf_dynamic_ struct elf_dynamic *d = NULL;

	assert_success(read_made(&m, &d));
	assert_string_equal(d->interpreter, "/lib64/ld-linux-x86-64.so.2");
	assert_string_equal(d->soname, "libself.so.1");
	assert_string_equal(d->rpath, "$ORIGIN/../lib:/opt/lib");
	assert_null(d->runpath);
	assert_int_equal(d->n_needed, 2);
	assert_string_equal(d->needed[0], "liba.so.1");
	assert_string_equal(d->needed[1], "libc.so.6");
	assert_false(d->no_default_directories);
}

static void runpath_silences_rpath(void **state UNUSED)
{
	static const struct made_dynamic m = { .rpath = "/a",
					       .runpath = "/b",
					       .flags_1 = DF_1_NODEFLIB };
	_cleanup_elf_dynamic_ struct elf_dynamic *d = NULL;

	assert_success(read_made(&m, &d));
	assert_null(d->rpath);
	assert_string_equal(d->runpath, "/b");
	assert_true(d->no_default_directories);
	assert_null(d->interpreter);
}

static void names_outside_the_table_are_refused(void **state UNUSED)
{
	static const struct made_dynamic beyond = { .needed = { "liba.so" },
						    .needed_offset = 4096 },
					 wraps = { .needed = { "liba.so" },
						   .needed_offset = UINT64_MAX },
					 endless = { .needed = { "liba.so" }, .string_bytes = 4 };
	struct elf_dynamic *d = NULL;

	assert_error_tag(read_made(&beyond, &d), "malformed");
	assert_error_tag(read_made(&wraps, &d), "malformed");
	assert_error_tag(read_made(&endless, &d), "malformed");
	assert_null(d);
}

static void a_table_outside_the_file_is_refused(void **state UNUSED)
{
	static const struct made_dynamic m = { .needed = { "liba.so" },
					       .string_bytes = UINT64_MAX,
					       .needed_offset = UINT64_C(1) << 40 };
	struct elf_dynamic *d = NULL;

	assert_error_tag(read_made(&m, &d), "absent");
}

static void a_program_without_wishes_gives_an_empty_value(void **state UNUSED)
{
	Elf64_Ehdr eh = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				       EV_CURRENT },
			  .e_type = ET_EXEC,
			  .e_machine = EM_X86_64,
			  .e_version = EV_CURRENT,
			  .e_ehsize = sizeof(eh) };
	_cleanup_elf_image_ struct elf_image *img = NULL;
	_cleanup_elf_dynamic_ struct elf_dynamic *d = NULL;

	assert_success(elf_image_from_bytes(&eh, sizeof(eh), "static", &img));
	assert_success(elf_dynamic_read(img, &d));
	assert_int_equal(d->n_needed, 0);
	assert_null(d->interpreter);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_wish_is_read),
		cmocka_unit_test(runpath_silences_rpath),
		cmocka_unit_test(names_outside_the_table_are_refused),
		cmocka_unit_test(a_table_outside_the_file_is_refused),
		cmocka_unit_test(a_program_without_wishes_gives_an_empty_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
