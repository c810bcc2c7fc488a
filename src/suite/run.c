// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/run.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "base/clock.h"
#include "suite/body.h"
#include "suite/defaults.h"
#include "suite/slowness.h"

struct run {
	const struct ktstr_test *test;
	struct report_writer report;
	struct ktstr_ctx ctx;
	struct body body;
};

static void wait_for_work(struct run *run)
{
	uint64_t until = clock_monotonic_ns() + run->ctx.duration_ms * NS_PER_MS;

	if (run->body.pid)
		until = 0;
	for (;;) {
		uint64_t now = clock_monotonic_ns();
		struct pollfd fds[] = {
			{ .fd = run->body.ended ? -1 : run->body.pidfd, .events = POLLIN },
			{ .fd = run->body.report_fd, .events = POLLIN },
		};

		if (now >= until && (!run->body.pid || run->body.ended))
			return;
		poll(fds, ARRAY_SIZE(fds), now < until ? (int)((until - now) / NS_PER_MS) + 1 : -1);
		if (fds[1].revents)
			body_pump(&run->body, &run->report);
		if (fds[0].revents)
			body_reap(&run->body, &run->report);
	}
}

static struct error *work(struct run *run)
{
	if (run->test->run) {
		struct error *err = body_start(&run->body, &run->ctx, &run->report);

		if (err)
			return err;
	}
	report_stage(&run->report, WIRE_STAGE_WORK);
	wait_for_work(run);
	if (run->body.pid)
		body_judge(&run->body, &run->report);
	return NULL;
}

int run_test(const struct ktstr_entry *entry)
{
	struct run run = { .test = entry->test, .body = BODY_INIT };
	struct error *err = report_writer_open(&run.report);

	if (err) {
		fprintf(stderr, "ktstr: %s\n", error_message(err));
		error_free(err);
		return SUITE_EXIT_REPORT;
	}
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	report_begin(&run.report, entry->name);
	report_stage(&run.report, WIRE_STAGE_SETUP);
	run.ctx = (struct ktstr_ctx){
		.entry = entry,
		.test = entry->test,
		.duration_ms = declared_duration_s(entry->test) * 1000,
		.cgroups_fd = -1,
		.online_cpus = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN),
	};
	run.ctx.report.from_ns = run.report.from_ns;
	err = slowness_parse(getenv(WIRE_SLOWNESS_ENV), &run.ctx.slowness);
	if (!err)
		err = work(&run);
	if (err)
		report_part(&run.report, KTSTR_REASON_SETUP, NULL, 0, error_message(err));
	error_free(err);
	report_stage(&run.report, WIRE_STAGE_CLEANUP);
	report_end(&run.report);
	body_deinit(&run.body);
	report_writer_deinit(&run.report);
	return 0;
}
