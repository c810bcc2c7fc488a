// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/doctor/doctor.h"

#include <string.h>
#include <sys/utsname.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cli/frame/command.h"
#include "text/escape.h"
#include "text/number.h"
#include "vm/qemu/qemu_binary.h"

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
