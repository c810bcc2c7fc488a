// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/closure_internal.h"

#include <elf.h>
#include <stdlib.h>

#include "base/io.h"
#include "made_ld_cache.h"
#include "unit.h"

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

static void every_shorter_cache_is_survived(void **state UNUSED)
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

static void offsets_outside_are_no_names(void **state UNUSED)
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
static void ldconfig_says_the_same(void **state UNUSED)
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
		/* Two folders may hold one name; the first is the one that counts. */
		if (strcmp(elf_ld_cache_find(&cache, EM_X86_64, name), path) != 0)
			assert_string_equal(strrchr(path, '/') + 1, name);
	}
	assert_int_equal(pclose(pipe), 0);
	assert_true(compared > 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(library_of_the_machine_is_found),
		cmocka_unit_test(the_older_table_is_skipped),
		cmocka_unit_test(every_shorter_cache_is_survived),
		cmocka_unit_test(offsets_outside_are_no_names),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(ldconfig_says_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
