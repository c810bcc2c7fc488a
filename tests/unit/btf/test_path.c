// SPDX-License-Identifier: GPL-2.0-or-later
#include "btf/path.h"

#include "sample.h"

static void assert_message(struct error *err, const char *tag, const char *part)
{
	assert_non_null(err);
	assert_string_equal(error_tag(err), tag);
	assert_contains(error_message(err), part);
	error_free(err);
}

static void a_member_path_gives_offset_size_and_type(void **state UNUSED)
{
	_cleanup_sample_ struct sample s;
	struct btf_place place;

	sample_init(&s);
	assert_success(btf_path(s.btf, s.rq, "nr_running", &place));
	assert_int_equal(place.offset, 0);
	assert_int_equal(place.size, 4);
	assert_int_equal(place.type, s.u32);
	assert_success(btf_path(s.btf, s.rq, "dsqs[1].list.prev", &place));
	assert_int_equal(place.offset, 24 + 32 + 16 + 8);
	assert_int_equal(place.size, 8);
	assert_int_equal(place.type, s.list_ptr);
	assert_success(btf_path(s.btf, s.rq, "half[0x1]", &place));
	assert_int_equal(place.offset, 20);
	assert_success(btf_path(s.btf, s.rq, ".dsqs[1].nr", &place));
	assert_int_equal(place.offset, 24 + 32 + 8);
	/* As declared: the typedef, not what is behind it. */
	assert_int_equal(place.type, s.u32_typedef);
	assert_int_equal(place.bits, 0);
	assert_success(btf_path(s.btf, s.flex, "words[1000]", &place));
	assert_int_equal(place.offset, 8008);
}

static void bit_fields_have_their_first_byte_and_width(void **state UNUSED)
{
	_cleanup_sample_ struct sample s;
	struct btf_place place;

	sample_init(&s);
	assert_success(btf_path(s.btf, s.flags, "delta", &place));
	assert_int_equal(place.offset, 0);
	assert_int_equal(place.bit_offset, 7);
	assert_int_equal(place.bits, 5);
	assert_int_equal(place.size, 2);
	assert_success(btf_path(s.btf, s.flags, "far", &place));
	assert_int_equal(place.offset, 7);
	assert_int_equal(place.bit_offset, 4);
	assert_int_equal(place.bits, 40);
	assert_int_equal(place.size, 6);
	assert_message(btf_path(s.btf, s.flags, "far.away", &place), "btf-bad-path", "no parts");
}

static void a_missing_member_is_named_with_similar_ones(void **state UNUSED)
{
	_cleanup_sample_ struct sample s;
	struct btf_place place = { .type = 77 };

	sample_init(&s);
	assert_message(btf_path(s.btf, s.rq, "nr_runing", &place), "btf-no-member",
		       "nr_runing: struct rq has no member 'nr_runing'; did you mean nr_running?");
	assert_message(btf_path(s.btf, s.rq, "dsqs[0].lst.next", &place), "btf-no-member",
		       "struct dsq has no member 'lst'; did you mean list?");
	/* Of nameless structs as well. */
	assert_message(btf_path(s.btf, s.rq, "clok", &place), "btf-no-member", "mean clock?");
	assert_message(btf_path(s.btf, s.rq, "dsqs[2].nr", &place), "btf-bad-path",
		       "index 2, but 'dsqs' has 2 elements");
	assert_message(btf_path(s.btf, s.rq, "cpu[0]", &place), "btf-bad-path",
		       "'cpu' is not an array but int");
	assert_message(btf_path(s.btf, s.rq, "dsqs.nr", &place), "btf-bad-path",
		       "an array needs an index");
	assert_message(btf_path(s.btf, s.rq, "cpu.x", &place), "btf-no-member",
		       "int has no member 'x'");
	assert_message(btf_path(s.btf, s.data_fwd, "idx", &place), "btf-forward-only",
		       "struct sdt_data is a forward declaration");
	assert_message(btf_path(s.btf, 999, "idx", &place), "btf-bad-path", "does not exist");
	assert_int_equal(place.type, 77);
}

static void malformed_member_paths_are_refused(void **state UNUSED)
{
	static const char *const paths[] = {
		"",	   ".",	     "..cpu",	 "cpu ",     "dsqs[",
		"dsqs[]",  "dsqs[1", "dsqs[-1]", "dsqs[ 1]", "dsqs[1]nr",
		"dsqs[x]", "-cpu",   "a-b",	 "dsqs[1].", "dsqs[99999999999999999999]"
	};
	_cleanup_sample_ struct sample s;
	struct btf_place place;
	char endless[2000];

	sample_init(&s);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct error *err = btf_path(s.btf, s.rq, paths[i], &place);

		if (!err)
			fail_msg("'%s' was a path", paths[i]);
		error_free(err);
	}
	memset(endless, 'x', sizeof(endless) - 1);
	endless[sizeof(endless) - 1] = 0;
	assert_error_tag(btf_path(s.btf, s.rq, endless, &place), "limit");
	assert_message(btf_path(s.btf, s.flex, "words[0xffffffffffffffff]", &place), "btf-bad-path",
		       "beyond any address");
}

static void pointers_end_a_path_and_are_named(void **state UNUSED)
{
	_cleanup_sample_ struct sample s;
	struct btf_place place = { .offset = 77 };

	sample_init(&s);
	assert_message(btf_path(s.btf, s.rq, "curr->pid", &place), "btf-bad-path",
		       "'curr' is a pointer");
	assert_message(btf_path(s.btf, s.rq, "dsqs[1].list.next.prev", &place), "btf-bad-path",
		       "'dsqs[1].list.next' is a pointer");
	assert_int_equal(place.offset, 77);
	/* One at the end of the path is a place as any other. */
	assert_success(btf_path(s.btf, s.rq, "curr", &place));
	assert_int_equal(place.offset, 88);
	assert_int_equal(place.type, s.task_ptr);
}

static void members_that_begin_inside_a_byte_are_refused(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct build_btf b = { 0 };
	struct btf_place place;

	build_btf_int(&b, "int", 4, 1);
	BUILD_STRUCT(&b, "crooked", 8, { "x", 1, 3, 0 });
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "crooked", &btf));
	assert_error_tag(btf_path(btf, 2, "x", &place), "btf-malformed");
}

static void types_are_required_by_name_and_kind(void **state UNUSED)
{
	_cleanup_sample_ struct sample s;
	struct btf_type type;

	sample_init(&s);
	assert_success(btf_require(s.btf, "rq", &type));
	assert_int_equal(type.id, s.rq);
	assert_success(btf_require(s.btf, "struct rq", &type));
	assert_success(btf_require(s.btf, "union either", &type));
	assert_int_equal(type.id, s.either);
	assert_success(btf_require(s.btf, "u32", &type));
	assert_int_equal(type.id, s.u32_typedef);
	assert_message(btf_require(s.btf, "struct either", &type), "btf-not-found",
		       "sample has no struct either");
	assert_message(btf_require(s.btf, "struct u32", &type), "btf-not-found", "no struct u32");
	assert_message(btf_require(s.btf, "tsk", &type), "btf-not-found",
		       "sample has no type tsk; did you mean task?");
	assert_message(btf_require(s.btf, "sdt_data", &type), "btf-forward-only",
		       "sample has struct sdt_data only as a forward declaration");
	assert_message(btf_require(s.btf, "union sdt_data", &type), "btf-not-found", "no union");
}

static void the_first_alternative_that_is_there_wins(void **state UNUSED)
{
	_cleanup_sample_ struct sample s;
	struct btf_place place;

	sample_init(&s);
	assert_success(btf_field(s.btf, "rq", "donor|curr", &place));
	assert_int_equal(place.offset, 88);
	assert_success(btf_field(s.btf, "struct rq", "cpu|curr", &place));
	assert_int_equal(place.offset, 4);
	/* The first is what was hoped for, so its error is told. */
	assert_message(btf_field(s.btf, "rq", "nr_runing|nr", &place), "btf-no-member",
		       "rq.nr_runing|nr: nr_runing: struct rq has no member 'nr_runing'");
	assert_message(btf_field(s.btf, "rq", "cpu2|", &place), "btf-no-member", "mean cpu?");
	assert_message(btf_field(s.btf, "rk", "cpu", &place), "btf-not-found", "rk");
	assert_message(btf_field(s.btf, "sdt_data", "idx", &place), "btf-forward-only", "idx");
}

static void of_structs_with_one_name_the_one_with_the_member_is_used(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct build_btf b = { 0 };
	struct btf_place place;
	uint32_t number = build_btf_int(&b, "int", 4, 1);

	build_btf_type(&b, "bucket", BTF_FWD, 0, 0);
	BUILD_STRUCT(&b, "bucket", 64, { "prio", number, 0, 0 });
	BUILD_STRUCT(&b, "bucket", 16, { "lock", number, 0, 0 }, { "head", number, 64, 0 });
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "namesakes", &btf));
	assert_success(btf_field(btf, "bucket", "head", &place));
	assert_int_equal(place.offset, 8);
	assert_success(btf_field(btf, "bucket", "prio", &place));
	assert_int_equal(place.offset, 0);
	assert_message(btf_field(btf, "bucket", "tail", &place), "btf-no-member", "tail");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_member_path_gives_offset_size_and_type),
		cmocka_unit_test(bit_fields_have_their_first_byte_and_width),
		cmocka_unit_test(a_missing_member_is_named_with_similar_ones),
		cmocka_unit_test(malformed_member_paths_are_refused),
		cmocka_unit_test(pointers_end_a_path_and_are_named),
		cmocka_unit_test(members_that_begin_inside_a_byte_are_refused),
		cmocka_unit_test(types_are_required_by_name_and_kind),
		cmocka_unit_test(the_first_alternative_that_is_there_wins),
		cmocka_unit_test(of_structs_with_one_name_the_one_with_the_member_is_used),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
