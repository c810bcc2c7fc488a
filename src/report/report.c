// SPDX-License-Identifier: LGPL-2.1-or-later

#include <fcntl.h>
#include <string.h>

#include "base/alloc.h"
#include "base/io.h"
#include "report/form.h"
#include "text/terminal.h"

const char *const report_format_names[REPORT_N_FORMATS + 1] = {
#define REPORT_FORMAT(id, word, help) [REPORT_##id] = word,
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

const struct result_part *report_deciding_part(const struct result_outcome *outcome)
{
	for (size_t i = 0; i < outcome->parts.n; i++) {
		const struct result_part *part = &outcome->parts.at[i];

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
				return base_error(BASE_IO, errno, "open %s", r->path);
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
	free((char *)r->plan.folder);
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
	r->begun = true;
	r->plan = *plan;
	r->plan.kernels = plan->kernels ? xstrdup(plan->kernels) : NULL;
	r->plan.folder = plan->folder ? xstrdup(plan->folder) : NULL;
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

void report_run_say(struct report_run *r, const char *text)
{
	if (r->form->say && (r->begun || r->form->says_early))
		r->form->say(r, text);
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
