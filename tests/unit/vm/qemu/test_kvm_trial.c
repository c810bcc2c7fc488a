// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/qemu/accel.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

/* 2 * 0x01234567 by SSE2, and 0x1000 more by the handler: from the guest's description. */
static void the_answer_needs_both_sse_and_the_handler(void **state UNUSED)
{
	assert_int_equal(VM_KVM_TRIAL_ANSWER, 2 * 0x01234567 + 0x1000);
}

static void the_step_that_failed_is_named(void **state UNUSED)
{
	struct vm_kvm_trial trial;

	memset(&trial, 0xff, sizeof(trial));
	vm_kvm_trial_run("/dev/no-such-kvm", &trial);
	assert_int_equal(trial.step, VM_KVM_TRIAL_OPEN);
	assert_int_equal(trial.errnum, ENOENT);
	assert_int_equal(trial.answer, 0);
	vm_kvm_trial_run("/dev/zero", &trial);
	assert_int_equal(trial.step, VM_KVM_TRIAL_API);
	assert_int_equal(trial.errnum, ENOTTY);
}

/* Opening a pipe for both ways does not wait, and a pipe knows no KVM. */
static void a_pipe_in_the_place_of_the_device_does_not_hang(void **state UNUSED)
{
	char dir[] = "/tmp/ktstr-trial-XXXXXX", path[64];
	struct vm_kvm_trial trial;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/kvm", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	vm_kvm_trial_run(path, &trial);
	assert_int_equal(trial.step, VM_KVM_TRIAL_API);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_answer_needs_both_sse_and_the_handler),
		cmocka_unit_test(the_step_that_failed_is_named),
		cmocka_unit_test(a_pipe_in_the_place_of_the_device_does_not_hang),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
