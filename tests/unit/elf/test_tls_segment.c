// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/tls_segment.h"

#include "build_elf.h"
#include "fixture.h"
#include "unit.h"

static void a_real_segment_holds_the_compilers_struct(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-pie", "prog");
	struct elf_tls tls;
	uint64_t size, align;

	fixture_expected_size("gcc-pie", &size, &align);
	assert_success(elf_image_tls(img, &tls));
	assert_int_equal(tls.memsz, size);
	assert_true(tls.align >= align && (tls.align & (tls.align - 1)) == 0);
	assert_int_equal(tls.aligned_memsz % tls.align, 0);
	assert_true(tls.aligned_memsz >= tls.memsz && tls.aligned_memsz - tls.memsz < tls.align);
}

static void an_object_without_it_has_none(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-no-tls", "prog");
	struct elf_tls tls;

	assert_error_tag(elf_image_tls(img, &tls), "absent");
}

static const char *tls_of(uint64_t memsz, uint64_t align, struct elf_tls *ret)
{
	_cleanup_elf_builder_ struct elf_builder b = { .type = ET_EXEC };
	_cleanup_elf_image_ struct elf_image *img = NULL;
	_cleanup_error_ struct error *err = NULL;
	Elf64_Phdr *ph;

	elf_builder_segment(&b, PT_LOAD)->p_memsz = 77;
	ph = elf_builder_segment(&b, PT_TLS);
	ph->p_memsz = memsz;
	ph->p_align = align;
	ph->p_vaddr = 0x1234;
	img = elf_builder_open(&b);
	err = elf_image_tls(img, ret);
	return err ? error_domain_of(err) == &base_error_domain
			       ? base_error_domain.kinds[error_kind_of(err)].tag
			       : "other"
		   : "";
}

static void sizes_are_rounded_up_to_the_alignment(void **state UNUSED)
{
	static const uint64_t rows[][3] = { /* memsz, align, rounded */
					    { 0, 0, 0 },
					    { 0, 1, 0 },
					    { 7, 8, 8 },
					    { 8, 8, 8 },
					    { 9, 8, 16 },
					    { 100, 64, 128 },
					    { UINT64_MAX, 1, UINT64_MAX }
	};
	struct elf_tls tls;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_string_equal(tls_of(rows[i][0], rows[i][1], &tls), "");
		assert_int_equal(tls.aligned_memsz, rows[i][2]);
		assert_int_equal(tls.align, rows[i][1] ? rows[i][1] : 1);
		assert_int_equal(tls.vaddr, 0x1234);
	}
}

static void nonsense_is_refused_and_writes_nothing(void **state UNUSED)
{
	struct elf_tls tls = { .memsz = 42 };

	assert_string_equal(tls_of(16, 3, &tls), "parse");
	assert_string_equal(tls_of(16, 24, &tls), "parse");
	assert_string_equal(tls_of(UINT64_MAX, 2, &tls), "parse");
	assert_int_equal(tls.memsz, 42);
}

static void the_bias_comes_from_the_segment_behind_the_offset(void **state UNUSED)
{
	_cleanup_elf_builder_ struct elf_builder b = { .type = ET_DYN };
	_cleanup_elf_image_ struct elf_image *img = NULL;
	struct elf_load loads[4];
	Elf64_Phdr *ph;
	uint64_t bias = 7;

	ph = elf_builder_segment(&b, PT_LOAD);
	ph->p_filesz = 0x1000;
	ph = elf_builder_segment(&b, PT_LOAD);
	ph->p_offset = 0x2db8;
	ph->p_vaddr = 0x3db8;
	ph->p_filesz = 0x300;
	img = elf_builder_open(&b);
	assert_int_equal(elf_image_loads(img, loads, 1), 1);
	assert_int_equal(elf_image_loads(img, loads, ARRAY_SIZE(loads)), 2);
	assert_true(elf_load_bias(loads, 2, 0x7f0000000000, 0, &bias));
	assert_int_equal(bias, 0x7f0000000000);
	/* The kernel maps whole pages: offset 0x2db8 is mapped from 0x2000 on. */
	assert_int_equal(loads[1].offset, 0x2db8);
	assert_true(elf_load_bias(loads, 2, 0x7f0000003000, 0x2000, &bias));
	assert_int_equal(bias, 0x7f0000000000);
	bias = 7;
	assert_false(elf_load_bias(loads, 2, 0x7f0000003000, 0x9000, &bias));
	assert_false(elf_load_bias(loads, 1, 0x7f0000003000, 0x2000, &bias));
	assert_int_equal(bias, 7);
}

static void bytes_behind_an_address_come_from_the_file(void **state UNUSED)
{
	_cleanup_elf_builder_ struct elf_builder b = { .type = ET_EXEC };
	_cleanup_elf_image_ struct elf_image *img = NULL;
	Elf64_Phdr *ph;
	char buf[5] = "";
	uint64_t offset =
		elf_builder_section(&b, ".rodata", SHT_PROGBITS, 0, "hello", 5)->sh_offset;

	ph = elf_builder_segment(&b, PT_LOAD);
	ph->p_offset = offset;
	ph->p_vaddr = 0x400000;
	ph->p_filesz = 5;
	ph->p_memsz = 4096;
	img = elf_builder_open(&b);
	assert_success(elf_image_read_vaddr(img, 0x400001, buf, 4));
	assert_memory_equal(buf, "ello", 5);
	assert_error_tag(elf_image_read_vaddr(img, 0x400001, buf, 5), "absent");
	assert_error_tag(elf_image_read_vaddr(img, 0x3fffff, buf, 1), "absent");
	assert_error_tag(elf_image_read_vaddr(img, 0x400005, buf, 1), "absent");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_real_segment_holds_the_compilers_struct),
		cmocka_unit_test(an_object_without_it_has_none),
		cmocka_unit_test(sizes_are_rounded_up_to_the_alignment),
		cmocka_unit_test(nonsense_is_refused_and_writes_nothing),
		cmocka_unit_test(the_bias_comes_from_the_segment_behind_the_offset),
		cmocka_unit_test(bytes_behind_an_address_come_from_the_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
