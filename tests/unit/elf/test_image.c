// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/image.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/io.h"
#include "build_elf.h"
#include "elf/debug_file.h"
#include "elf/symbol.h"
#include "elf/tls_segment.h"
#include "fixture.h"
#include "unit.h"

static void the_header_is_read(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *pie = fixture_open("gcc-pie", "prog");
	_cleanup_elf_image_ struct elf_image *fixed = fixture_open("gcc-no-pie", "prog");

#ifdef __x86_64__
	assert_int_equal(elf_image_machine(pie), EM_X86_64);
#endif
	assert_contains(elf_image_label(pie), "gcc-pie/prog");
}

static void opening_fails_with_the_right_word(void **state UNUSED)
{
	struct elf_image *img = NULL;

	assert_error_tag(elf_image_open("/nonexistent/x", &img), "io");
	assert_error_tag(elf_image_open("/proc/self", &img), "not-elf");
	assert_error_tag(elf_image_open("/dev/null", &img), "not-elf");
	assert_error_tag(elf_image_from_bytes("", 0, "x", &img), "not-elf");
	assert_error_tag(elf_image_from_bytes("#!/bin/sh", 9, "x", &img), "not-elf");
	assert_error_tag(elf_image_from_bytes("\177ELF\2\1", 6, "x", &img), "truncated");
	assert_error_tag(elf_image_from_bytes("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0", 16, "x", &img),
			 "truncated");
	assert_null(img);
}

static const char *opened_with(unsigned int at, uint8_t byte)
{
	_cleanup_elf_builder_ struct elf_builder b = { .type = ET_EXEC };
	_cleanup_error_ struct error *err = NULL;
	struct elf_image *img = NULL;

	elf_builder_section(&b, ".text", SHT_PROGBITS, 0, "x", 1);
	elf_builder_finish(&b);
	b.out.at[at] = (char)byte;
	err = elf_image_from_bytes(b.out.at, b.out.n, "made", &img);
	elf_image_free(img);
	return err ? error_domain_of(err)->kinds[error_kind_of(err)].tag : "";
}

static void other_architectures_are_told_apart_from_garbage(void **state UNUSED)
{
	assert_string_equal(opened_with(EI_CLASS, ELFCLASS64), "");
	assert_string_equal(opened_with(EI_CLASS, ELFCLASS32), "arch");
	assert_string_equal(opened_with(EI_CLASS, 0), "arch");
	assert_string_equal(opened_with(EI_DATA, ELFDATA2MSB), "arch");
	assert_string_equal(opened_with(EI_MAG1, 'X'), "not-elf");
}

static void headers_outside_the_file_are_found(void **state UNUSED)
{
	assert_string_equal(opened_with(offsetof(Elf64_Ehdr, e_shoff) + 3, 1), "truncated");
	assert_string_equal(opened_with(offsetof(Elf64_Ehdr, e_shnum), 200), "truncated");
	assert_string_equal(opened_with(offsetof(Elf64_Ehdr, e_shoff) + 7, 0xff), "truncated");
}

/* Everything this room reads without DWARF, for the damaged copies below. */
enum { MANY_SECTIONS = 100000, LONG_TABLE_BYTES = 16 << 20, NAMES = 1 };

/* A table without an end, once for each of many sections: minutes, when somebody looks for it. */
static void names_without_an_end_cost_little_and_are_none(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = NULL;
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
	Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(header),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shoff = sizeof(header),
		.e_shstrndx = NAMES,
	};
	_cleanup_free_ char *names = xcalloc(1, LONG_TABLE_BYTES);

	strbuf_append_bytes(&file, &header, sizeof(header));
	for (size_t i = 0; i < MANY_SECTIONS; i++) {
		Elf64_Shdr section = { .sh_type = i == NAMES ? SHT_STRTAB : SHT_NULL };

		if (i == 0)
			section.sh_size = MANY_SECTIONS; /* e_shnum has no room for it */
		if (i == NAMES) {
			section.sh_offset = sizeof(header) + MANY_SECTIONS * sizeof(section);
			section.sh_size = LONG_TABLE_BYTES;
		}
		strbuf_append_bytes(&file, &section, sizeof(section));
	}
	memset(names, 'n', LONG_TABLE_BYTES);
	strbuf_append_bytes(&file, names, LONG_TABLE_BYTES);
	assert_success(elf_image_from_bytes(file.at, file.n, "made", &img));
	assert_error_tag(elf_image_section(img, ".text", &(struct bytes){ 0 }), "absent");
}

static void read_all(struct elf_image *img)
{
	_cleanup_strbuf_ struct strbuf hex = STRBUF_INIT;
	struct elf_symbol symbol;
	struct elf_tls tls;

	error_free(elf_symbol_find_named(img, "je_tsd_tls", &symbol));
	error_free(elf_image_tls(img, &tls));
	error_free(elf_build_id(img, &hex));
}

static void read_fixture(const char *variant, struct strbuf *into)
{
	_cleanup_free_ char *path = fixture_path(variant, "prog");

	assert_success(io_read_file(path, 64 << 20, into));
}

static void every_prefix_of_a_real_file_is_an_error_or_right(void **state UNUSED)
{
	static const char *const variants[] = { "gcc-dwarf5", "gcc-dwarf2", "gcc-zlib",
						"clang-names", "gcc-pubtypes" };

	for (size_t v = 0; v < ARRAY_SIZE(variants); v++) {
		_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
		uint64_t expected[2];

		if (!fixture_exists(variants[v]))
			continue;
		fixture_expected(variants[v], expected);
		read_fixture(variants[v], &file);
		for (size_t n = 0; n <= file.n; n += n < 256 ? 1 : 37) {
			/* A copy of the exact size, so that the sanitizer sees a step outside. */
			_cleanup_free_ char *copy = malloc(n ? n : 1);
			_cleanup_elf_image_ struct elf_image *img = NULL;
			_cleanup_error_ struct error *err = NULL;
			uint64_t offsets[2];

			memcpy(copy, file.at, n);
			err = elf_image_from_bytes(copy, n, "cut", &img);
			if (err)
				continue;
			read_all(img);
			err = elf_member_lookup_in_image(img, &tsd_query, offsets);
			if (!err)
				assert_memory_equal(offsets, expected, sizeof(offsets));
		}
	}
}

static void a_file_cut_while_open_is_truncated_not_fatal(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
	_cleanup_close_ int fd = memfd_create("cut", MFD_CLOEXEC);
	_cleanup_elf_image_ struct elf_image *img = NULL;
	uint64_t offsets[2];

	read_fixture("gcc-dwarf5", &file);
	assert_int_equal(write(fd, file.at, file.n), (ssize_t)file.n);
	assert_success(elf_image_open_fd(fd, "cut", &img));
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_error_tag(elf_member_lookup_in_image(img, &tsd_query, offsets), "truncated");
}

static void the_descriptor_stays_the_callers(void **state UNUSED)
{
	_cleanup_free_ char *path = fixture_path("gcc-dwarf5", "prog");
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_image *img = NULL;

	assert_success(elf_image_open_fd(fd, "x", &img));
	elf_image_free(img);
	assert_true(fcntl(fd, F_GETFD) >= 0);
}

static void every_tag_is_there_and_different(void **state UNUSED)
{
	for (int i = 0; i < ELF_N_ERROR_KINDS; i++) {
		assert_non_null(elf_error_domain.kinds[i].tag);
		assert_true(strlen(elf_error_domain.kinds[i].meaning) > 0);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(elf_error_domain.kinds[i].tag,
						elf_error_domain.kinds[j].tag);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_header_is_read),
		cmocka_unit_test(opening_fails_with_the_right_word),
		cmocka_unit_test(other_architectures_are_told_apart_from_garbage),
		cmocka_unit_test(headers_outside_the_file_are_found),
		cmocka_unit_test(names_without_an_end_cost_little_and_are_none),
		cmocka_unit_test(every_prefix_of_a_real_file_is_an_error_or_right),
		cmocka_unit_test(a_file_cut_while_open_is_truncated_not_fatal),
		cmocka_unit_test(the_descriptor_stays_the_callers),
		cmocka_unit_test(every_tag_is_there_and_different),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
