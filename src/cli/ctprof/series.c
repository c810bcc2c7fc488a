// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/cmd_capture.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "text/terminal.h"

enum { TRIES = 1000 };

static void append_stem(const char *host, uint64_t unix_sec, struct strbuf *into)
{
	time_t time = (time_t)unix_sec;
	char stamp[32];
	struct tm tm;

	/* Neither hidden nor an option. */
	if (!*host || *host == '.' || *host == '-')
		strbuf_append(into, "host");
	for (; *host; host++)
		strbuf_append_char(
			into, isalnum((unsigned char)*host) || strchr(".-_", *host) ? *host : '_');
	gmtime_r(&time, &tm);
	strftime(stamp, sizeof(stamp), "-%Y%m%dT%H%M%SZ", &tm);
	strbuf_append(into, stamp);
}

char *snapshot_name_new(const char *host, uint64_t unix_sec)
{
	_cleanup_strbuf_ struct strbuf stem = STRBUF_INIT;
	struct stat st;
	char *name;

	append_stem(host, unix_sec, &stem);
	name = xasprintf("%s" SNAPSHOT_SUFFIX, strbuf_str(&stem));
	for (int i = 2; i < TRIES && lstat(name, &st) == 0; i++) {
		free(name);
		name = xasprintf("%s-%d" SNAPSHOT_SUFFIX, strbuf_str(&stem), i);
	}
	return name;
}

#define SHORTEST_NS NS_PER_MS
#define LONGEST_NS  (24 * 3600 * NS_PER_SEC)

static const struct {
	const char *unit;
	uint64_t ns;
} units[] = {
	{ "ms", NS_PER_MS },
	{ "s", NS_PER_SEC },
	{ "m", 60 * NS_PER_SEC },
	{ "h", 3600 * NS_PER_SEC },
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits, `fraction` of them after the point; exact, whatever the unit. */
static bool take_digits(const char **at, uint64_t *number, uint64_t *scale)
{
	bool any = false, point = false;

	for (;; (*at)++) {
		if (**at == '.' && !point && any && is_digit((*at)[1])) {
			point = true;
			continue;
		}
		if (!is_digit(**at))
			return any;
		any = true;
		if (!mul_fits_u64(*number, 10, number) ||
		    !add_fits_u64(*number, (uint64_t)(**at - '0'), number) ||
		    (point && !mul_fits_u64(*scale, 10, scale)))
			return false;
	}
}

bool interval_parse(const char *text, uint64_t *ret_ns)
{
	uint64_t number = 0, scale = 1, ns;

	if (!take_digits(&text, &number, &scale))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(text, units[i].unit) != 0)
			continue;
		if (!mul_fits_u64(number, units[i].ns, &ns))
			return false;
		ns /= scale;
		if (ns < SHORTEST_NS || ns > LONGEST_NS)
			return false;
		*ret_ns = ns;
		return true;
	}
	return false;
}

uint64_t interval_next(uint64_t start_ns, uint64_t interval_ns, uint64_t *slot, uint64_t now_ns,
		       uint64_t *missed)
{
	uint64_t next_ns = start_ns + ++*slot * interval_ns;
	uint64_t over;

	if (next_ns >= now_ns)
		return next_ns;
	over = (now_ns - next_ns + interval_ns - 1) / interval_ns;
	*missed += over;
	*slot += over;
	return next_ns + over * interval_ns;
}

static uint64_t ns_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_usec * 1000;
}

struct cost_clock cost_clock_read(void)
{
	struct cost_clock clock = { .wall_ns = clock_monotonic_ns() };
	const int whom[] = { RUSAGE_SELF, RUSAGE_CHILDREN };

	for (size_t i = 0; i < ARRAY_SIZE(whom); i++) {
		struct rusage usage;

		if (getrusage(whom[i], &usage) == 0)
			clock.cpu_ns += ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
	}
	return clock;
}

void cost_add(struct cost *cost, const struct cost_clock *since,
	      const struct ctprof_snapshot *snapshot, const struct ctprof_snapshot_frame_size *size)
{
	struct cost_clock now = cost_clock_read();

	cost->snapshots++;
	cost->threads += snapshot->threads.n;
	cost->wall_ns += now.wall_ns - since->wall_ns;
	cost->cpu_ns += now.cpu_ns - since->cpu_ns;
	cost->json_bytes += size->json_bytes;
	cost->file_bytes += size->file_bytes;
}

uint64_t cost_threads_per_second(const struct cost *cost)
{
	return cost->wall_ns
		       ? (uint64_t)((unsigned __int128)cost->threads * NS_PER_SEC / cost->wall_ns)
		       : 0;
}

void cost_format(const struct cost *cost, struct strbuf *into)
{
	strbuf_append(into, "ctprof cost: ");
	text_format_duration(into, cost->wall_ns);
	strbuf_append(into, " wall, ");
	text_format_duration(into, cost->cpu_ns);
	strbuf_append(into, " CPU, ");
	text_format_bytes(into, cost->file_bytes);
	strbuf_append(into, " written (");
	text_format_bytes(into, cost->json_bytes);
	strbuf_appendf(into, " of JSON), %" PRIu64 " threads/s", cost_threads_per_second(cost));
}

void cost_write(const struct cost *cost, struct json_writer *w)
{
	json_add_u64(w, "threads", cost->threads);
	json_add_u64(w, "wall_ns", cost->wall_ns);
	json_add_u64(w, "cpu_ns", cost->cpu_ns);
	json_add_u64(w, "json_bytes", cost->json_bytes);
	json_add_u64(w, "file_bytes", cost->file_bytes);
	json_add_u64(w, "threads_per_second", cost_threads_per_second(cost));
}

void screen_format_progress(const struct ctprof_progress *progress, struct strbuf *into)
{
	strbuf_append(into, progress->stage ? progress->stage : "working");
	if (progress->processes_total)
		strbuf_appendf(into, ": %" PRIu64 " of %" PRIu64 " processes",
			       progress->processes_done, progress->processes_total);
	if (progress->threads)
		strbuf_appendf(into, ", %" PRIu64 " threads", progress->threads);
}

void screen_progress(const struct ctprof_progress *progress, void *screen)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	screen_format_progress(progress, &line);
	cli_screen_show(screen, strbuf_str(&line));
}

void screen_note(const char *line, void *screen_)
{
	struct cli_screen *screen = screen_;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!screen->verbose)
		return;
	strbuf_appendf(&text, "note: %s", line);
	cli_screen_say(screen, strbuf_str(&text));
}

static struct error *take_one(struct series *series)
{
	struct cost_clock since = cost_clock_read();
	struct ctprof_snapshot_frame_size size;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot = { 0 };
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	struct cost cost = { 0 };
	struct error *err;

	series->screen->began_ns = clock_monotonic_ns();
	err = series->take(series->options, &snapshot);
	cli_screen_clear(series->screen);
	if (err)
		return err;
	/* Between taking and writing the user may have changed their mind; later they wait. */
	err = cancel_error(series->options->cancel, "the capture");
	if (!err)
		err = ctprof_snapshot_output_add(series->output, &snapshot, &size);
	if (err)
		return err;
	cost_add(&cost, &since, &snapshot, &size);
	cost_add(&series->cost, &since, &snapshot, &size);
	capture_report_add(series->report, &snapshot, &cost, series->cost.snapshots, &line);
	if (line.n)
		cli_screen_say(series->screen, line.at);
	return NULL;
}

struct error *series_run(struct series *series)
{
	const struct cancel *cancel = series->options->cancel;
	uint64_t start_ns = clock_monotonic_ns(), slot = 0;

	for (uint64_t i = 0; i < series->count; i++) {
		struct error *err;

		if (i) {
			uint64_t now_ns = clock_monotonic_ns();
			uint64_t next_ns = interval_next(start_ns, series->interval_ns, &slot,
							 now_ns, &series->missed);

			if (!cancel_sleep(cancel, next_ns - now_ns))
				return cancel_error(cancel, "the series");
		}
		err = take_one(series);
		if (err)
			return err;
	}
	return NULL;
}
