// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/glibc_facts.h"

#include <dlfcn.h>

#include "target.h"

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
	struct glibc_facts facts;

	assert_success(elf_image_open(path, &image));
	glibc_facts_read(image, &facts);
	for (int i = 0; i < N_GLIBC_DESCRIPTORS; i++) {
		const uint32_t *live = dlsym(RTLD_DEFAULT, glibc_descriptor_names[i]);

		assert_int_equal(facts.descriptors[i].found, live != NULL);
		if (!live)
			continue;
		assert_int_equal(facts.descriptors[i].bits, live[0]);
		assert_int_equal(facts.descriptors[i].offset, live[2]);
	}
	assert_true(facts.descriptors[GLIBC_PTHREAD_TID].found);
	/* That one is the loader's. */
	assert_false(facts.symbols[GLIBC_SYMBOL_RTLD_GLOBAL].found);
	assert_true(glibc_facts_define(&facts, "_thread_db_pthread_tid"));
	assert_false(glibc_facts_define(&facts, "_rtld_global"));
	/* It does, but nobody wrote that down. */
	assert_false(glibc_facts_define(&facts, "malloc"));
}

static void another_object_says_nothing(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *image = NULL;
	struct glibc_facts facts;

	assert_success(elf_image_open(target_path("KTSTR_TLS_LIBRARY"), &image));
	memset(&facts, 0xff, sizeof(facts));
	glibc_facts_read(image, &facts);
	for (int i = 0; i < N_GLIBC_DESCRIPTORS; i++)
		assert_false(facts.descriptors[i].found);
	for (int i = 0; i < N_GLIBC_SYMBOLS; i++)
		assert_false(facts.symbols[i].found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptors_are_those_of_the_library),
		cmocka_unit_test(another_object_says_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
