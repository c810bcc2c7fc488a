// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/qemu/accel.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "unit.h"

static struct vm_kvm_probe run(vm_kvm_trial_fn trial, const char *device, uint64_t limit_ms)
{
	struct vm_kvm_probe probe;

	memset(&probe, 0x55, sizeof(probe));
	vm_kvm_probe_run_trial(trial, device, limit_ms, &probe);
	return probe;
}

static bool has_children(void)
{
	return waitpid(-1, NULL, WNOHANG) >= 0;
}

static void say(struct vm_kvm_trial *ret, uint32_t reason, uint32_t detail, uint32_t answer)
{
	*ret = (struct vm_kvm_trial){
		.step = VM_KVM_TRIAL_RAN,
		.exit_reason = reason,
		.detail = detail,
		.answer = answer,
	};
}

static void good(const char *device, struct vm_kvm_trial *ret)
{
	if (strcmp(device, "/dev/some-kvm") == 0)
		say(ret, 2, 0xf4, VM_KVM_TRIAL_ANSWER);
}

static void wrong(const char *device UNUSED, struct vm_kvm_trial *ret)
{
	say(ret, 2, 0xf4, 0x02468ace);
}

static void emulated(const char *device UNUSED, struct vm_kvm_trial *ret)
{
	say(ret, 17, 1, 0);
}

static void no_answer(const char *device UNUSED, struct vm_kvm_trial *ret UNUSED)
{
	_exit(0);
}

static void crash(const char *device UNUSED, struct vm_kvm_trial *ret UNUSED)
{
	kill(getpid(), SIGKILL);
}

static void hang(const char *device UNUSED, struct vm_kvm_trial *ret UNUSED)
{
	for (;;)
		pause();
}

static void nonsense(const char *device UNUSED, struct vm_kvm_trial *ret)
{
	memset(ret, 0xff, sizeof(*ret));
}

static void a_successful_trial_makes_kvm_usable(void **state UNUSED)
{
	struct vm_kvm_probe probe = run(good, "/dev/some-kvm", 20000);

	assert_true(probe.usable);
	assert_contains(probe.reason, "a 64-bit guest ran in ");
	assert_false(has_children());
}

static void a_failed_trial_makes_kvm_unusable_with_a_reason(void **state UNUSED)
{
	static const struct {
		vm_kvm_trial_fn trial;
		const char *words;
	} cases[] = {
		{ wrong, "computed 0x2468ace instead of 0x2469ace" },
		{ emulated, "exit reason 17, detail 1 (internal error" },
		{ no_answer, "ended without an answer" },
		{ crash, "ended by signal 9" },
		{ nonsense, "gave an invalid answer" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct vm_kvm_probe probe = run(cases[i].trial, "/dev/some-kvm", 20000);

		assert_false(probe.usable);
		assert_contains(probe.reason, cases[i].words);
		assert_false(has_children());
	}
}

static void a_trial_that_hangs_is_ended(void **state UNUSED)
{
	struct vm_kvm_probe probe = run(hang, "/dev/some-kvm", 50);

	assert_false(probe.usable);
	assert_contains(probe.reason, "did not end within 50 ms");
	assert_false(has_children());
	assert_true(probe.took_ns >= 50 * NS_PER_MS);
}

static void on_alarm(int sig UNUSED)
{
}

/* A handler that runs in between must not end the wait early, nor make it endless. */
static void signals_in_between_change_nothing(void **state UNUSED)
{
	struct sigaction action = { .sa_handler = on_alarm }, old;
	struct itimerspec often = { .it_value.tv_nsec = 3000000, .it_interval.tv_nsec = 3000000 };
	struct vm_kvm_probe probe;
	timer_t timer;

	assert_int_equal(sigaction(SIGALRM, &action, &old), 0);
	assert_int_equal(timer_create(CLOCK_MONOTONIC, NULL, &timer), 0);
	assert_int_equal(timer_settime(timer, 0, &often, NULL), 0);
	probe = run(hang, "/dev/some-kvm", 60);
	timer_delete(timer);
	sigaction(SIGALRM, &old, NULL);
	assert_contains(probe.reason, "did not end within 60 ms");
	assert_true(probe.took_ns >= 60 * NS_PER_MS);
	assert_false(has_children());
}

static void a_missing_kvm_device_differs_from_a_wrong_one(void **state UNUSED)
{
	struct vm_kvm_probe probe = run(vm_kvm_trial_run, "/dev/no-such-kvm", 20000);

	assert_false(probe.usable);
	assert_string_equal(probe.reason, "there is no /dev/no-such-kvm");
	probe = run(vm_kvm_trial_run, "/dev/null", 20000);
	assert_false(probe.usable);
	assert_contains(probe.reason, "KVM_GET_API_VERSION: ");
	probe = run(vm_kvm_trial_run, "/", 20000);
	assert_false(probe.usable);
	assert_contains(probe.reason, "cannot open /: ");
}

static void every_step_of_the_kvm_trial_has_a_reason(void **state UNUSED)
{
	for (uint32_t step = 0; step < VM_KVM_TRIAL_N_STEPS; step++) {
		struct vm_kvm_trial trial = { .step = step, .errnum = EACCES };
		struct vm_kvm_probe probe = { .usable = true };

		vm_kvm_probe_judge(&trial, "/dev/kvm", &probe);
		assert_false(probe.usable);
		assert_true(strlen(probe.reason) > 10);
		if (step == VM_KVM_TRIAL_OPEN)
			assert_string_equal(probe.reason, "no permission for /dev/kvm");
	}
}

static void this_machine_gets_an_answer_either_way(void **state UNUSED)
{
	struct vm_kvm_probe probe;

	vm_kvm_probe_run(&probe);
	print_message("# kvm here: %s (%s)\n", probe.usable ? "yes" : "no", probe.reason);
	assert_true(strlen(probe.reason) > 0);
	assert_false(has_children());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_successful_trial_makes_kvm_usable),
		cmocka_unit_test(a_failed_trial_makes_kvm_unusable_with_a_reason),
		cmocka_unit_test(a_trial_that_hangs_is_ended),
		cmocka_unit_test(signals_in_between_change_nothing),
		cmocka_unit_test(a_missing_kvm_device_differs_from_a_wrong_one),
		cmocka_unit_test(every_step_of_the_kvm_trial_has_a_reason),
		cmocka_unit_test(this_machine_gets_an_answer_either_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
