// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/doctor/doctor.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cli/frame/command.h"
#include "text/terminal.h"
#include "topo/machine.h"
#include "vm/qemu/qemu_binary.h"
#include "vm/vm.h"

enum { CLONES = 20 };

#define BOOT_SHAPE "1n1l2c1t"

static const char *const shapes[] = { "1n1l1c1t", "1n2l2c1t", "1n2l2c2t", "2n4l2c1t" };

/* One guest up and gone; *ret_ns is how long until it answered. */
static struct error *try_guest(enum vm_accel_wish wish, const struct kernel *kernel,
			       const char *shape, bool cold, struct strbuf *release,
			       uint64_t *ret_ns)
{
	struct vm_spec spec = { .kernel = kernel, .accel = wish, .cold = cold };
	_cleanup_topo_machine_ struct topo_machine *machine = NULL;
	_cleanup_vm_ struct vm *vm = NULL;
	uint64_t start_ns;
	struct error *err;

	err = topo_parse(shape, &spec.topology);
	if (err)
		return err;
	start_ns = clock_monotonic_ns();
	err = vm_start(&spec, NULL, &vm);
	*ret_ns = clock_monotonic_ns() - start_ns;
	if (!err)
		err = vm_read_topology(vm, NULL, &machine);
	if (!err)
		err = topo_compare(&spec.topology, machine);
	if (!err && release)
		strbuf_append(release, vm_facts(vm).release);
	return error_wrap(err, "%s", shape);
}

struct error *kvm_guests_boot(enum vm_accel_wish wish, struct strbuf *notes)
{
	_cleanup_kernel_ struct kernel *kernel = NULL;
	struct error *err = kernel_resolve(NULL, &kernel);
	uint64_t took_ns = 0;

	if (err)
		return err;
	err = try_guest(wish, kernel, BOOT_SHAPE, true, notes, &took_ns);
	/* What is found here spares everybody else the limit of the first boot. */
	if (wish == VM_ACCEL_WISH_KVM && err)
		vm_accel_kvm_boot_failed(error_message(err));
	if (wish == VM_ACCEL_WISH_KVM && !err)
		vm_accel_kvm_boot_worked();
	if (err)
		return err;
	strbuf_append(notes, " answered after ");
	text_format_duration(notes, took_ns);
	return NULL;
}

struct error *kvm_guests_topology(enum vm_accel_wish wish, struct strbuf *notes)
{
	_cleanup_kernel_ struct kernel *kernel = NULL;
	struct error *err = kernel_resolve(NULL, &kernel);
	uint64_t took_ns = 0;

	for (size_t i = 0; i < ARRAY_SIZE(shapes) && !err; i++) {
		err = try_guest(wish, kernel, shapes[i], true, NULL, &took_ns);
		if (!err)
			strbuf_appendf(notes, "%s%s", i ? ", " : "", shapes[i]);
	}
	if (!err)
		strbuf_append(notes, " read back as asked for");
	return err;
}

static int by_value(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

struct error *kvm_guests_clones(enum vm_accel_wish wish, struct strbuf *notes)
{
	_cleanup_kernel_ struct kernel *kernel = NULL;
	uint64_t took_ns[CLONES], template_ns = 0;
	struct error *err;

	err = kernel_resolve(NULL, &kernel);
	/* The first makes the template, or finds one. */
	if (!err)
		err = try_guest(wish, kernel, BOOT_SHAPE, false, NULL, &template_ns);
	for (size_t i = 0; i < CLONES; i++) {
		if (!err)
			err = error_wrap(
				try_guest(wish, kernel, BOOT_SHAPE, false, NULL, &took_ns[i]),
				"clone %zu of %d", i + 1, CLONES);
	}
	if (err)
		return err;
	qsort(took_ns, CLONES, sizeof(took_ns[0]), by_value);
	strbuf_appendf(notes, "%d of %d answered, after ", CLONES, CLONES);
	text_format_duration(notes, took_ns[0]);
	strbuf_append(notes, " / ");
	text_format_duration(notes, took_ns[CLONES / 2]);
	strbuf_append(notes, " / ");
	text_format_duration(notes, took_ns[CLONES - 1]);
	strbuf_append(notes, " (least, median, most); the template's first guest after ");
	text_format_duration(notes, template_ns);
	return NULL;
}

static struct error *step_trial(enum vm_accel_wish wish UNUSED, struct strbuf *notes)
{
	struct vm_kvm_probe probe;

	vm_accel_probe_again(&probe);
	strbuf_append(notes, probe.reason);
	return probe.usable ? NULL : base_error(BASE_ABSENT, 0, "KVM does not work here");
}

static const struct doctor_step steps[] = {
	{ "trial", step_trial },
	{ "boot", kvm_guests_boot },
	{ "topology", kvm_guests_topology },
	{ "clones", kvm_guests_clones },
};

/* The value of the first line of /proc/cpuinfo that begins with `key`. */
static void append_cpuinfo(struct strbuf *into, const char *key)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *line, *colon;

	if (!check_read("", "/proc/cpuinfo", &text))
		return;
	line = strstr(strbuf_str(&text), key);
	colon = line ? strchr(line, ':') : NULL;
	if (colon)
		text_escape_bytes(into, colon + 1, strcspn(colon + 1, "\n"));
}

static void append_facts(struct strbuf *into)
{
	_cleanup_vm_qemu_binary_ struct vm_qemu_binary *qemu = NULL;
	_cleanup_error_ struct error *no_qemu = vm_qemu_binary_find(&qemu);
	_cleanup_free_ char *system = check_os_release("", "PRETTY_NAME");
	struct utsname name;

	strbuf_append(into, "ktstr:       " KTSTR_VERSION "\n");
	strbuf_append(into, "processor:  ");
	append_cpuinfo(into, "model name");
	strbuf_append(into, "\nvendor:     ");
	append_cpuinfo(into, "vendor_id");
	if (uname(&name) == 0)
		strbuf_appendf(into, "\nhost kernel: %s", name.release);
	strbuf_appendf(into, "\nsystem:      %s", system ? system : "unknown");
	strbuf_appendf(into, "\nqemu:        %s\n",
		       no_qemu ? error_message(no_qemu) : qemu->version.text);
	for (size_t i = 0; i < 3; i++) {
		static const char *const modules[] = { "kvm_intel", "kvm_amd", "kvm_pvm" };
		_cleanup_free_ char *path = xasprintf("/sys/module/%s", modules[i]);

		if (check_exists("", path))
			strbuf_appendf(into, "module:      %s\n", modules[i]);
	}
}

/* One line for the step, one more for what went wrong. */
static bool run_step(const struct doctor_step *step, enum vm_accel_wish wish, struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf notes = STRBUF_INIT;
	uint64_t start_ns = clock_monotonic_ns();
	_cleanup_error_ struct error *err = step->run(wish, &notes);
	uint64_t took_ns = clock_monotonic_ns() - start_ns;

	strbuf_appendf(into, "%-11s  %-6s  ", step->name, err ? "FAILED" : "ok");
	text_format_duration(into, took_ns);
	if (notes.n) {
		strbuf_append(into, "  ");
		text_escape(into, strbuf_str(&notes));
	}
	strbuf_append_char(into, '\n');
	if (err) {
		strbuf_append(into, "             ");
		text_escape(into, error_message(err));
		strbuf_append_char(into, '\n');
	}
	return !err;
}

int doctor_kvm_run_steps(const struct doctor_step *list, size_t n, enum vm_accel_wish wish,
			 doctor_flush_fn flush, struct strbuf *into)
{
	bool ok = true;

	for (size_t i = 0; i < n; i++) {
		if (ok)
			ok = run_step(&list[i], wish, into);
		else
			strbuf_appendf(into, "%-11s  not run\n", list[i].name);
		if (flush && flush(into))
			return CLI_EXIT_FAILED;
	}
	return ok ? CLI_EXIT_OK : CLI_EXIT_FAILED;
}

int doctor_kvm_run(doctor_flush_fn flush, struct strbuf *into)
{
	int code;

	strbuf_append(into, "--- ktstr doctor --kvm ---\n");
	append_facts(into);
	if (flush && flush(into))
		return CLI_EXIT_FAILED;
	code = doctor_kvm_run_steps(steps, ARRAY_SIZE(steps), VM_ACCEL_WISH_KVM, flush, into);
	strbuf_appendf(into, "result:      %s\n", code ? "FAILED" : "ok");
	strbuf_append(into, "--- end ---\n");
	return flush && flush(into) ? CLI_EXIT_FAILED : code;
}
