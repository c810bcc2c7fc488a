// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/image.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/io.h"
#include "build_elf.h"
#include "elf/debug_file.h"
#include "elf/symbol.h"
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

static void opening_a_file_that_is_not_elf_fails_with_its_tag(void **state UNUSED)
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

static void other_architectures_differ_from_garbage(void **state UNUSED)
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
static void unterminated_section_names_match_no_section(void **state UNUSED)
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

static void impossible_tls_segments_are_refused(void **state UNUSED)
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

static void loadable_read_fixture(const char *name, struct strbuf *into)
{
	_cleanup_free_ char *path = xasprintf("%s/%s/prog", getenv("ELF_FIXTURES"), name);

	assert_success(io_read_file(path, 64 << 20, into));
}

static struct bytes bytes_of(const struct strbuf *text)
{
	return (struct bytes){ (const uint8_t *)text->at, text->n };
}

/* The kernel is the judge: it runs the same, with the same answer. */
static int run(const struct strbuf *program)
{
	_cleanup_free_ char *command = NULL;
	char path[] = "/tmp/ktstr-loadable-XXXXXX";
	int fd = mkstemp(path), status;

	assert_true(fd >= 0);
	assert_success(io_write_all(fd, path, program->at, program->n));
	assert_int_equal(fchmod(fd, 0700), 0);
	close(fd);
	command = xasprintf("%s >/dev/null", path);
	status = system(command);
	unlink(path);
	return status;
}

static void a_static_program_runs_without_the_rest(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf whole = STRBUF_INIT, loaded = STRBUF_INIT;

	loadable_read_fixture("gcc-static", &whole);
	assert_true(elf_loadable(bytes_of(&whole), &loaded));
	assert_true(loaded.n < whole.n);
	assert_int_equal(run(&loaded), run(&whole));
	/* Not that both could not be run at all. */
	assert_true(WIFEXITED(run(&loaded)) && WEXITSTATUS(run(&loaded)) != 126 &&
		    WEXITSTATUS(run(&loaded)) != 127);
}

static void a_program_with_an_interpreter_is_left_alone(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf whole = STRBUF_INIT, loaded = STRBUF_INIT;

	loadable_read_fixture("gcc-dwarf5", &whole);
	assert_false(elf_loadable(bytes_of(&whole), &loaded));
	assert_int_equal(loaded.n, 0);
}

static void files_that_are_not_programs_are_not_reduced(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf whole = STRBUF_INIT, loaded = STRBUF_INIT;

	assert_false(elf_loadable((struct bytes){ (const uint8_t *)"#!/bin/sh\n", 10 }, &loaded));
	assert_false(elf_loadable((struct bytes){ NULL, 0 }, &loaded));
	loadable_read_fixture("gcc-static", &whole);
	/* Cut anywhere before its last segment ends: never read past the end, never half a program.
	 */
	for (size_t n = 0; n < 4096; n += 7)
		assert_false(elf_loadable((struct bytes){ (const uint8_t *)whole.at, n }, &loaded));
	assert_int_equal(loaded.n, 0);
}

static void segments_outside_the_file_are_refused(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf whole = STRBUF_INIT, loaded = STRBUF_INIT;
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	loadable_read_fixture("gcc-static", &whole);
	memcpy(&header, whole.at, sizeof(header));
	memcpy(&segment, whole.at + header.e_phoff, sizeof(segment));
	segment.p_filesz = UINT64_MAX;
	memcpy(whole.at + header.e_phoff, &segment, sizeof(segment));
	assert_false(elf_loadable(bytes_of(&whole), &loaded));
	header.e_phoff = UINT64_MAX - 8;
	memcpy(whole.at, &header, sizeof(header));
	assert_false(elf_loadable(bytes_of(&whole), &loaded));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_header_is_read),
		cmocka_unit_test(opening_a_file_that_is_not_elf_fails_with_its_tag),
		cmocka_unit_test(other_architectures_differ_from_garbage),
		cmocka_unit_test(headers_outside_the_file_are_found),
		cmocka_unit_test(unterminated_section_names_match_no_section),
		cmocka_unit_test(every_prefix_of_a_real_file_is_an_error_or_right),
		cmocka_unit_test(a_file_cut_while_open_is_truncated_not_fatal),
		cmocka_unit_test(the_descriptor_stays_the_callers),
		cmocka_unit_test(every_tag_is_there_and_different),
		cmocka_unit_test(a_real_segment_holds_the_compilers_struct),
		cmocka_unit_test(an_object_without_it_has_none),
		cmocka_unit_test(sizes_are_rounded_up_to_the_alignment),
		cmocka_unit_test(impossible_tls_segments_are_refused),
		cmocka_unit_test(the_bias_comes_from_the_segment_behind_the_offset),
		cmocka_unit_test(bytes_behind_an_address_come_from_the_file),
		cmocka_unit_test(a_static_program_runs_without_the_rest),
		cmocka_unit_test(a_program_with_an_interpreter_is_left_alone),
		cmocka_unit_test(files_that_are_not_programs_are_not_reduced),
		cmocka_unit_test(segments_outside_the_file_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
