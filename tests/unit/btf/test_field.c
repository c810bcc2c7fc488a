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

static void of_namesakes_the_one_with_the_member_counts(void **state UNUSED)
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
		cmocka_unit_test(types_are_required_by_name_and_kind),
		cmocka_unit_test(the_first_alternative_that_is_there_wins),
		cmocka_unit_test(of_namesakes_the_one_with_the_member_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
