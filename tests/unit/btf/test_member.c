// SPDX-License-Identifier: GPL-2.0-or-later
#include "btf/layout.h"

#include "sample.h"

static bool append_name(void *context, const struct btf_member *member)
{
	strbuf_appendf(context, "%s@%llu ", member->name, (unsigned long long)member->bit_offset);
	return strcmp(member->name, "half") != 0;
}

static void members_of_nameless_structs_are_the_parents(void **state UNUSED)
{
	_cleanup_sample_ struct sample s;
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;
	struct btf_member member;
	struct btf_type rq;

	sample_init(&s);
	assert_true(btf_type(s.btf, s.rq, &rq));
	assert_true(btf_find_member(s.btf, &rq, "raw", 3, &member));
	assert_int_equal(member.bit_offset, 128);
	assert_int_equal(member.type, s.u64);
	assert_true(btf_find_member(s.btf, &rq, "halfway", 4, &member));
	assert_int_equal(member.bit_offset, 128);
	assert_false(btf_find_member(s.btf, &rq, "ra", 2, &member));
	assert_false(btf_find_member(s.btf, &rq, "rawer", 5, &member));
	btf_each_member(s.btf, &rq, append_name, &names);
	/* It ends where the callback says so. */
	assert_string_equal(strbuf_str(&names), "nr_running@0 cpu@32 clock@64 raw@128 half@128 ");
}

static bool count(void *context, const struct btf_member *member UNUSED)
{
	++*(uint32_t *)context;
	return true;
}

static void structs_that_hold_themselves_end(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct build_btf b = { 0 };
	struct btf_type type;
	struct btf_member member;
	uint32_t n = 0;

	/* Without a limit on what is seen: 2^32 members. */
	BUILD_STRUCT(&b, "mirror", 4, { "", 1, 0, 0 }, { "", 1, 0, 0 }, { "x", 2, 0, 0 });
	build_btf_int(&b, "int", 4, 1);
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "mirror", &btf));
	assert_true(btf_type(btf, 1, &type));
	btf_each_member(btf, &type, count, &n);
	assert_in_range(n, 1, 1 << 16);
	assert_true(btf_find_member(btf, &type, "x", 1, &member));
	assert_false(btf_find_member(btf, &type, "y", 1, &member));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_of_nameless_structs_are_the_parents),
		cmocka_unit_test(structs_that_hold_themselves_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
