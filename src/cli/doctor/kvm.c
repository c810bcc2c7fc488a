// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/doctor/kvm.h"

#include <string.h>
#include <sys/utsname.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cli/command.h"
#include "cli/doctor/check.h"
#include "cli/doctor/kvm_guests.h"
#include "text/escape.h"
#include "text/number.h"
#include "vm/qemu_binary.h"

static struct error *step_trial(enum accel_wish wish UNUSED, struct strbuf *notes)
{
	struct kvm_probe probe;

	accel_probe_again(&probe);
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
	_cleanup_qemu_binary_ struct qemu_binary *qemu = NULL;
	_cleanup_error_ struct error *no_qemu = qemu_binary_find(&qemu);
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

int doctor_kvm_run_steps(const struct doctor_step *list, size_t n, enum accel_wish wish,
			 struct strbuf *into)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_strbuf_ struct strbuf notes = STRBUF_INIT;
		uint64_t start_ns = clock_monotonic_ns();
		_cleanup_error_ struct error *err = list[i].run(wish, &notes);
		uint64_t took_ns = clock_monotonic_ns() - start_ns;

		strbuf_appendf(into, "%-11s  %-6s  ", list[i].name, err ? "FAILED" : "ok");
		number_format_duration(into, took_ns);
		if (notes.n) {
			strbuf_append(into, "  ");
			text_escape(into, strbuf_str(&notes));
		}
		strbuf_append_char(into, '\n');
		if (!err)
			continue;
		strbuf_append(into, "             ");
		text_escape(into, error_message(err));
		strbuf_append_char(into, '\n');
		for (i++; i < n; i++)
			strbuf_appendf(into, "%-11s  not run\n", list[i].name);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

int doctor_kvm_run(struct strbuf *into)
{
	int code;

	strbuf_append(into, "--- ktstr doctor --kvm ---\n");
	append_facts(into);
	code = doctor_kvm_run_steps(steps, ARRAY_SIZE(steps), ACCEL_WISH_KVM, into);
	strbuf_appendf(into, "result:      %s\n", code ? "FAILED" : "ok");
	strbuf_append(into, "--- end ---\n");
	return code;
}
