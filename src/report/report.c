// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "report/form.h"
#include "text/terminal.h"

const char *const report_format_names[REPORT_N_FORMATS + 1] = {
#define REPORT_FORMAT(id, word, help) [REPORT_##id] = word,
#include "report/report_formats.def"
#undef REPORT_FORMAT
};

static const struct report_form *const forms[REPORT_N_FORMATS] = {
	[REPORT_PRETTY] = &report_form_pretty,
	[REPORT_KTAP] = &report_form_ktap,
	[REPORT_JUNIT] = &report_form_junit,
	[REPORT_JSON] = &report_form_json_lines,
};

struct report_options report_options_for(int fd)
{
	const char *term = getenv("TERM");

	return (struct report_options){
		.fd = fd,
		.terminal = text_terminal_is(fd) && term && *term && strcmp(term, "dumb") != 0,
		.colour = text_terminal_has_colour(fd),
	};
}

const struct exchange_part *report_deciding_part(const struct result_outcome *outcome)
{
	for (size_t i = 0; i < outcome->parts.n; i++) {
		const struct exchange_part *part = &outcome->parts.at[i];

		if (part->reason == outcome->reason && strcmp(part->text, outcome->why) == 0)
			return part;
	}
	return NULL;
}

struct error *report_run_new(enum report_format format, const struct report_options *options,
			     struct report_run **ret)
{
	_cleanup_report_reporter_ struct report_run *r = xnew(struct report_run);

	r->form = forms[format];
	r->options = *options;
	r->options.path = NULL;
	r->own_fd = -1;
	if (options->path) {
		r->path = xstrdup(options->path);
		if (!r->form->whole) {
			r->own_fd = open(r->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
			if (r->own_fd < 0)
				return base_error(BASE_IO, errno, "cannot open %s", r->path);
		}
		r->options.terminal = false;
		r->options.colour = false;
	}
	if (r->form->new)
		r->state = r->form->new();
	*ret = take_ptr(r);
	return NULL;
}

static void flush(struct report_run *r)
{
	const char *label = r->path ? r->path : "the report";
	int fd = r->own_fd >= 0 ? r->own_fd : r->options.fd;

	if (!r->err && r->out.n)
		r->err = r->path && r->own_fd < 0 ? io_replace_file(r->path, r->out.at, r->out.n)
						  : report_deliver(fd, label, r->out.at, r->out.n,
								   r->options.cancel);
	strbuf_clear(&r->out);
}

void report_run_free(struct report_run *r)
{
	if (!r)
		return;
	if (r->form->abandon && !r->ended) {
		r->form->abandon(r);
		flush(r);
	}
	if (r->form->free)
		r->form->free(r->state);
	cleanup_fd(&r->own_fd);
	strbuf_deinit(&r->out);
	error_free(r->err);
	free(r->path);
	free((char *)r->plan.kernels);
	free((char *)r->plan.dir);
	free(r->finished);
	free(r);
}

struct error *report_run_begin(struct report_run *r, const struct report_plan *plan)
{
	struct error *err;
	void *finished;

	err = alloc_checked(plan->n_tests, sizeof(*r->finished), REPORT_LIMIT_TESTS,
			    "the plan's tests", &finished);
	if (err)
		return err;
	r->finished = finished;
	r->plan = *plan;
	r->plan.kernels = plan->kernels ? xstrdup(plan->kernels) : NULL;
	r->plan.dir = plan->dir ? xstrdup(plan->dir) : NULL;
	if (r->form->begin)
		r->form->begin(r);
	flush(r);
	return NULL;
}

static void check_index(const struct report_run *r, size_t index)
{
	if (index >= r->plan.n_tests || r->finished[index])
		abort();
}

void report_run_started(struct report_run *r, size_t index, const char *name, uint64_t now_ns)
{
	check_index(r, index);
	if (r->form->started)
		r->form->started(r, index, name, now_ns);
	flush(r);
}

void report_run_progress(struct report_run *r, size_t index, const char *stage)
{
	check_index(r, index);
	if (r->form->progress)
		r->form->progress(r, index, stage);
	flush(r);
}

void report_run_tick(struct report_run *r, uint64_t now_ns)
{
	if (r->form->tick)
		r->form->tick(r, now_ns);
	flush(r);
}

void report_run_finished(struct report_run *r, size_t index, const struct result_outcome *outcome)
{
	check_index(r, index);
	r->finished[index] = true;
	r->n_finished++;
	r->counts[outcome->verdict]++;
	r->form->finished(r, index, outcome);
	flush(r);
}

struct error *report_run_end(struct report_run *r, const struct report_ending *ending)
{
	r->ended = true;
	r->form->end(r, ending);
	flush(r);
	return take_ptr(r->err);
}

bool report_run_failed(const struct report_run *r)
{
	return r->err;
}

/* How often a cancellation is looked at; a signal may have gone to another thread. */
enum { LOOK_MS = 50 };

struct error *report_deliver(int fd, const char *label, const void *bytes, size_t n,
			     const struct cancel *cancel)
{
	uint64_t until_ns = 0;
	const char *at = bytes;

	while (n) {
		struct pollfd pollfd = { .fd = fd, .events = POLLOUT };
		/* What poll() promises room for in a pipe; more could wait in write(). */
		size_t piece = n < PIPE_BUF ? n : PIPE_BUF;
		ssize_t wrote;

		if (!until_ns && cancel_requested(cancel))
			until_ns = clock_monotonic_ns() + REPORT_HURRY_MS * NS_PER_MS;
		if (poll(&pollfd, 1, LOOK_MS) <= 0) {
			if (until_ns && clock_monotonic_ns() >= until_ns)
				return base_error(BASE_CANCELLED, 0,
						  "write %s: the reader does not read", label);
			continue;
		}
		wrote = write(fd, at, piece);
		if (wrote < 0 && errno != EINTR && errno != EAGAIN)
			return base_error(BASE_IO, errno, "write %s", label);
		if (wrote > 0) {
			at += wrote;
			n -= (size_t)wrote;
		}
	}
	return NULL;
}

void report_format_elapsed(struct strbuf *into, uint64_t ns)
{
	unsigned long long s = ns / NS_PER_SEC;

	if (s < 60)
		strbuf_appendf(into, "%llu s", s);
	else if (s < 3600)
		strbuf_appendf(into, "%llu min %02llu s", s / 60, s % 60);
	else
		strbuf_appendf(into, "%llu h %02llu min", s / 3600, s / 60 % 60);
}

void report_format_duration(struct strbuf *into, uint64_t ns)
{
	unsigned long long tenths = ns / (NS_PER_SEC / 10);

	if (tenths >= 10000)
		report_format_elapsed(into, ns);
	else
		strbuf_appendf(into, "%llu.%llu s", tenths / 10, tenths % 10);
}

void report_format_counts(struct strbuf *into, const size_t counts[RESULT_N_VERDICTS],
			  size_t n_tests)
{
	static const struct {
		enum ktstr_verdict verdict;
		const char *word;
	} rows[] = {
		{ KTSTR_PASS, "passed" },
		{ KTSTR_FAIL, "failed" },
		{ KTSTR_SKIP, "skipped" },
		{ KTSTR_BROKEN, "broken" },
		{ KTSTR_INCONCLUSIVE, "inconclusive" },
	};
	const char *before = ": ";
	size_t told = 0;

	_Static_assert(ARRAY_SIZE(rows) == RESULT_N_VERDICTS, "a verdict has no word");
	strbuf_appendf(into, "%zu test%s", n_tests, n_tests == 1 ? "" : "s");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t n = counts[rows[i].verdict];

		if (n == 0)
			continue;
		strbuf_appendf(into, "%s%zu %s", before, n, rows[i].word);
		before = ", ";
		told += n;
	}
	if (told < n_tests)
		strbuf_appendf(into, "%s%zu not run", before, n_tests - told);
}
