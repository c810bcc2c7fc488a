// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/closure_internal.h"

#include <elf.h>
#include <stdlib.h>

#include "base/io.h"
#include "made_dynamic.h"
#include "made_ld_cache.h"
#include "unit.h"

static void origin_lib_and_platform_are_expanded_with_and_without_braces(void **state UNUSED)
{
	static const struct {
		const char *text, *wanted;
	} rows[] = {
		{ "$ORIGIN/../lib", "/opt/app/bin/../lib" },
		{ "${ORIGIN}lib", "/opt/app/binlib" },
		{ "/usr/$LIB/x", "/usr/lib/x86_64-linux-gnu/x" },
		{ "/p/${PLATFORM}", "/p/x86_64" },
		{ "/a/$LIBRARY", "/a/$LIBRARY" },
		{ "/a/$LIB2", "/a/$LIB2" },
		{ "/a/$", "/a/$" },
		{ "/a/${ORIGIN", "/a/${ORIGIN" },
		{ "/a/${}", "/a/${}" },
		{ "/a/$HOME", "/a/$HOME" },
		{ "$ORIGIN$ORIGIN", "/opt/app/bin/opt/app/bin" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		assert_true(elf_closure_expand(rows[i].text, strlen(rows[i].text), "/opt/app/bin",
					       EM_X86_64, &s));
		assert_string_equal(strbuf_str(&s), rows[i].wanted);
	}
}

static void relative_directories_of_a_search_path_are_skipped(void **state UNUSED)
{
	const char *at = "/a::relative:$ORIGIN/b:.:/c/$PLATFORM:";
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	assert_true(elf_closure_next_directory(&at, "/o", EM_AARCH64, &s));
	assert_string_equal(strbuf_str(&s), "/a");
	assert_true(elf_closure_next_directory(&at, "/o", EM_AARCH64, &s));
	assert_string_equal(strbuf_str(&s), "/o/b");
	assert_true(elf_closure_next_directory(&at, "/o", EM_AARCH64, &s));
	assert_string_equal(strbuf_str(&s), "/c/aarch64");
	assert_false(elf_closure_next_directory(&at, "/o", EM_AARCH64, &s));
	at = NULL;
	assert_false(elf_closure_next_directory(&at, "/o", EM_AARCH64, &s));
}

static void expansions_longer_than_a_path_are_skipped(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, s = STRBUF_INIT, origin = STRBUF_INIT;
	const char *at;

	strbuf_append_char(&origin, '/');
	strbuf_append_repeated(&origin, 'o', 1000);
	for (int i = 0; i < 100; i++)
		strbuf_append(&text, "$ORIGIN");
	strbuf_append(&text, ":/after");
	at = strbuf_str(&text);
	assert_true(elf_closure_next_directory(&at, strbuf_str(&origin), EM_X86_64, &s));
	assert_string_equal(strbuf_str(&s), "/after");
}

static void default_library_directories_depend_on_the_machine(void **state UNUSED)
{
	assert_string_equal(elf_closure_default_directories(EM_X86_64)[0], "/lib/x86_64-linux-gnu");
	assert_string_equal(elf_closure_default_directories(EM_AARCH64)[0],
			    "/lib/aarch64-linux-gnu");
}

static struct bytes over(const struct strbuf *s)
{
	return (struct bytes){ (const uint8_t *)strbuf_str(s), s->n };
}

static const struct made_cache_row rows[] = {
	{ "libz.so.1", "/hwcaps/libz.so.1", 0x0303, UINT64_C(1) << 62 },
	{ "libz.so.1", "/lib32/libz.so.1", 0x0003, 0 },
	{ "libz.so.1", "/arm/libz.so.1", 0x0a03, 0 },
	{ "libz.so.1", "/lib/x86_64-linux-gnu/libz.so.1", 0x0303, 0 },
	{ "liba.so.2", "/opt/liba.so.2", 0x0303, 0 },
};

static void library_of_the_machine_is_found(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct elf_ld_cache cache;

	made_ld_cache_append(rows, ARRAY_SIZE(rows), &s);
	assert_success(elf_ld_cache_parse(over(&s), &cache));
	assert_string_equal(elf_ld_cache_find(&cache, EM_X86_64, "libz.so.1"),
			    "/lib/x86_64-linux-gnu/libz.so.1");
	assert_string_equal(elf_ld_cache_find(&cache, EM_AARCH64, "libz.so.1"), "/arm/libz.so.1");
	assert_string_equal(elf_ld_cache_find(&cache, EM_X86_64, "liba.so.2"), "/opt/liba.so.2");
	assert_null(elf_ld_cache_find(&cache, EM_AARCH64, "liba.so.2"));
	assert_null(elf_ld_cache_find(&cache, EM_X86_64, "liba.so"));
}

static void the_older_table_is_skipped(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct elf_ld_cache cache;

	strbuf_append_bytes(&s, "ld.so-1.7.0", 12);
	made_u32(&s, 3);
	strbuf_append_repeated(&s, 'x', 3 * 12);
	strbuf_append_repeated(&s, 0, -s.n & 7);
	made_ld_cache_append(rows, ARRAY_SIZE(rows), &s);
	assert_success(elf_ld_cache_parse(over(&s), &cache));
	assert_string_equal(elf_ld_cache_find(&cache, EM_X86_64, "liba.so.2"), "/opt/liba.so.2");
}

static void a_truncated_ld_cache_is_refused_or_harmless(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct elf_ld_cache cache;

	made_ld_cache_append(rows, ARRAY_SIZE(rows), &s);
	for (size_t n = 0; n < s.n; n++) {
		_cleanup_free_ uint8_t *exact = malloc(n ? n : 1);
		struct error *err;

		memcpy(exact, s.at, n);
		err = elf_ld_cache_parse((struct bytes){ exact, n }, &cache);
		if (n < 48 + 24 * ARRAY_SIZE(rows))
			assert_error_tag(err, "parse");
		else
			assert_null(elf_ld_cache_find(&cache, EM_X86_64, "liba.so.2"));
	}
}

static void ld_cache_offsets_outside_the_file_are_ignored(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct elf_ld_cache cache;

	made_ld_cache_append(rows, ARRAY_SIZE(rows), &s);
	memset(s.at + 48 + 4 * 24 + 8, 0xff, 4);
	assert_success(elf_ld_cache_parse(over(&s), &cache));
	assert_null(elf_ld_cache_find(&cache, EM_X86_64, "liba.so.2"));
	memset(s.at + 48 + 4 * 24 + 4, 0xff, 4);
	assert_null(elf_ld_cache_find(&cache, EM_X86_64, "liba.so.2"));
}

static void other_files_are_refused(void **state UNUSED)
{
	struct elf_ld_cache cache;

	assert_error_tag(elf_ld_cache_parse((struct bytes){ (const uint8_t *)"", 0 }, &cache),
			 "parse");
	assert_error_tag(
		elf_ld_cache_parse((struct bytes){ (const uint8_t *)"# text of some length, so "
								    "that it is no header\n",
						   47 },
				   &cache),
		"parse");
}

/* ldconfig -p prints "\tlibc.so.6 (libc6,x86-64) => /lib/x86_64-linux-gnu/libc.so.6". */
static void ld_cache_agrees_with_ldconfig(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct elf_ld_cache cache;
	char line[1024], name[512], path[512];
	unsigned int compared = 0;
	FILE *pipe;

	skip_unless(access("/etc/ld.so.cache", R_OK) == 0 && access("/sbin/ldconfig", X_OK) == 0,
		    "no cache or no ldconfig here");
	assert_success(io_read_file("/etc/ld.so.cache", 64 << 20, &s));
	assert_success(elf_ld_cache_parse(over(&s), &cache));
	pipe = popen("/sbin/ldconfig -p", "r");
	assert_non_null(pipe);
	while (fgets(line, sizeof(line), pipe)) {
		if (sscanf(line, " %511s (libc6,x86-64) => %511s", name, path) != 2)
			continue;
		compared++;
		/* Two directories may hold one name; the first is the one that counts. */
		if (strcmp(elf_ld_cache_find(&cache, EM_X86_64, name), path) != 0)
			assert_string_equal(strrchr(path, '/') + 1, name);
	}
	assert_int_equal(pclose(pipe), 0);
	assert_true(compared > 0);
}

static struct error *read_made(const struct made_dynamic *m, struct elf_dynamic **ret)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_elf_image_ struct elf_image *img = NULL;

	made_dynamic_append(m, &bytes);
	assert_success(elf_image_from_bytes(bytes.at, bytes.n, "made", &img));
	return elf_dynamic_read(img, ret);
}

static void interpreter_soname_rpath_and_needed_are_read(void **state UNUSED)
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
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(origin_lib_and_platform_are_expanded_with_and_without_braces),
		cmocka_unit_test(relative_directories_of_a_search_path_are_skipped),
		cmocka_unit_test(expansions_longer_than_a_path_are_skipped),
		cmocka_unit_test(default_library_directories_depend_on_the_machine),
		cmocka_unit_test(library_of_the_machine_is_found),
		cmocka_unit_test(the_older_table_is_skipped),
		cmocka_unit_test(a_truncated_ld_cache_is_refused_or_harmless),
		cmocka_unit_test(ld_cache_offsets_outside_the_file_are_ignored),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(ld_cache_agrees_with_ldconfig),
		cmocka_unit_test(interpreter_soname_rpath_and_needed_are_read),
		cmocka_unit_test(runpath_silences_rpath),
		cmocka_unit_test(names_outside_the_table_are_refused),
		cmocka_unit_test(a_table_outside_the_file_is_refused),
		cmocka_unit_test(a_program_without_wishes_gives_an_empty_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
