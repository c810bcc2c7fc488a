// SPDX-License-Identifier: GPL-2.0-or-later
#include "build_view.h"

static void the_kernels_copy_is_shown_in_its_types(void **state)
{
	struct bpf_fixture *f = *state;
	uint64_t map = bpf_new_map(f, 1, 26, "ops", 4, 16, 1, 128);

	bpf_put_u32(f, map + 28, f->ops_value);
	bpf_put_u32(f, map + 192, 3);
	bpf_put_u64(f, map + 200, 1234);
	assert_success(bpf_show(f, dump_map, "ops"));
	assert_contains(strbuf_str(&f->text), "value = bpf_struct_ops_test{state=3, calls=1234}");
	assert_contains(strbuf_str(&f->json), "\"type_name\":\"bpf_struct_ops_test\"");
}

static void a_type_that_does_not_exist_leaves_a_reason(void **state)
{
	struct bpf_fixture *f = *state;
	uint64_t map = bpf_new_map(f, 1, 26, "ops", 4, 16, 1, 128);

	bpf_put_u32(f, map + 28, 0x7fffffff);
	assert_success(bpf_show(f, dump_map, "ops"));
	assert_contains(strbuf_str(&f->json), "\"kind\":\"unsupported\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		bpf_test(the_kernels_copy_is_shown_in_its_types),
		bpf_test(a_type_that_does_not_exist_leaves_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
