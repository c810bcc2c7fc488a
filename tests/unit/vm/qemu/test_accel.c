// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/qemu/accel.h"

#include <sys/wait.h>
#include <unistd.h>

#include "dirs.h"
#include "vm/error.h"

static const struct vm_kvm_probe yes = { .usable = true, .reason = "a 64-bit guest ran in 9 ms" };
static const struct vm_kvm_probe no = { .reason = "there is no /dev/kvm" };

static struct vm_accel decide(enum vm_accel_wish wish, const struct vm_kvm_probe *probe,
			      const char *failure, bool worked)
{
	struct vm_accel accel;

	memset(&accel, 0x55, sizeof(accel));
	vm_accel_decide(wish, probe, failure, worked, &accel);
	return accel;
}

static void automatic_choice_follows_the_trial(void **state UNUSED)
{
	struct vm_accel accel = decide(VM_ACCEL_WISH_AUTO, &yes, NULL, false);

	assert_int_equal(accel.kind, VM_ACCEL_KVM);
	assert_string_equal(accel.name, "kvm");
	assert_string_equal(accel.qemu_accel, "kvm");
	assert_true(accel.boot_is_trial);
	assert_contains(accel.reason, "a 64-bit guest ran in 9 ms");
	accel = decide(VM_ACCEL_WISH_AUTO, &yes, NULL, true);
	assert_int_equal(accel.kind, VM_ACCEL_KVM);
	assert_false(accel.boot_is_trial);
	accel = decide(VM_ACCEL_WISH_AUTO, &no, NULL, false);
	assert_int_equal(accel.kind, VM_ACCEL_TCG);
	/* The room for translated code does not depend on the host's memory. */
	assert_string_equal(accel.qemu_accel, "tcg,thread=single,tb-size=1024");
	assert_false(accel.boot_is_trial);
	assert_contains(accel.reason, "there is no /dev/kvm");
}

static void a_boot_that_failed_turns_the_automatic_choice(void **state UNUSED)
{
	struct vm_accel accel = decide(VM_ACCEL_WISH_AUTO, &yes, "init did not answer", false);

	assert_int_equal(accel.kind, VM_ACCEL_TCG);
	assert_contains(accel.reason, "init did not answer");
	assert_contains(accel.reason, "a 64-bit guest ran in 9 ms");
}

static void a_requested_accelerator_overrides_the_trial(void **state UNUSED)
{
	struct vm_accel accel = decide(VM_ACCEL_WISH_TCG, &yes, NULL, false);

	assert_int_equal(accel.kind, VM_ACCEL_TCG);
	assert_string_equal(accel.reason, "asked for");
	accel = decide(VM_ACCEL_WISH_KVM, &no, "init did not answer", false);
	assert_int_equal(accel.kind, VM_ACCEL_KVM);
	assert_false(accel.boot_is_trial);
	assert_contains(accel.reason, "asked for");
	assert_contains(accel.reason, "there is no /dev/kvm");
}

/* Leaf 4 is Intel's; under KVM QEMU would take the vendor of the host. */
static void the_guest_cpu_vendor_is_intel_with_kvm_and_tcg(void **state UNUSED)
{
	struct vm_accel accel = decide(VM_ACCEL_WISH_KVM, &yes, NULL, false);

	assert_contains(accel.qemu_cpu, "vendor=GenuineIntel");
	assert_contains(accel.qemu_cpu, "level=32");
	accel = decide(VM_ACCEL_WISH_TCG, &yes, NULL, false);
	assert_contains(accel.qemu_cpu, "Nehalem");
	assert_contains(accel.qemu_cpu, "level=32");
}

static void names_of_accelerator_requests_match_their_enum(void **state UNUSED)
{
	assert_string_equal(vm_accel_wish_words[VM_ACCEL_WISH_AUTO], "auto");
	assert_string_equal(vm_accel_wish_words[VM_ACCEL_WISH_KVM], "kvm");
	assert_string_equal(vm_accel_wish_words[VM_ACCEL_WISH_TCG], "tcg");
	assert_null(vm_accel_wish_words[3]);
}

static void a_failed_boot_is_remembered_until_one_works(void **state UNUSED)
{
	_cleanup_free_ char *none = vm_accel_recall_failure();
	_cleanup_free_ char *why = NULL, *after = NULL;

	assert_null(none);
	vm_accel_kvm_boot_failed("it hung");
	why = vm_accel_recall_failure();
	assert_string_equal(why, "it hung");
	vm_accel_kvm_boot_worked();
	after = vm_accel_recall_failure();
	assert_null(after);
}

static void the_trial_runs_once_in_a_process(void **state UNUSED)
{
	struct vm_kvm_probe first, second;
	struct vm_accel accel;

	vm_accel_probe_again(&first);
	vm_accel_probe(&second);
	assert_int_equal(first.usable, second.usable);
	assert_int_equal(first.took_ns, second.took_ns);
	vm_accel_choose(VM_ACCEL_WISH_AUTO, &accel);
	assert_contains(accel.reason, first.reason);
	vm_accel_choose(VM_ACCEL_WISH_TCG, &accel);
	assert_int_equal(accel.kind, VM_ACCEL_TCG);
}

/* A process that has not asked yet: whether it ran the trial itself. */
static bool runs_the_trial(void)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		struct vm_kvm_probe probe;

		vm_accel_probe(&probe);
		_exit(!probe.reason[0] ? 2 : probe.took_ns > 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
	return WEXITSTATUS(status) == 1;
}

/* Stands first: this process must not have asked either. */
static void another_process_need_not_try_again(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *note = xasprintf("%s/kvm-trial.json", f->run);

	skip_unless(access("/dev/kvm", R_OK | W_OK) == 0,
		    "without a /dev/kvm the trial costs nothing and nothing is kept");
	assert_true(runs_the_trial());
	assert_false(runs_the_trial());
	/* Another device, or what is not ours at all. */
	vm_boot_note_keep("kvm-trial", 1, true, "lies");
	assert_true(runs_the_trial());
	assert_false(runs_the_trial());
	assert_success(io_replace_file(note, "{", 1));
	assert_true(runs_the_trial());
}

static void only_a_guest_that_fails_speaks_against_kvm(void **state UNUSED)
{
	struct error *const rows[] = {
		vm_error(VM_BOOT_TIMEOUT, 0, "x"), vm_error(VM_TRIPLE_FAULT, 0, "x"),
		vm_error(VM_QEMU_FAILED, 0, "x"),  vm_error(VM_CACHE_FULL, ENOSPC, "x"),
		vm_error(VM_QEMU_MISSING, 0, "x"), vm_error(VM_TEMPLATE, EROFS, "x"),
		base_error(BASE_IO, EACCES, "x"),  base_error(BASE_CANCELLED, 0, "x"),
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (vm_accel_speaks_against_kvm(rows[i]) != (i < 3))
			fail_msg("%s", error_tag(rows[i]));
		error_free(rows[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define IN_DIRS(name) cmocka_unit_test_setup_teardown(name, make_dirs, remove_dirs)
		IN_DIRS(another_process_need_not_try_again),
		IN_DIRS(automatic_choice_follows_the_trial),
		IN_DIRS(a_boot_that_failed_turns_the_automatic_choice),
		IN_DIRS(a_requested_accelerator_overrides_the_trial),
		IN_DIRS(the_guest_cpu_vendor_is_intel_with_kvm_and_tcg),
		IN_DIRS(names_of_accelerator_requests_match_their_enum),
		IN_DIRS(a_failed_boot_is_remembered_until_one_works),
		cmocka_unit_test(only_a_guest_that_fails_speaks_against_kvm),
		IN_DIRS(the_trial_runs_once_in_a_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
