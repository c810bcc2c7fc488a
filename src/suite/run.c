// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/run.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "suite/body.h"
#include "suite/bounded.h"
#include "suite/cgroup.h"
#include "suite/cpus.h"
#include "suite/defaults.h"
#include "suite/kernel_log.h"
#include "suite/leftover.h"
#include "suite/scenario.h"
#include "suite/scheduler.h"
#include "suite/settings.h"
#include "suite/slowness.h"

enum {
	/*
	 * How often the kernel is asked whether the scheduler is still there: seldom enough not to
	 * disturb what is measured. The end of its program is seen at once.
	 */
	ALIVE_MS = 250,
	/* Workers whose class is read then: each costs a file of /proc. */
	CLASSES_AT_ONCE = 16,
	/* For processes that were told to end, before they count as left over. */
	GRACE_MS = 500,
};

struct run {
	const struct ktstr_test *test;
	struct ktstr_checks checks;
	struct report_writer report;
	struct ktstr_ctx ctx; /* of the body; its cgroups and times are ours, too */
	struct topo_machine *machine;
	struct scheduler scheduler;
	struct scenario scenario;
	struct body body;
	bool lost; /* the scheduler went away, and the test with it */
};

static uint64_t scaled(const struct run *run, uint64_t ms)
{
	return slowness_scaled_ms(run->ctx.slowness, ms);
}

static struct error *make_cgroup(struct run *run, const struct ktstr_cgroup *cgroup)
{
	struct cpuset cpus;
	struct error *err = cpus_resolve(&cgroup->cpus, run->machine, &cpus);

	if (err)
		return error_wrap(err, "cgroup %s", cgroup->name);
	err = suite_cgroup_make(run->ctx.cgroups_fd, cgroup->name,
				cgroup->cpus.kind == KTSTR_CPUS_ALL ? NULL : &cpus,
				BOUNDED_AT_ONCE);
	/* What it was given, not what was asked for. */
	if (!err)
		err = cgroup_read_cpus(run->ctx.cgroups_fd, cgroup->name, &cpus);
	if (err)
		return err;
	report_write(&run->report, WIRE_REPORT_CGROUP,
		     &(struct exchange_cgroup){ EXCHANGE_BORROW(cgroup->name), cpus });
	return NULL;
}

/* False when the test ends here; the report says why. */
static bool check_setup(struct run *run, struct error *err)
{
	if (!err)
		return true;
	/* The runner may boot another machine than the declared one. */
	report_part(&run->report,
		    error_is(err, &base_error_domain, BASE_ABSENT) ? KTSTR_REASON_NEEDS_TOPOLOGY
								   : KTSTR_REASON_SETUP,
		    NULL, 0, error_message(err));
	error_free(err);
	return false;
}

static struct error *make_subtree(struct run *run)
{
	struct error *err = cgroup_subtree_make(CGROUP_ROOT, declared_cgroup_count(run->test) > 0,
						BOUNDED_AT_ONCE, &run->ctx.cgroups_fd);
	int errnum = err ? error_errno(err) : 0;

	/* Anybody may run a test by hand that needs no cgroups; it is looked after less well. */
	if (declared_cgroup_count(run->test) ||
	    (errnum != EACCES && errnum != EPERM && errnum != EROFS && errnum != EBUSY))
		return err;
	report_note(&run->report, error_message(err));
	error_free(err);
	return NULL;
}

static bool setup(struct run *run)
{
	const struct ktstr_test *test = run->test;
	size_t n = declared_cgroup_count(test);
	struct error *err = NULL;

	report_stage(&run->report, WIRE_STAGE_SETUP);
	for (size_t i = 0; !err && i < declared_count(test->scheduler.sysctls, KTSTR_MAX_SETTINGS);
	     i++)
		err = settings_write("/proc/sys", test->scheduler.sysctls[i]);
	if (!err)
		err = topo_machine_read("/sys", &run->machine);
	if (!err) {
		run->ctx.online_cpus = run->machine->n_cpus;
		err = make_subtree(run);
	}
	if (!err && n && run->ctx.cgroups_fd < 0)
		err = base_error(BASE_IO, 0, "there is no cgroup v2 at " CGROUP_ROOT);
	for (size_t i = 0; !err && i < n; i++)
		err = make_cgroup(run, &test->cgroups[i]);
	return check_setup(run, err);
}

/* By default the guest's clock decides, however slow it is; what a test declares is scaled. */
static struct scheduler_patience attach_patience(const struct run *run)
{
	uint64_t limit_s = declared_attach_timeout_s(run->test);

	if (!limit_s)
		return (struct scheduler_patience){ SUITE_ATTACH_IDLE_MS, SUITE_ATTACH_TOTAL_MS };
	limit_s = scaled(run, limit_s * 1000);
	return (struct scheduler_patience){ limit_s, limit_s };
}

static bool start_scheduler(struct run *run)
{
	const struct ktstr_test *test = run->test;
	struct scheduler_patience patience = attach_patience(run);
	struct error *err;

	if (!declared_has_scheduler(test)) {
		if (!test->needs.sched_ext || access(scheduler_running_system.sched_ext, F_OK) == 0)
			return true;
		report_part(&run->report, KTSTR_REASON_NEEDS_SCX, NULL, 0,
			    "this kernel has no sched_ext");
		return false;
	}
	report_stage(&run->report, WIRE_STAGE_SCHEDULER);
	run->scheduler.is_judged = run->checks.scheduler_alive == KTSTR_REQUIRED;
	run->scheduler.may_restart = test->scheduler.may_restart;
	err = scheduler_start(&run->scheduler, test->scheduler.argv, declared_scheduler_name(test),
			      &run->report);
	if (error_is(err, &base_error_domain, BASE_ABSENT)) {
		report_part(&run->report, KTSTR_REASON_NEEDS_SCX, NULL, 0, error_message(err));
		error_free(err);
		return false;
	}
	if (!check_setup(run, err))
		return false;
	run->ctx.scheduler_pid = run->scheduler.pid;
	return scheduler_wait_attached(&run->scheduler, &patience, &run->report);
}

static void on_scheduler_lost(struct run *run)
{
	scheduler_report_loss(&run->scheduler, &run->report);
	run->lost = true;
	if (run->body.pid && !run->body.ended) {
		body_kill(&run->body);
		body_reap(&run->body, &run->report);
		report_note(&run->report, "the test's function was ended with the scheduler");
	}
}

static int wait_ms(uint64_t now, uint64_t until, bool watching)
{
	uint64_t left = now < until ? (until - now) / NS_PER_MS + 1 : UINT64_MAX;

	if (watching && left > ALIVE_MS)
		return ALIVE_MS;
	return left > INT32_MAX ? -1 : (int)left;
}

/* Until the duration is over and the function has ended, or the scheduler is gone. */
static void wait_for_work(struct run *run)
{
	uint64_t until = declared_is_timed(run->test)
				 ? clock_monotonic_ns() + run->ctx.duration_ms * NS_PER_MS
				 : 0;
	bool watching = run->scheduler.pid && run->checks.scheduler_alive == KTSTR_REQUIRED;
	uint64_t next_sample = 0;

	for (;;) {
		uint64_t now = clock_monotonic_ns();
		struct pollfd fds[2 + SCHEDULER_FDS] = {
			{ .fd = run->body.ended ? -1 : run->body.pidfd, .events = POLLIN },
			{ .fd = run->body.report_fd, .events = POLLIN },
		};

		if (watching && !scheduler_is_alive(&run->scheduler)) {
			on_scheduler_lost(run);
			return;
		}
		if (watching && now >= next_sample) {
			scenario_sample_classes(&run->scenario, run->scheduler.system->proc,
						CLASSES_AT_ONCE);
			next_sample = now + ALIVE_MS * NS_PER_MS;
		}
		if (now >= until && (!run->body.pid || run->body.ended))
			return;
		if (body_is_unmet(&run->body))
			return;
		scheduler_poll(&run->scheduler, fds + 2);
		poll(fds, ARRAY_SIZE(fds), wait_ms(now, until, watching));
		if (fds[1].revents)
			body_pump(&run->body, &run->report);
		if (fds[0].revents)
			body_reap(&run->body, &run->report);
		scheduler_pump(&run->scheduler);
	}
}

/* Where the body crashed: the address in it is all that addr2line(1) needs. */
static void note_crash_address(struct run *run)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *said = NULL, *note = NULL;

	if (!WIFSIGNALED(run->body.status))
		return;
	fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	said = kernel_log_about(fd, run->body.pid);
	if (!said)
		return;
	note = xasprintf("the kernel says: %s", said);
	report_note(&run->report, note);
}

static void work(struct run *run)
{
	struct error *err;

	run->scenario.watch_cpus = run->checks.isolation == KTSTR_REQUIRED;
	err = scenario_start(&run->scenario, run->test, run->ctx.cgroups_fd,
			     scaled(run, SUITE_WORKERS_READY_MS));
	/* Workers that a broken scheduler does not let start are its loss, not the setup's. */
	if (err && run->scheduler.pid && run->checks.scheduler_alive == KTSTR_REQUIRED &&
	    !scheduler_is_alive(&run->scheduler)) {
		on_scheduler_lost(run);
		error_free(err);
		return;
	}
	if (!err && run->test->run)
		err = body_start(&run->body, &run->ctx, &run->report);
	if (!check_setup(run, err))
		return;
	report_stage(&run->report, WIRE_STAGE_WORK);
	scenario_open_gate(&run->scenario);
	if (run->scheduler.pid)
		scenario_sample_classes(&run->scenario, run->scheduler.system->proc, SIZE_MAX);
	wait_for_work(run);
	if (run->scheduler.pid)
		scenario_sample_classes(&run->scenario, run->scheduler.system->proc, SIZE_MAX);
	if (run->body.pid && !run->lost) {
		body_judge(&run->body, &run->report);
		note_crash_address(run);
	}
	scenario_stop(&run->scenario, scaled(run, SUITE_WORKERS_STOP_MS), &run->report);
}

static void clean_up(struct run *run)
{
	int subtree = run->ctx.cgroups_fd;
	uint64_t limit_ms = scaled(run, SUITE_LEFTOVER_MS);

	report_stage(&run->report, WIRE_STAGE_CLEANUP);
	scheduler_finish(&run->scheduler, &run->report);
	scenario_deinit(&run->scenario);
	/* A function that crashed could not end its payloads; one that returned has done so. */
	if (run->body.finished && !leftover_wait(subtree, scaled(run, GRACE_MS)))
		leftover_report(subtree, "processes outlived the test", &run->report);
	if (!leftover_kill(subtree, limit_ms))
		leftover_report(subtree, "processes do not die of SIGKILL", &run->report);
	if (subtree >= 0) {
		_cleanup_error_ struct error *err = cgroup_subtree_remove(
			CGROUP_ROOT, subtree,
			declared_has_scheduler(run->test) ? scaled(run, SUITE_CGROUP_WRITE_MS)
							  : BOUNDED_AT_ONCE);

		if (err)
			report_note(&run->report, error_message(err));
	}
}

int suite_run_test(const struct ktstr_entry *entry)
{
	struct run run = { .test = entry->test, .body = BODY_INIT };
	struct error *err = slowness_parse(getenv(WIRE_SLOWNESS_ENV), &run.ctx.slowness);

	if (!err)
		err = report_writer_open(&run.report);
	if (err) {
		fprintf(stderr, "ktstr: %s\n", error_message(err));
		error_free(err);
		return SUITE_EXIT_REPORT;
	}
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	/* Whoever loses its parent comes to us. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	run.checks = suite_declared_checks(entry->test);
	run.ctx.entry = entry;
	run.ctx.test = entry->test;
	run.ctx.duration_ms = declared_duration_s(entry->test) * 1000;
	run.ctx.cgroups_fd = -1;
	run.ctx.report.from_ns = run.report.from_ns;
	scheduler_init(&run.scheduler, &scheduler_running_system, run.ctx.slowness);
	report_begin(&run.report, entry->name);
	if (setup(&run) && start_scheduler(&run))
		work(&run);
	clean_up(&run);
	report_end(&run.report);
	body_deinit(&run.body);
	scheduler_deinit(&run.scheduler);
	topo_machine_free(run.machine);
	if (run.ctx.cgroups_fd >= 0)
		close(run.ctx.cgroups_fd);
	report_writer_deinit(&run.report);
	return 0;
}
