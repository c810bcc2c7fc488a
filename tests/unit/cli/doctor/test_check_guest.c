// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/doctor/doctor.h"

#include "kernel/cache.h"
#include "machine.h"

static const struct vm_accel with_kvm = { .kind = VM_ACCEL_KVM, .reason = "a guest ran" };
static const struct vm_accel with_tcg = { .kind = VM_ACCEL_TCG, .reason = "because of it" };

static void choose_kvm(const char *root, struct finding *finding)
{
	check_accelerator_choice(root, &with_kvm, finding);
}

static void choose_tcg(const char *root, struct finding *finding)
{
	check_accelerator_choice(root, &with_tcg, finding);
}

static void tcg_is_explained_with_the_module_to_load(void **state)
{
	struct machine *m = *state;

	expect(m, choose_kvm, CHECK_OK, "kvm: a guest ran", NULL);
	expect(m, choose_tcg, CHECK_LIMITED, "because of it; the processor has no", NULL);
	put(m, "/proc/cpuinfo", "model : x\nflags\t\t: fpu xsvm svmx vmxnet sse2\nbugs: svm\n");
	expect(m, choose_tcg, CHECK_LIMITED, "no virtualisation", NULL);
	put(m, "/proc/cpuinfo", "model : x\nflags\t\t: fpu svm sse2\n");
	expect(m, choose_tcg, CHECK_LIMITED, "because of it", "modprobe kvm_amd");
	put(m, "/proc/cpuinfo", "model : x\nflags\t\t: vmx\n");
	expect(m, choose_tcg, CHECK_LIMITED, "because of it", "modprobe kvm_intel");
	/* There, allowed, and yet of no use. */
	put(m, "/dev/kvm", "");
	expect(m, choose_tcg, CHECK_LIMITED, "because of it", NULL);
}

static void qemu_is(const struct machine *m, const char *version)
{
	_cleanup_free_ char *text = xasprintf("#!/bin/sh\necho 'QEMU emulator version %s (x)'\n",
					      version);
	_cleanup_free_ char *path = xasprintf("%s/qemu", m->root);

	put(m, "/qemu", text);
	setenv("KTSTR_QEMU", path, 1);
}

static void old_versions_of_qemu_are_limited(void **state)
{
	struct machine *m = *state;

	qemu_is(m, "10.0.2");
	expect(m, check_qemu, CHECK_OK, "version 10.0.2", NULL);
	qemu_is(m, "8.1.0");
	expect(m, check_qemu, CHECK_OK, "version 8.1.0", NULL);
	qemu_is(m, "8.0.5");
	expect(m, check_qemu, CHECK_LIMITED, "panic at random", "apt-get install qemu-system-x86");
	put(m, "/etc/os-release", "VERSION_CODENAME=bookworm\n");
	qemu_is(m, "7.2.22");
	expect(m, check_qemu, CHECK_LIMITED, "panic at random", "-t bookworm-backports");
	qemu_is(m, "6.2.0");
	expect(m, check_qemu, CHECK_LIMITED, "before 7.2", "-t bookworm-backports");
	setenv("KTSTR_QEMU", "/nowhere/qemu", 1);
	expect(m, check_qemu, CHECK_MISSING, "/nowhere/qemu", "unset KTSTR_QEMU");
	unsetenv("KTSTR_QEMU");
}

static void a_qemu_without_plugins_has_only_real_clocks(void **state)
{
	struct machine *m = *state;

	qemu_is(m, "9.1.3");
	expect(m, check_clock, CHECK_LIMITED, "cannot give a guest a virtual clock",
	       "qemu-system-x86");
	unsetenv("KTSTR_QEMU");
}

static void without_qemu_the_package_is_named(void **state)
{
	struct machine *m = *state;
	_cleanup_free_ char *old = xstrdup(getenv("PATH"));

	setenv("PATH", m->root, 1);
	expect(m, check_qemu, CHECK_MISSING, "not in PATH", "apt-get install qemu-system-x86");
	expect(m, check_busybox, CHECK_MISSING, "not in PATH", "apt-get install busybox");
	put(m, "/busybox", "");
	expect(m, check_busybox, CHECK_OK, "/busybox", NULL);
	setenv("PATH", old, 1);
}

static void firmware_is_found_where_qemu_keeps_it(void **state)
{
	struct machine *m = *state;

	expect(m, check_firmware, CHECK_MISSING, "qboot.rom", "apt-get install qemu-system-data");
	put(m, "/usr/share/qemu/qboot.rom", "");
	expect(m, check_firmware, CHECK_OK, "/usr/share/qemu/qboot.rom", NULL);
}

/* A kernel of which only the description is there. */
static void cache_kernel(const struct machine *m, enum kernel_scx scx)
{
	struct kernel kernel = {
		.id = (char *)"k1",
		.release = (char *)"6.99.1-some",
		.version = (char *)"6.99.1",
		.scx = scx,
		.scx_reason = scx == KERNEL_SCX_USABLE ? NULL : (char *)"it leaks",
		.source = (char *)"nowhere",
		.files[KERNEL_VMLINUX] = { .present = true, .bytes = 1 },
	};
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct json_writer w = json_writer_to(&text, JSON_PRETTY);

	json_begin_object(&w);
	kernel_metadata_write(&kernel, &w);
	json_end_object(&w);
	put(m, "/kernels/k1/vmlinux", "x");
	put(m, "/kernels/k1/metadata.json", strbuf_str(&text));
}

static void a_kernel_must_be_cached(void **state)
{
	struct machine *m = *state;

	setenv("KTSTR_CACHE_DIR", m->root, 1);
	expect(m, check_kernel, CHECK_MISSING, "no kernel is cached", "ktstr kernel fetch");
	setenv("KTSTR_KERNEL", "6.98", 1);
	expect(m, check_kernel, CHECK_MISSING, "6.98 is not cached",
	       "ktstr kernel fetch $KTSTR_KERNEL");
	setenv("KTSTR_KERNEL", "/nowhere/bzImage", 1);
	expect(m, check_kernel, CHECK_MISSING, "/nowhere/bzImage", "unset KTSTR_KERNEL");
	unsetenv("KTSTR_KERNEL");
	cache_kernel(m, KERNEL_SCX_USABLE);
	expect(m, check_kernel, CHECK_OK, "6.99.1-some by default, 1 cached", NULL);
	cache_kernel(m, KERNEL_SCX_BROKEN);
	setenv("KTSTR_KERNEL", "k1", 1);
	expect(m, check_kernel, CHECK_LIMITED, "not usable for sched_ext: it leaks",
	       "ktstr kernel fetch");
	unsetenv("KTSTR_KERNEL");
	unsetenv("KTSTR_CACHE_DIR");
}

static void this_machine_has_an_accelerator(void **state UNUSED)
{
	_cleanup_finding_ struct finding finding = { .state = CHECK_MISSING };

	check_accelerator("", &finding);
	assert_true(finding.state == CHECK_OK || finding.state == CHECK_LIMITED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_MACHINE(tcg_is_explained_with_the_module_to_load),
		IN_MACHINE(old_versions_of_qemu_are_limited),
		IN_MACHINE(a_qemu_without_plugins_has_only_real_clocks),
		IN_MACHINE(without_qemu_the_package_is_named),
		IN_MACHINE(firmware_is_found_where_qemu_keeps_it),
		IN_MACHINE(a_kernel_must_be_cached),
		IN_MACHINE(this_machine_has_an_accelerator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
