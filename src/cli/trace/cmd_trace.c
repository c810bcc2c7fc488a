// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/frame/commands.h"
#include "observe/observe.h"
#include "text/terminal.h"

struct trace_config {
	const char *file;
};

static const struct cli_option options[] = {
	CLI_ARGUMENT("FILE", CLI_STRING(struct trace_config, file),
		     "a trace, as ktstr shell --trace writes it", .required = true,
		     .complete = CLI_COMPLETE_FILE),
};

static void append_value(const struct observe_value *value, struct strbuf *out)
{
	strbuf_appendf(out, " %s=", value->name);
	if (!value->known)
		strbuf_append_char(out, '?');
	else if (value->is_text)
		text_escape(out, value->text);
	else
		strbuf_appendf(out, "%lld", (long long)value->number);
}

static void append_event(const struct observe_event *event, struct strbuf *out)
{
	strbuf_appendf(out, "%8llu %6llu.%09llu ", (unsigned long long)event->sequence,
		       (unsigned long long)(event->time_ns / NS_PER_SEC),
		       (unsigned long long)(event->time_ns % NS_PER_SEC));
	if (event->has_cpu)
		strbuf_appendf(out, "[%03u]", event->cpu);
	else
		strbuf_append(out, "[???]");
	strbuf_appendf(out, " %s:", event->kind);
	for (size_t i = 0; i < event->n; i++)
		append_value(&event->values[i], out);
	strbuf_append_char(out, '\n');
}

static struct error *print(struct bytes bytes)
{
	_cleanup_observe_trace_ struct observe_trace *trace = NULL;
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct error *err = observe_trace_open(bytes, &trace);
	struct observe_event event;
	bool got = true;

	if (err)
		return err;
	while (!err && got) {
		err = observe_trace_next(trace, &event, &got);
		if (!err && got)
			append_event(&event, &out);
		if (out.n > (1 << 16) || !got || err) {
			if (cli_print(&out) != CLI_EXIT_OK)
				break;
			out.n = 0;
		}
	}
	if (observe_trace_blind(trace)[0])
		fprintf(stderr, "not observed: %s\n", observe_trace_blind(trace));
	return err;
}

static struct error *read_file(const char *path, struct bytes *ret)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *at;

	if (fd < 0 || fstat(fd, &st) < 0)
		return observe_error(OBSERVE_FILE, errno, "%s", path);
	if (!S_ISREG(st.st_mode) || st.st_size == 0)
		return observe_error(OBSERVE_TRACE, 0, "%s is not a trace", path);
	at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		return observe_error(OBSERVE_FILE, errno, "%s", path);
	*ret = (struct bytes){ at, (size_t)st.st_size };
	return NULL;
}

static int run(const struct cli_invocation *invocation UNUSED, const void *config_)
{
	const struct trace_config *config = config_;
	struct bytes bytes = { 0 };
	_cleanup_error_ struct error *err = read_file(config->file, &bytes);

	if (!err)
		err = print(bytes);
	if (bytes.n)
		munmap((void *)bytes.at, bytes.n);
	return err ? cli_fail(err) : CLI_EXIT_OK;
}

const struct cli_command cli_cmd_trace = {
	.name = "trace",
	.summary = "Print what a guest's scheduler did",
	.usage = "FILE",
	.description =
		"Prints scheduling events of a guest in the order in which they happened: which, when (by QEMU's clock), on which CPU, with their values.",
	.examples = "  ktstr shell --clock virtual --trace t.trace --exec 'sleep 1'\n"
		    "  ktstr trace t.trace\n",
	CLI_ROWS(options, 1),
	CLI_EXITS_USUAL("printed", "it is not a trace, or it is damaged"),
	.config_size = sizeof(struct trace_config),
	.run = run,
};
