// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/session.h"

#include <inttypes.h>
#include <stdlib.h>

#include "unit.h"

/* Everything that an id is made of, to be changed one by one. */
struct variation {
	const char *suite, *test, *topology;
	const char *argv[4], *sysctls[4], *kernel_args[4];
	const char *build_id, *kernel_id;
	unsigned int memory_mb;
};

static struct exchange_text_list list_of(const char *const rows[4])
{
	struct exchange_text_list list = { .at = (char **)(uintptr_t)rows };

	while (list.n < 3 && rows[list.n])
		list.n++;
	return list;
}

static void id_of(const struct variation *v, char ret[HARNESS_VARIANT_ID_CHARS + 1])
{
	struct exchange_declared_suite suite = { .name = (char *)(uintptr_t)v->suite };
	struct exchange_declared_test test = {
		.name = (char *)(uintptr_t)v->test,
		.memory_mb = v->memory_mb,
		.scheduler = { .argv = list_of(v->argv),
			       .sysctls = list_of(v->sysctls),
			       .kernel_args = list_of(v->kernel_args) },
	};
	struct kernel kernel = { .id = (char *)(uintptr_t)v->kernel_id,
				 .build_id = (char *)(uintptr_t)v->build_id };
	struct topo topology;

	assert_success(topo_parse(v->topology, &topology));
	harness_plan_variant_id(&suite, &test, &topology, &kernel, ret);
}

static const struct variation base = {
	.suite = "mytests",
	.test = "fair",
	.topology = "1n1l2c1t",
	.argv = { "ab", "c" },
	.sysctls = { "k=1" },
	.kernel_args = { "x" },
	.build_id = "00ff",
	.kernel_id = "k",
	.memory_mb = 512,
};

/* FNV-1a as its authors write it, over bytes laid out by hand. */
static void the_id_is_the_documented_hash(void **state UNUSED)
{
	static const struct {
		uint64_t number;
		const char *text;
	} bytes[] = {
		{ 7, "mytests" }, { 4, "fair" }, { 8, "1n1l2c1t" }, { 2, "" },
		{ 2, "ab" },	  { 1, "c" },	 { 1, "" },	    { 3, "k=1" },
		{ 1, "" },	  { 1, "x" },	 { 4, "00ff" },	    { 512 << 20, "" },
	};
	uint64_t hash = UINT64_C(14695981039346656037);
	char wanted[17], id[HARNESS_VARIANT_ID_CHARS + 1];

	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		for (int shift = 0; shift < 64; shift += 8) {
			hash ^= (bytes[i].number >> shift) & 0xff;
			hash *= UINT64_C(1099511628211);
		}
		for (const char *c = bytes[i].text; *c; c++) {
			hash ^= (unsigned char)*c;
			hash *= UINT64_C(1099511628211);
		}
	}
	snprintf(wanted, sizeof(wanted), "%016" PRIx64, hash);
	id_of(&base, id);
	assert_string_equal(id, wanted);
}

static void every_part_counts_and_no_two_ways_to_cut_are_equal(void **state UNUSED)
{
	struct variation v[24];
	char ids[ARRAY_SIZE(v)][HARNESS_VARIANT_ID_CHARS + 1];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		v[i] = base;
	n++;
	v[n++].test = "fai";
	v[n++].suite = "mytest";
	v[n].test = "fairm";
	v[n++].suite = "ytests";
	v[n++].topology = "1n1l1c2t";
	v[n++].topology = "1n1l2c1t,mem=512M";
	memcpy(v[n++].argv, (const char *[4]){ "a", "bc" }, sizeof(base.argv));
	memcpy(v[n++].argv, (const char *[4]){ "abc" }, sizeof(base.argv));
	memcpy(v[n++].argv, (const char *[4]){ "ab", "c", "" }, sizeof(base.argv));
	memcpy(v[n++].argv, (const char *[4]){ NULL }, sizeof(base.argv));
	/* A row passes from one list to the next. */
	memcpy(v[n].argv, (const char *[4]){ "ab", "c", "k=1" }, sizeof(base.argv));
	memcpy(v[n++].sysctls, (const char *[4]){ NULL }, sizeof(base.argv));
	memcpy(v[n].sysctls, (const char *[4]){ "k=1", "x" }, sizeof(base.argv));
	memcpy(v[n++].kernel_args, (const char *[4]){ NULL }, sizeof(base.argv));
	memcpy(v[n++].sysctls, (const char *[4]){ NULL }, sizeof(base.argv));
	memcpy(v[n++].kernel_args, (const char *[4]){ NULL }, sizeof(base.argv));
	v[n++].build_id = "00fe";
	v[n++].build_id = NULL;
	v[n].build_id = NULL;
	v[n++].kernel_id = "other";
	v[n++].memory_mb = 0;
	v[n++].memory_mb = 1024;

	for (size_t i = 0; i < n; i++) {
		id_of(&v[i], ids[i]);
		for (size_t j = 0; j < i; j++)
			if (strcmp(ids[i], ids[j]) == 0)
				fail_msg("variations %zu and %zu share %s", i, j, ids[i]);
	}
}

static void the_kernels_folder_does_not_count_when_it_has_a_build_id(void **state UNUSED)
{
	struct variation other = base;
	char a[HARNESS_VARIANT_ID_CHARS + 1], b[HARNESS_VARIANT_ID_CHARS + 1];

	other.kernel_id = "elsewhere";
	id_of(&base, a);
	id_of(&other, b);
	assert_string_equal(a, b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_id_is_the_documented_hash),
		cmocka_unit_test(every_part_counts_and_no_two_ways_to_cut_are_equal),
		cmocka_unit_test(the_kernels_folder_does_not_count_when_it_has_a_build_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
