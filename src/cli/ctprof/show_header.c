// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "cli/ctprof/show.h"
#include "ctprof/snapshot.h"
#include "text/terminal.h"

enum { LABEL_COLUMNS = 10 };

static void append_line(const char *label, const char *text, const struct text_look *look,
			struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf safe = STRBUF_INIT;

	if (!*text)
		return;
	text_escape(&safe, text);
	strbuf_append(into, look->colour ? TEXT_DIM : "");
	strbuf_appendf(into, "%-*s", LABEL_COLUMNS, label);
	strbuf_append(into, look->colour ? TEXT_RESET : "");
	text_wrap(into, strbuf_str(&safe), LABEL_COLUMNS, look->columns ? look->columns : SIZE_MAX);
	strbuf_append_char(into, '\n');
}

static void format_origin(const struct ctprof_snapshot_origin *origin, struct strbuf *into)
{
	strbuf_append(into, origin->path);
	if (origin->frames > 1)
		strbuf_appendf(into, ", %" PRIu64 " of %" PRIu64 " snapshots", origin->frame,
			       origin->frames);
}

static void format_time(const struct ctprof_snapshot *snapshot, struct strbuf *into)
{
	time_t sec = (time_t)(snapshot->captured_at_unix_ns / NS_PER_SEC);
	uint64_t end = snapshot->capture_end_unix_ns.value, took;
	char text[64];
	struct tm utc;

	if (!gmtime_r(&sec, &utc) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &utc))
		return;
	strbuf_appendf(into, "%s.%03u UTC", text,
		       (unsigned int)(snapshot->captured_at_unix_ns % NS_PER_SEC / NS_PER_MS));
	if (snapshot->capture_end_unix_ns.known &&
	    sub_fits_u64(end, snapshot->captured_at_unix_ns, &took)) {
		strbuf_append(into, ", took ");
		text_format_duration(into, took);
	}
}

static void append_part(struct strbuf *into, const char *text)
{
	if (text && *text)
		strbuf_appendf(into, "%s%s", into->n ? ", " : "", text);
}

static void format_host(const struct host_facts *host, struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf memory = STRBUF_INIT;
	const char *const names[] = { host->kernel_name, host->kernel_release, host->arch };
	uint64_t bytes;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i])
			strbuf_appendf(into, "%s%s", into->n ? " " : "", names[i]);
	}
	if (host->online_cpus.known)
		strbuf_appendf(into, "%s%" PRIu64 " CPUs", into->n ? ", " : "",
			       host->online_cpus.value);
	if (host->numa_nodes.known && host->numa_nodes.value > 1)
		strbuf_appendf(into, " in %" PRIu64 " nodes", host->numa_nodes.value);
	append_part(into, host->cpu_model);
	if (host->total_memory_kib.known &&
	    mul_fits_u64(host->total_memory_kib.value, 1024, &bytes))
		text_format_bytes(&memory, bytes);
	append_part(into, strbuf_str(&memory));
}

static void format_counts(const struct ctprof_snapshot *snapshot, struct strbuf *into)
{
	size_t processes = 0;

	/* They are in the order of their processes. */
	for (size_t i = 0; i < snapshot->threads.n; i++)
		processes += i == 0 ||
			     snapshot->threads.at[i].tgid != snapshot->threads.at[i - 1].tgid;
	strbuf_appendf(into, "%zu in %zu processes, %zu cgroups", snapshot->threads.n, processes,
		       snapshot->cgroups.n);
}

/* "procfs: stat io; netlink: taskstats-cpu; not read: heap" */
static void format_paths(const struct ctprof_snapshot *snapshot, struct strbuf *into)
{
	for (int step = 1; step <= CTPROF_N_PATHS; step++) {
		int path = step % CTPROF_N_PATHS;
		bool any = false;

		for (int i = 0; i < METRIC_N_SOURCES; i++) {
			if (snapshot->paths[i] != (enum ctprof_path)path)
				continue;
			if (!any)
				strbuf_appendf(into, "%s%s:", into->n ? "; " : "",
					       path == CTPROF_SNAPSHOT_PATH_NONE
						       ? "not read"
						       : ctprof_path_words[path]);
			strbuf_appendf(into, " %s", metric_sources[i].word);
			any = true;
		}
	}
}

/* "io in 14 threads (no-permission)"; what was expected to be missing is left out. */
static void format_reasons(const struct ctprof_snapshot *snapshot, struct strbuf *into)
{
	for (int i = 0; i < METRIC_N_SOURCES; i++) {
		for (int r = 0; r < CTPROF_N_REASONS; r++) {
			if (!snapshot->reasons[i][r] || r == CTPROF_SNAPSHOT_REASON_NOT_ASKED ||
			    r == CTPROF_SNAPSHOT_REASON_NO_MEMORY)
				continue;
			strbuf_appendf(
				into, "%s%s in %" PRIu64 " thread%s (%s)", into->n ? ", " : "",
				metric_sources[i].word, snapshot->reasons[i][r],
				snapshot->reasons[i][r] == 1 ? "" : "s", ctprof_reason_words[r]);
		}
	}
}

static void append_summary(bool (*format)(const struct ctprof_snapshot *, struct strbuf *),
			   const char *label, const struct profile *profile,
			   const struct text_look *look, struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *words;

	if (!format(profile->snapshot, &text))
		return;
	/* "ctprof parse: …" has its label already. */
	words = strstr(strbuf_str(&text), ": ");
	append_line(label, words ? words + 2 : strbuf_str(&text), look, into);
}

static void append_made(void (*format)(const struct ctprof_snapshot *, struct strbuf *),
			const char *label, const struct profile *profile,
			const struct text_look *look, struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	format(profile->snapshot, &text);
	append_line(label, strbuf_str(&text), look, into);
}

void show_format_header(const struct profile *profile, const struct text_look *look,
			struct strbuf *into)
{
	const struct ctprof_snapshot *snapshot = profile->snapshot;
	_cleanup_strbuf_ struct strbuf origin = STRBUF_INIT, host = STRBUF_INIT;

	format_origin(profile->origin, &origin);
	append_line("snapshot", strbuf_str(&origin), look, into);
	append_made(format_time, "captured", profile, look, into);
	if (snapshot->has_host)
		format_host(&snapshot->host, &host);
	append_line("host", strbuf_str(&host), look, into);
	append_made(format_counts, "threads", profile, look, into);
	append_summary(ctprof_summary_format_parse, "parse", profile, look, into);
	append_summary(ctprof_summary_format_probe, "probe", profile, look, into);
	append_summary(ctprof_summary_format_taskstats, "taskstats", profile, look, into);
	if (snapshot->has_presence) {
		append_made(format_paths, "sources", profile, look, into);
		append_made(format_reasons, "unread", profile, look, into);
	} else {
		append_line(
			"note",
			"the file does not say which values were measured (presence not in file): "
			"delays, watermarks and heap go by their flags, all others count as measured",
			look, into);
	}
}
