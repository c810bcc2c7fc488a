// SPDX-License-Identifier: GPL-2.0-or-later
/* What a guest needs: something that executes it, a firmware, a kernel, a shell. */
#include "cli/doctor/doctor.h"

#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/paths.h"
#include "base/slice.h"
#include "kernel/cache.h"
#include "vm/clock.h"
#include "vm/qemu/qemu_binary.h"

static bool cpu_has(const char *root, const char *flag)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct slice rest, line;

	check_read(root, "/proc/cpuinfo", &text);
	rest = slice_of(strbuf_str(&text));
	while (slice_take_line(&rest, &line)) {
		if (slice_starts_with(line, "flags"))
			return check_has_word(line, flag);
	}
	return false;
}

void check_accelerator_choice(const char *root, const struct vm_accel *choice,
			      struct finding *finding)
{
	_cleanup_free_ char *device = xasprintf("%s" VM_KVM_PROBE_DEVICE, root);

	if (choice->kind == VM_ACCEL_KVM) {
		finding_say(finding, CHECK_OK, "kvm: %s", choice->reason);
		return;
	}
	finding_say(finding, CHECK_LIMITED, "tcg, which emulates and is several times slower: %s",
		    choice->reason);
	if (access(device, F_OK) == 0) {
		if (access(device, R_OK | W_OK) < 0)
			finding_fix_as_root(finding, "usermod -aG kvm $USER");
	} else if (cpu_has(root, "vmx")) {
		finding_fix_as_root(finding, "modprobe kvm_intel");
	} else if (cpu_has(root, "svm")) {
		finding_fix_as_root(finding, "modprobe kvm_amd");
	} else {
		strbuf_append(&finding->text,
			      "; the processor has no virtualisation, so this cannot be fixed");
	}
}

void check_accelerator(const char *root, struct finding *finding)
{
	struct vm_kvm_probe probe;
	struct vm_accel choice;

	vm_accel_probe_again(&probe);
	vm_accel_choose(VM_ACCEL_WISH_AUTO, &choice);
	check_accelerator_choice(root, &choice, finding);
}

static void fix_by_newer_qemu(const char *root, struct finding *finding)
{
	_cleanup_free_ char *codename = check_os_release(root, "VERSION_CODENAME");

	if (codename && strcmp(codename, "bookworm") == 0)
		finding_fix_as_root(finding,
				    "apt-get install -t bookworm-backports qemu-system-x86");
	else
		finding_fix_as_root(finding, "apt-get install qemu-system-x86");
}

void check_qemu(const char *root, struct finding *finding)
{
	_cleanup_vm_qemu_binary_ struct vm_qemu_binary *binary = NULL;
	_cleanup_error_ struct error *err = vm_qemu_binary_find(&binary);

	if (err) {
		finding_say(finding, CHECK_MISSING, "%s", error_message(err));
		if (getenv("KTSTR_QEMU"))
			finding_fix(finding, "unset KTSTR_QEMU");
		else
			fix_by_newer_qemu(root, finding);
		return;
	}
	if (vm_qemu_version_at_least(&binary->version, 8, 1)) {
		finding_say(finding, CHECK_OK, "%s, version %s", binary->path,
			    binary->version.text);
		return;
	}
	if (vm_qemu_version_at_least(&binary->version, 7, 2))
		finding_say(
			finding, CHECK_LIMITED,
			"%s, version %s: before 8.1 guests with kernels older than 6.18 panic at random without KVM",
			binary->path, binary->version.text);
	else
		finding_say(finding, CHECK_LIMITED,
			    "%s, version %s: versions before 7.2 were never tested", binary->path,
			    binary->version.text);
	fix_by_newer_qemu(root, finding);
}

void check_clock(const char *root, struct finding *finding)
{
	_cleanup_free_ char *qemu = NULL;
	_cleanup_error_ struct error *err = vm_qemu_binary_path(&qemu);

	if (err) {
		finding_say(finding, CHECK_LIMITED, "only real clocks, without a QEMU");
		return;
	}
	err = vm_clock_trial(qemu);
	if (!err) {
		finding_say(finding, CHECK_OK, "virtual clocks work: QEMU takes our plugin");
		return;
	}
	finding_say(finding, CHECK_LIMITED, "only real clocks: %s", error_message(err));
	fix_by_newer_qemu(root, finding);
}

void check_firmware(const char *root, struct finding *finding)
{
	static const char *const dirs[] = { "/usr/share/qemu", "/usr/local/share/qemu",
					    "/usr/share/seabios" };
	_cleanup_free_ char *qemu = NULL;
	_cleanup_error_ struct error *no_qemu = vm_qemu_binary_path(&qemu);

	/* A QEMU of one's own keeps its data beside it. */
	if (!no_qemu && strrchr(qemu, '/')) {
		_cleanup_free_ char *own = xasprintf("%.*s/../share/qemu/qboot.rom",
						     (int)(strrchr(qemu, '/') - qemu), qemu);

		if (root[0] == 0 && access(own, R_OK) == 0) {
			finding_say(finding, CHECK_OK, "%s", own);
			return;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		_cleanup_free_ char *path = xasprintf("%s/qboot.rom", dirs[i]);

		if (check_exists(root, path)) {
			finding_say(finding, CHECK_OK, "%s", path);
			return;
		}
	}
	finding_say(finding, CHECK_MISSING, "no qboot.rom where QEMU keeps its firmware");
	finding_fix_as_root(finding, "apt-get install qemu-system-data");
}

void check_kernel(const char *root UNUSED, struct finding *finding)
{
	_cleanup_kernel_list_ struct kernel_list list = { 0 };
	_cleanup_kernel_ struct kernel *kernel = NULL;
	_cleanup_error_ struct error *none = kernel_resolve(NULL, &kernel);
	_cleanup_error_ struct error *unreadable = kernel_list_read(&list);
	const char *wanted = getenv("KTSTR_KERNEL");

	if (none) {
		finding_say(finding, CHECK_MISSING, "%s", error_message(none));
		if (!wanted || !wanted[0])
			finding_fix(finding, "ktstr kernel fetch");
		else if (strchr(wanted, '/'))
			finding_fix(finding, "unset KTSTR_KERNEL");
		else
			finding_fix(finding, "ktstr kernel fetch $KTSTR_KERNEL");
		return;
	}
	finding_say(finding, kernel->scx_reason ? CHECK_LIMITED : CHECK_OK,
		    "%s by default%s%s, %zu cached", kernel->release,
		    kernel->scx_reason ? ", not usable for sched_ext: " : "",
		    kernel->scx_reason ? kernel->scx_reason : "", list.n);
	if (kernel->scx_reason)
		finding_fix(finding, "ktstr kernel fetch " KERNEL_DEFAULT_SERIES);
}

void check_busybox(const char *root UNUSED, struct finding *finding)
{
	_cleanup_free_ char *path = paths_find_program("busybox");

	if (path) {
		finding_say(finding, CHECK_OK, "%s", path);
		return;
	}
	finding_say(finding, CHECK_MISSING, "not in PATH; guests have no shell without it");
	finding_fix_as_root(finding, "apt-get install busybox");
}
