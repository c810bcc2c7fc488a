// SPDX-License-Identifier: GPL-2.0-or-later
#include "kmem/vmcoreinfo.h"

#include "unit.h"

/* The lines that are needed, from a kernel that was booted with KASLR. */
#define NEEDED                                    \
	"OSRELEASE=6.18.15+deb13-cloud-amd64\n"   \
	"BUILD-ID=eb203b9eed7ca1a129e8f613bb39\n" \
	"PAGESIZE=4096\n"                         \
	"SYMBOL(swapper_pg_dir)=ffffffff9b02a000\n"
#define BASE "NUMBER(phys_base)=-247463936\n"

static struct error *parse(const char *text, struct kmem_vmcoreinfo *ret)
{
	return kmem_vmcoreinfo_parse((struct bytes){ (const uint8_t *)text, strlen(text) }, ret);
}

static void lines_become_values(void **state UNUSED)
{
	_cleanup_kmem_vmcoreinfo_ struct kmem_vmcoreinfo info = { 0 };
	uint64_t value = 0;

	assert_success(parse(NEEDED BASE "NUMBER(VMALLOC_START)=0xffffcedd40000000\n"
					 "NUMBER(pgtable_l5_enabled)=1\n"
					 "NUMBER(sme_mask)=0\n"
					 "SYMBOL(init_uts_ns)=ffffffff9b2e2f20\n"
					 "OFFSET(uts_namespace.name)=0\n"
					 "KERNELOFFSET=18000000\n",
			     &info));
	assert_string_equal(info.release, "6.18.15+deb13-cloud-amd64");
	assert_string_equal(info.build_id, "eb203b9eed7ca1a129e8f613bb39");
	assert_true(info.page_table == UINT64_C(0xffffffff9b02a000));
	assert_true(info.phys_base == (uint64_t)-INT64_C(247463936));
	assert_int_equal(info.kaslr_offset, 0x18000000);
	assert_int_equal(info.levels, 5);
	assert_int_equal(info.encryption_mask, 0);
	assert_true(kmem_vmcoreinfo_number(&info, "VMALLOC_START", &value));
	assert_true(value == UINT64_C(0xffffcedd40000000));
	assert_true(kmem_vmcoreinfo_symbol(&info, "init_uts_ns", &value));
	assert_true(value == UINT64_C(0xffffffff9b2e2f20));
	assert_string_equal(kmem_vmcoreinfo_find(&info, "OFFSET(uts_namespace.name)"), "0");
	assert_null(kmem_vmcoreinfo_find(&info, "OFFSET(uts_namespace"));
	assert_false(kmem_vmcoreinfo_symbol(&info, "init_uts", &value));
	assert_false(kmem_vmcoreinfo_number(&info, "init_uts_ns", &value));
}

static void older_kernels_say_less(void **state UNUSED)
{
	_cleanup_kmem_vmcoreinfo_ struct kmem_vmcoreinfo info = { 0 };

	assert_success(parse("OSRELEASE=5.1\nPAGESIZE=4096\nSYMBOL(init_top_pgt)=ffffffff82000000\n"
			     "NUMBER(phys_base)=0\nCRASHTIME=1\nno letters here: =\n",
			     &info));
	assert_null(info.build_id);
	assert_int_equal(info.levels, 4);
	assert_int_equal(info.kaslr_offset, 0);
	assert_true(info.page_table == UINT64_C(0xffffffff82000000));
}

static void missing_or_odd_lines_are_refused(void **state UNUSED)
{
	struct kmem_vmcoreinfo info;

	assert_error_tag(parse("", &info), "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED, &info), "bad-vmcoreinfo");
	assert_error_tag(parse("OSRELEASE=\nPAGESIZE=4096\nSYMBOL(swapper_pg_dir)=1\n" BASE, &info),
			 "bad-vmcoreinfo");
	assert_error_tag(
		parse("OSRELEASE=1\nPAGESIZE=65536\nSYMBOL(swapper_pg_dir)=1\n" BASE, &info),
		"bad-vmcoreinfo");
	assert_error_tag(parse("OSRELEASE=1\nPAGESIZE=4096\n" BASE, &info), "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED "NUMBER(phys_base)=\n", &info), "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED "NUMBER(phys_base)=12x\n", &info), "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED "NUMBER(phys_base)=- 5\n", &info), "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED "NUMBER(phys_base)=-9223372036854775809\n", &info),
			 "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED "NUMBER(phys_base)=18446744073709551616\n", &info),
			 "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED BASE "KERNELOFFSET=0x1\n", &info), "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED BASE "a line without a value\n", &info), "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED BASE "=1\n", &info), "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED BASE "X=\x01\n", &info), "bad-vmcoreinfo");
	assert_error_tag(parse(NEEDED BASE "X=\xc3\xa4\n", &info), "bad-vmcoreinfo");
	assert_error_tag(kmem_vmcoreinfo_parse((struct bytes){ (const uint8_t *)"A=\0", 3 }, &info),
			 "bad-vmcoreinfo");
}

static void first_of_two_lines_counts(void **state UNUSED)
{
	_cleanup_kmem_vmcoreinfo_ struct kmem_vmcoreinfo info = { 0 };

	assert_success(parse(NEEDED BASE "NUMBER(phys_base)=7\n", &info));
	assert_true(info.phys_base == (uint64_t)-INT64_C(247463936));
}

static void build_id_that_is_none_is_left_out(void **state UNUSED)
{
	_cleanup_kmem_vmcoreinfo_ struct kmem_vmcoreinfo info = { 0 };

	assert_success(parse("BUILD-ID=../../etc\n" NEEDED BASE, &info));
	assert_null(info.build_id);
}

static void too_much_text_is_refused(void **state UNUSED)
{
	static char text[KMEM_LIMIT_NOTE_BYTES + 2];
	struct kmem_vmcoreinfo info;

	for (size_t i = 0; i + 4 < sizeof(text); i += 4)
		memcpy(text + i, "A=1\n", 4);
	assert_error_tag(
		kmem_vmcoreinfo_parse((struct bytes){ (uint8_t *)text, sizeof(text) }, &info),
		"limit");
	assert_error_tag(kmem_vmcoreinfo_parse((struct bytes){ (uint8_t *)text, 4096 }, &info),
			 "bad-vmcoreinfo");
	for (size_t i = 0; i < 4096; i += 3)
		memcpy(text + i, "A=\n", 3);
	assert_error_tag(kmem_vmcoreinfo_parse((struct bytes){ (uint8_t *)text, 4095 }, &info),
			 "limit");
}

static void names_of_symbols_are_taken_out(void **state UNUSED)
{
	struct kmem_note_line line = { "SYMBOL(prb)", "ffffffff9b080700" };
	uint64_t value = 0;
	char name[4];

	assert_true(kmem_note_line_symbol(&line, name, sizeof(name), &value));
	assert_string_equal(name, "prb");
	assert_true(value == UINT64_C(0xffffffff9b080700));
	assert_false(kmem_note_line_symbol(&line, name, 3, &value));
	line.value = "ffffffff9b08070g";
	assert_false(kmem_note_line_symbol(&line, name, sizeof(name), &value));
	line = (struct kmem_note_line){ "SYMBOL()", "1" };
	assert_false(kmem_note_line_symbol(&line, name, sizeof(name), &value));
	line = (struct kmem_note_line){ "SYMBOL(a", "1" };
	assert_false(kmem_note_line_symbol(&line, name, sizeof(name), &value));
	line = (struct kmem_note_line){ "NUMBER(a)", "1" };
	assert_false(kmem_note_line_symbol(&line, name, sizeof(name), &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_become_values),
		cmocka_unit_test(older_kernels_say_less),
		cmocka_unit_test(missing_or_odd_lines_are_refused),
		cmocka_unit_test(first_of_two_lines_counts),
		cmocka_unit_test(build_id_that_is_none_is_left_out),
		cmocka_unit_test(too_much_text_is_refused),
		cmocka_unit_test(names_of_symbols_are_taken_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
