// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

#include <string.h>

#include "base/clock.h"
#include "kernel/kernel.h"
#include "text/terminal.h"
#include "vm/image/image.h"

enum { CONSOLE_LINES = 15 };

struct advice {
	const struct error_domain *domain;
	int kind;
	bool shows_console;
	const char *hint; /* NULL: the message says it already */
};

static const struct advice rows[] = {
	{ &kernel_error_domain, KERNEL_NOT_CACHED, false, "run `ktstr kernel fetch`" },
	{ &kernel_error_domain, KERNEL_CORRUPT, false,
	  "run `ktstr kernel remove`, then `ktstr kernel fetch`" },
	{ &vm_initramfs_error_domain, VM_INITRAMFS_BUSYBOX, false,
	  "`ktstr doctor` shows what is missing" },
	{ &vm_error_domain, VM_QEMU_MISSING, false, "`ktstr doctor` shows what is missing" },
	{ &vm_error_domain, VM_QEMU_FAILED, true, "`ktstr doctor` shows what works here" },
	{ &vm_error_domain, VM_QEMU_KILLED, true,
	  "unless it was `ktstr vm kill`, the host may be short of memory: see free -m, and dmesg for "
	  "the OOM killer" },
	{ &vm_error_domain, VM_QMP, true, "`ktstr doctor` shows what works here" },
	{ &vm_error_domain, VM_BOOT_TIMEOUT, true,
	  "-v shows how far it came; `ktstr doctor` shows what works here" },
	{ &vm_error_domain, VM_PANIC, true, NULL },
	{ &vm_error_domain, VM_OOM, true, "-m gives the guest more memory" },
	{ &vm_error_domain, VM_TRIPLE_FAULT, true, "--accel tcg rules out the accelerator" },
	{ &vm_error_domain, VM_POWERED_OFF, false, NULL },
	{ &vm_error_domain, VM_REBOOTED, false, "a guest runs once: `ktstr shell` starts another" },
	{ &vm_error_domain, VM_HANG, true, NULL },
	{ &vm_error_domain, VM_AGENT, true, NULL },
	{ &vm_error_domain, VM_TOPOLOGY, true, "`ktstr topo` shows what was asked for" },
	{ &vm_error_domain, VM_TEMPLATE, true, "--cold boots without a template" },
	{ &vm_error_domain, VM_CLONE, true, "--cold boots without a template" },
	{ &vm_error_domain, VM_CACHE_FULL, false,
	  "`ktstr cache clean` frees space; --cold boots without a template" },
};

static const struct advice *find_advice(const struct error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (error_is(err, rows[i].domain, rows[i].kind))
			return &rows[i];
	return NULL;
}

int report_status(const struct vm_end *end)
{
	switch (end->how) {
	case WIRE_END_EXITED:
		return (int)(end->value & 0xff);
	case WIRE_END_SIGNALLED:
	case WIRE_END_TIMED_OUT:
		return SHELL_SIGNAL + (int)(end->value & 0x7f);
	case WIRE_END_NOT_STARTED:
		return end->value == ENOENT ? SHELL_NOT_FOUND : SHELL_NOT_EXECUTABLE;
	}
	return SHELL_FAILED;
}

/* Where the last lines before `end` begin. */
static const char *last_lines(const char *text, const char *end, int lines)
{
	const char *at = end;

	for (; at > text; at--)
		if (at[-1] == '\n' && --lines == 0)
			break;
	return at;
}

static void format_console(const char *console, struct strbuf *into)
{
	const char *end = console + strlen(console), *at;

	/* Empty lines at the end are left out. */
	while (end > console && (end[-1] == '\n' || end[-1] == '\r'))
		end--;
	if (end == console)
		return;
	strbuf_append(into, "the guest's console, last lines:\n");
	for (at = last_lines(console, end, CONSOLE_LINES); at < end;) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		size_t n = (size_t)((nl ? nl : end) - at), shown = n;

		while (shown && at[shown - 1] == '\r')
			shown--;
		strbuf_append(into, "  | ");
		text_escape_bytes(into, at, shown);
		strbuf_append_char(into, '\n');
		at += n + 1;
	}
}

void report_format_failure(const struct error *err, const char *console, struct strbuf *into)
{
	const struct advice *advice = find_advice(err);

	strbuf_append(into, "error: ");
	if (advice && advice->domain == &vm_error_domain)
		strbuf_appendf(into, "[%s] ", error_tag(err));
	text_escape(into, error_message(err));
	strbuf_append_char(into, '\n');
	if (advice && advice->shows_console)
		format_console(console, into);
	/* A message that names the command needs no second one. */
	if (advice && advice->hint && !strstr(error_message(err), "ktstr "))
		strbuf_appendf(into, "hint: %s\n", advice->hint);
}

void report_format_end(const struct vm_end *end, const char *program, struct strbuf *into)
{
	if (end->how == WIRE_END_NOT_STARTED) {
		strbuf_append(into, "ktstr: the guest could not start ");
		text_escape(into, program);
		strbuf_appendf(into, ": %s\n", strerror((int)end->value));
	}
	if (end->oom[0]) {
		strbuf_append(into, "ktstr: the guest ran short of memory (-m gives it more): ");
		text_escape(into, end->oom);
		strbuf_append_char(into, '\n');
	}
}

static double ms(uint64_t ns)
{
	return (double)ns / (double)NS_PER_MS;
}

void timing_begin(struct timing *timing, uint64_t now_ns)
{
	*timing = (struct timing){ .begun_ns = now_ns, .last_ns = now_ns };
}

void timing_mark(struct timing *timing, const char *what, uint64_t now_ns)
{
	if (timing->n < TIMING_LIMIT)
		timing->at[timing->n++].what = what;
	timing->at[timing->n - 1].ns += now_ns - timing->last_ns;
	timing->last_ns = now_ns;
}

void timing_format(const struct timing *timing, struct strbuf *into)
{
	for (size_t i = 0; i < timing->n; i++)
		strbuf_appendf(into, "%s%s %.1f", i ? ", " : "", timing->at[i].what,
			       ms(timing->at[i].ns));
	strbuf_appendf(into, "; %.1f ms in all", ms(timing->last_ns - timing->begun_ns));
}
