// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/accel.h"

#include <time.h>

#include "folders.h"

static const struct kvm_probe yes = { .usable = true, .reason = "a 64-bit guest ran in 9 ms" };
static const struct kvm_probe no = { .reason = "there is no /dev/kvm" };

static struct accel decide(enum accel_wish wish, const struct kvm_probe *probe, const char *failure,
			   bool worked)
{
	struct accel accel;

	memset(&accel, 0x55, sizeof(accel));
	accel_decide(wish, probe, failure, worked, &accel);
	return accel;
}

static void automatic_choice_follows_the_trial(void **state UNUSED)
{
	struct accel accel = decide(ACCEL_WISH_AUTO, &yes, NULL, false);

	assert_int_equal(accel.kind, ACCEL_KVM);
	assert_string_equal(accel.name, "kvm");
	assert_string_equal(accel.qemu_accel, "kvm");
	assert_true(accel.boot_is_trial);
	assert_contains(accel.reason, "a 64-bit guest ran in 9 ms");
	accel = decide(ACCEL_WISH_AUTO, &yes, NULL, true);
	assert_int_equal(accel.kind, ACCEL_KVM);
	assert_false(accel.boot_is_trial);
	accel = decide(ACCEL_WISH_AUTO, &no, NULL, false);
	assert_int_equal(accel.kind, ACCEL_TCG);
	assert_string_equal(accel.qemu_accel, "tcg,thread=single");
	assert_false(accel.boot_is_trial);
	assert_contains(accel.reason, "there is no /dev/kvm");
}

static void a_boot_that_failed_turns_the_automatic_choice(void **state UNUSED)
{
	struct accel accel = decide(ACCEL_WISH_AUTO, &yes, "init did not answer", false);

	assert_int_equal(accel.kind, ACCEL_TCG);
	assert_contains(accel.reason, "init did not answer");
	assert_contains(accel.reason, "a 64-bit guest ran in 9 ms");
}

static void a_wish_overrides_everything_and_says_so(void **state UNUSED)
{
	struct accel accel = decide(ACCEL_WISH_TCG, &yes, NULL, false);

	assert_int_equal(accel.kind, ACCEL_TCG);
	assert_string_equal(accel.reason, "asked for");
	accel = decide(ACCEL_WISH_KVM, &no, "init did not answer", false);
	assert_int_equal(accel.kind, ACCEL_KVM);
	assert_false(accel.boot_is_trial);
	assert_contains(accel.reason, "asked for");
	assert_contains(accel.reason, "there is no /dev/kvm");
}

/* Leaf 4 is Intel's; under KVM QEMU would take the vendor of the host. */
static void guests_are_intel_under_both(void **state UNUSED)
{
	struct accel accel = decide(ACCEL_WISH_KVM, &yes, NULL, false);

	assert_contains(accel.qemu_cpu, "vendor=GenuineIntel");
	assert_contains(accel.qemu_cpu, "level=32");
	accel = decide(ACCEL_WISH_TCG, &yes, NULL, false);
	assert_contains(accel.qemu_cpu, "Nehalem");
	assert_contains(accel.qemu_cpu, "level=32");
}

static void words_of_wishes_are_in_their_order(void **state UNUSED)
{
	assert_string_equal(accel_wish_words[ACCEL_WISH_AUTO], "auto");
	assert_string_equal(accel_wish_words[ACCEL_WISH_KVM], "kvm");
	assert_string_equal(accel_wish_words[ACCEL_WISH_TCG], "tcg");
	assert_null(accel_wish_words[3]);
}

/* The place of the memory of a failed boot, with this text in it. */
static void put_failure(const struct folders *f, const char *boot_id, long long at)
{
	_cleanup_free_ char *text = xasprintf(
		"{\"boot_id\":\"%s\",\"at\":%lld,\"why\":\"it hung\"}", boot_id, at);
	_cleanup_free_ char *path = xasprintf("%s/kvm-boot-failed.json", f->run);

	assert_success(paths_make(f->run, 0700));
	assert_success(io_replace_file(path, text, strlen(text)));
}

static bool is_recalled(void)
{
	_cleanup_free_ char *why = accel_recall_failure();

	if (why)
		assert_string_equal(why, "it hung");
	return why != NULL;
}

static void a_failed_boot_is_remembered_until_one_works(void **state)
{
	struct folders *f = *state;

	assert_false(is_recalled());
	accel_kvm_boot_failed("it hung");
	assert_true(is_recalled());
	accel_kvm_boot_worked();
	assert_false(is_recalled());
	assert_non_null(f);
}

static void another_boot_or_an_old_failure_does_not_count(void **state)
{
	struct folders *f = *state;
	_cleanup_strbuf_ struct strbuf id = STRBUF_INIT;
	long long now = (long long)time(NULL);

	assert_success(io_read_file("/proc/sys/kernel/random/boot_id", 256, &id));
	id.at[strcspn(id.at, "\n")] = 0;
	put_failure(f, id.at, now);
	assert_true(is_recalled());
	put_failure(f, "another", now);
	assert_false(is_recalled());
	put_failure(f, id.at, now - ACCEL_FAILURE_KEPT_SEC - 10);
	assert_false(is_recalled());
	put_failure(f, id.at, now + 1000);
	assert_false(is_recalled());
}

static void the_trial_runs_once_in_a_process(void **state UNUSED)
{
	struct kvm_probe first, second;
	struct accel accel;

	accel_probe(&first);
	accel_probe(&second);
	assert_int_equal(first.usable, second.usable);
	assert_int_equal(first.took_ns, second.took_ns);
	accel_choose(ACCEL_WISH_AUTO, &accel);
	assert_contains(accel.reason, first.reason);
	accel_choose(ACCEL_WISH_TCG, &accel);
	assert_int_equal(accel.kind, ACCEL_TCG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define IN_FOLDERS(name) cmocka_unit_test_setup_teardown(name, make_folders, remove_folders)
		IN_FOLDERS(automatic_choice_follows_the_trial),
		IN_FOLDERS(a_boot_that_failed_turns_the_automatic_choice),
		IN_FOLDERS(a_wish_overrides_everything_and_says_so),
		IN_FOLDERS(guests_are_intel_under_both),
		IN_FOLDERS(words_of_wishes_are_in_their_order),
		IN_FOLDERS(a_failed_boot_is_remembered_until_one_works),
		IN_FOLDERS(another_boot_or_an_old_failure_does_not_count),
		IN_FOLDERS(the_trial_runs_once_in_a_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
