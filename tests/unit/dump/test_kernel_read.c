// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/member.h"

#include "build_view.h"

static void members_are_read_or_named(void **state)
{
	struct bpf_fixture *f = *state;
	uint64_t task = bpf_at(f, bpf_new_task(f, 41, "worker")), value = 7;

	assert_success(dump_kernel_member(f->kmem, KMEM_F_TASK_PID, task, &value));
	assert_int_equal(value, 41);
	assert_error_tag(dump_kernel_member(f->kmem, KMEM_F_TASK_PID, 0x10, &value),
			 "guest-memory");
	assert_error_tag(dump_kernel_member(f->kmem, KMEM_F_TASK_POLICY, task, &value),
			 "no-kernel-field");
	assert_error_tag(dump_kernel_offset(f->kmem, KMEM_F_TASK_POLICY, &value),
			 "no-kernel-field");
	assert_int_equal(value, 41);
	assert_success(dump_kernel_offset(f->kmem, KMEM_F_TASK_COMM, &value));
	assert_int_equal(value, TASK_COMM);
}

static void numbers_have_the_kernels_words(void **state)
{
	struct bpf_fixture *f = *state;
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	dump_enum_name(f->kmem, "bpf_prog_type", "BPF_PROG_TYPE_", 27, &out);
	strbuf_append_char(&out, ',');
	dump_enum_name(f->kmem, "bpf_prog_type", "BPF_PROG_TYPE_", 28, &out);
	strbuf_append_char(&out, ',');
	dump_enum_name(f->kmem, "no_such_enum", "", 1, &out);
	strbuf_append_char(&out, ',');
	dump_flag_names(f->kmem, "scx_rq_flags", "SCX_RQ_", 0x13, &out);
	strbuf_append_char(&out, ',');
	dump_flag_names(f->kmem, "scx_rq_flags", "SCX_RQ_", 0, &out);
	assert_string_equal(strbuf_str(&out),
			    "struct_ops,number 28,number 1,ONLINE|0x2|BYPASSING,0");
}

static void a_task_that_cannot_be_read_is_an_address(void **state)
{
	struct bpf_fixture *f = *state;
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	dump_task_name(f->kmem, bpf_at(f, bpf_new_task(f, 41, "a\nb")), &out);
	strbuf_append_char(&out, ',');
	dump_task_name(f->kmem, 0x10, &out);
	assert_string_equal(strbuf_str(&out), "a\\nb[41],unreadable task 0x10");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		bpf_test(members_are_read_or_named),
		bpf_test(numbers_have_the_kernels_words),
		bpf_test(a_task_that_cannot_be_read_is_an_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
