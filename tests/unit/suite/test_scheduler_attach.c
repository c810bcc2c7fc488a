// SPDX-License-Identifier: GPL-2.0-or-later
#include "suite/fake_scheduler.h"

/* 6.18 prints "(efault)" for the name while it attaches, and the work must not begin before. */
static void no_text_printed_while_attaching_is_a_name(void **state)
{
	struct fixture *f = *state;

	start(f, "mkdir \"$1/root\"; echo '(efault)' > \"$1/root/ops\"; "
		 "echo enabling > \"$1/state\"; exec sleep 1000");
	assert_false(suite_scheduler_wait_attached(
		&f->scheduler, &(struct suite_scheduler_patience){ LONG_MS, 300 },
		&f->heard.report));
	assert_contains(heard_text(&f->heard), "sched_ext is \\\"enabling\\\"");
	assert_false(f->scheduler.attached);
}

/* The kernel sets the state first and counts afterwards. */
static void a_state_of_before_is_not_ours(void **state)
{
	struct fixture *f = *state;

	start(f, "mkdir \"$1/root\"; echo fake_ops > \"$1/root/ops\"; "
		 "echo enabled > \"$1/state\"; exec sleep 1000");
	assert_false(suite_scheduler_wait_attached(
		&f->scheduler, &(struct suite_scheduler_patience){ LONG_MS, 300 },
		&f->heard.report));
}

static void a_kernel_that_does_not_count_is_believed_its_state(void **state)
{
	struct fixture *f = *state;
	char path[100];

	snprintf(path, sizeof(path), "%s/enable_seq", f->system.sched_ext);
	assert_int_equal(unlink(path), 0);
	start(f, "mkdir \"$1/root\"; echo fake_ops > \"$1/root/ops\"; "
		 "echo enabled > \"$1/state\"; exec sleep 1000");
	assert_true(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	assert_true(suite_scheduler_is_alive(&f->scheduler));
}

static void an_idle_program_is_not_waited_for(void **state)
{
	struct fixture *f = *state;

	start(f, "exec sleep 1000");
	assert_false(suite_scheduler_wait_attached(
		&f->scheduler, &(struct suite_scheduler_patience){ 300, LONG_MS },
		&f->heard.report));
	assert_contains(heard_text(&f->heard), "scheduler-attach");
}

/* Output every 0.1 s is progress: it is attached after more than the idle limit. */
static void a_program_that_gets_on_is_waited_for(void **state)
{
	struct fixture *f = *state;

	start(f, "for i in 1 2 3 4 5 6 7 8 9 10; do echo $i; sleep 0.2; done; " ATTACH
		 "exec sleep 1000");
	assert_true(suite_scheduler_wait_attached(
		&f->scheduler, &(struct suite_scheduler_patience){ 1500, LONG_MS },
		&f->heard.report));
}

static void ended_before_it_was_attached(void **state)
{
	struct fixture *f = *state;

	start(f, "echo why >&2; exit 3");
	assert_false(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	suite_scheduler_finish(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard),
			"{\"report\":\"part\",\"reason\":\"scheduler-load\",\"text\":\"fake ended "
			"with exit code 3 before it was attached; it says: why\"}\n");
	assert_contains(heard_text(&f->heard), "{\"report\":\"scheduler\",\"state\":\"failed\"}\n");
	assert_contains(heard_text(&f->heard), "\"end\":\"exited 3\"");
	assert_contains(heard_text(&f->heard), "why");
}

static void killed_before_it_was_attached(void **state)
{
	struct fixture *f = *state;

	start(f, "kill -SEGV $$");
	assert_false(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	suite_scheduler_finish(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard), "fake was ended by signal 11 (SIGSEGV) before");
	assert_contains(heard_text(&f->heard), "\"end\":\"signalled 11\"");
}

static void refused_by_the_verifier(void **state)
{
	struct fixture *f = *state;

	start(f, "echo \"libbpf: prog 'x': -- BEGIN PROG LOAD LOG --\" >&2; "
		 "echo '0: (95) exit' >&2; echo 'R0 !read_ok' >&2; "
		 "echo 'processed 1 insns (limit 1000000) max_states_per_insn 0' >&2; "
		 "echo 'libbpf: -- END PROG LOAD LOG --' >&2; exit 1");
	assert_false(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	assert_contains(heard_text(&f->heard),
			"\"reason\":\"scheduler-verifier\",\"text\":\"fake ended with exit code 1: "
			"the kernel's verifier refused program 'x': R0 !read_ok (the log is in its "
			"output)\"");
	assert_int_equal(f->heard.report.parts, 1);
}

static void running_but_never_attached(void **state)
{
	struct fixture *f = *state;

	start(f, "echo waiting; exec sleep 1000");
	assert_false(suite_scheduler_wait_attached(
		&f->scheduler, &(struct suite_scheduler_patience){ LONG_MS, 500 },
		&f->heard.report));
	suite_scheduler_finish(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard),
			"\"reason\":\"scheduler-attach\",\"text\":\"fake runs, "
			"but was not attached within 5");
	assert_contains(heard_text(&f->heard), "sched_ext is \\\"disabled\\\"");
	assert_contains(heard_text(&f->heard), "it says: waiting");
	assert_contains(heard_text(&f->heard), "\"end\":\"stopped\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_text_printed_while_attaching_is_a_name),
		TEST(a_state_of_before_is_not_ours),
		TEST(a_kernel_that_does_not_count_is_believed_its_state),
		TEST(an_idle_program_is_not_waited_for),
		TEST(a_program_that_gets_on_is_waited_for),
		TEST(ended_before_it_was_attached),
		TEST(killed_before_it_was_attached),
		TEST(refused_by_the_verifier),
		TEST(running_but_never_attached),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
