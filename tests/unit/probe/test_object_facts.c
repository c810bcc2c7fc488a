// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/object_facts.h"

#include <dlfcn.h>
#include <elf.h>

#include "elf/debug_file.h"
#include "jemalloc_target.h"
#include "probe/tracer.h"
#include "target.h"

static void read_facts(const char *path, struct elf_image **image, struct probe_object_facts *ret)
{
	assert_success(elf_image_open(path, image));
	memset(ret, 0xff, sizeof(*ret));
	assert_success(probe_object_facts_read(*image, NULL, ret));
}

static void a_program_without_jemalloc_shows_no_sign_of_it(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *image = NULL;
	_cleanup_strbuf_ struct strbuf hex = STRBUF_INIT;
	struct probe_object_facts facts;

	read_facts(target_path("KTSTR_TARGET"), &image, &facts);
	assert_int_equal(facts.machine, PROBE_ARCH_MACHINE);
	assert_true(facts.n_loads >= 2);
	assert_false(facts.is_jemalloc || facts.signs.has_symbol || facts.is_complete);
	assert_string_equal(facts.symbol_name, "");
	assert_string_equal(facts.build_id, "");
	probe_object_facts_complete(image, &facts);
	assert_true(facts.is_complete);
	assert_success(elf_build_id(image, &hex));
	assert_string_equal(facts.build_id, strbuf_str(&hex));
}

static void a_static_program_has_all_of_it(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *image = NULL;
	struct probe_object_facts facts;
	struct probe_counter_offsets offsets = { 0 };
	struct elf_debug_place place = { .path = getenv("KTSTR_JEMALLOC_TARGET"), .ns_root = "/" };

	skip_without_jemalloc();
	read_facts(place.path, &image, &facts);
	place.image = image;
	assert_true(facts.is_jemalloc && facts.has_tls && facts.signs.has_symbol);
	assert_true(probe_jemalloc_is_tsd_symbol(facts.symbol_name, strlen(facts.symbol_name)));
	/* What the image lends must not be in it: the facts outlive the image. */
	assert_null(facts.signs.symbol_name);
	assert_success(probe_counter_offsets_read(&place, &facts, NULL, &offsets, NULL));
	assert_true(offsets.allocated < offsets.deallocated);
	assert_true(offsets.deallocated + 8 <= facts.tls.memsz);
	assert_true(offsets.allocated >= facts.signs.symbol_offset);
	assert_true(offsets.deallocated < facts.signs.symbol_offset + facts.signs.symbol_bytes);
}

static void offsets_outside_the_storage_are_refused(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *image = NULL;
	struct probe_object_facts facts;
	struct probe_counter_offsets offsets = { 7, 7 };
	struct elf_debug_place place = { .path = getenv("KTSTR_JEMALLOC_TARGET"), .ns_root = "/" };

	skip_without_jemalloc();
	read_facts(place.path, &image, &facts);
	place.image = image;
	facts.signs.symbol_offset = facts.tls.memsz;
	assert_error_tag(probe_counter_offsets_read(&place, &facts, NULL, &offsets, NULL),
			 "bad-dwarf");
	facts.signs.symbol_offset = UINT64_MAX;
	assert_error_tag(probe_counter_offsets_read(&place, &facts, NULL, &offsets, NULL),
			 "bad-dwarf");
	assert_int_equal(offsets.allocated, 7);
}

static void a_program_without_debug_information_says_so(void **state UNUSED)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_elf_image_ struct elf_image *image = NULL;
	struct probe_object_facts facts;
	struct probe_counter_offsets offsets;
	_cleanup_error_ struct error *err = NULL;
	struct elf_debug_place place;

	skip_without_jemalloc();
	path = stripped_copy("--strip-debug");
	read_facts(path, &image, &facts);
	place = (struct elf_debug_place){ .image = image, .path = path, .ns_root = "/" };
	err = probe_counter_offsets_read(&place, &facts, NULL, &offsets, NULL);
	assert_non_null(err);
	assert_true(facts.is_jemalloc);
	unlink(path);
}

static char *our_libc(void)
{
	Dl_info info;

	assert_true(dladdr(dlsym(RTLD_DEFAULT, "_thread_db_pthread_tid"), &info) != 0);
	return realpath(info.dli_fname, NULL);
}

/* Our own libc as our own loader shows it is the oracle. */
static void descriptors_are_those_of_the_library(void **state UNUSED)
{
	_cleanup_free_ char *path = our_libc();
	_cleanup_elf_image_ struct elf_image *image = NULL;
	struct probe_glibc_facts facts;

	assert_success(elf_image_open(path, &image));
	probe_glibc_facts_read(image, &facts);
	for (int i = 0; i < PROBE_N_GLIBC_DESCRIPTORS; i++) {
		const uint32_t *live = dlsym(RTLD_DEFAULT, probe_glibc_descriptor_names[i]);

		assert_int_equal(facts.descriptors[i].found, live != NULL);
		if (!live)
			continue;
		assert_int_equal(facts.descriptors[i].bits, live[0]);
		assert_int_equal(facts.descriptors[i].offset, live[2]);
	}
	assert_true(facts.descriptors[PROBE_GLIBC_PTHREAD_TID].found);
	/* That one is the loader's. */
	assert_false(facts.symbols[PROBE_GLIBC_SYMBOL_RTLD_GLOBAL].found);
	assert_true(probe_glibc_facts_define(&facts, "_thread_db_pthread_tid"));
	assert_false(probe_glibc_facts_define(&facts, "_rtld_global"));
	/* It does, but nobody wrote that down. */
	assert_false(probe_glibc_facts_define(&facts, "malloc"));
}

static void an_object_that_is_not_glibc_has_no_facts(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *image = NULL;
	struct probe_glibc_facts facts;

	assert_success(elf_image_open(target_path("KTSTR_TLS_LIBRARY"), &image));
	memset(&facts, 0xff, sizeof(facts));
	probe_glibc_facts_read(image, &facts);
	for (int i = 0; i < PROBE_N_GLIBC_DESCRIPTORS; i++)
		assert_false(facts.descriptors[i].found);
	for (int i = 0; i < PROBE_N_GLIBC_SYMBOLS; i++)
		assert_false(facts.symbols[i].found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_without_jemalloc_shows_no_sign_of_it),
		cmocka_unit_test(a_static_program_has_all_of_it),
		cmocka_unit_test(offsets_outside_the_storage_are_refused),
		cmocka_unit_test(a_program_without_debug_information_says_so),
		cmocka_unit_test(descriptors_are_those_of_the_library),
		cmocka_unit_test(an_object_that_is_not_glibc_has_no_facts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
