// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/ctx.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "suite/declared.h"
#include "suite/scenario.h"
#include "suite/scheduler.h"
#include "suite/system.h"

enum {
	/*
	 * How often the kernel is asked whether the scheduler is still there: seldom enough not to
	 * disturb what is measured. The end of its program is seen at once.
	 */
	ALIVE_MS = 250,
	/* Workers whose class is read then: each costs a file of /proc. */
	CLASSES_AT_ONCE = 16,
	/* For processes that were asked to end, before they count as left over. */
	GRACE_MS = 500,
};

struct run {
	const struct ktstr_test *test;
	struct ktstr_checks checks;
	struct suite_report_writer report;
	struct ktstr_ctx ctx; /* of the body; its cgroups and times are ours, too */
	struct topo_machine *machine;
	struct suite_scheduler scheduler;
	struct suite_scenario scenario;
	struct suite_body body;
	bool lost; /* the scheduler went away, and the test with it */
};

static uint64_t scaled(const struct run *run, uint64_t ms)
{
	return suite_slowness_scaled_ms(run->ctx.slowness, ms);
}

static struct error *make_cgroup(struct run *run, const struct ktstr_cgroup *cgroup)
{
	struct topo_cpuset cpus;
	struct error *err = suite_cpus_resolve(&cgroup->cpus, run->machine, &cpus);

	if (err)
		return error_wrap(err, "cgroup %s", cgroup->name);
	err = suite_cgroup_make(run->ctx.cgroups_fd, cgroup->name,
				cgroup->cpus.kind == KTSTR_CPUS_ALL ? NULL : &cpus,
				SUITE_BOUNDED_AT_ONCE);
	/* What it was given, not what was asked for. */
	if (!err)
		err = suite_cgroup_read_cpus(run->ctx.cgroups_fd, cgroup->name, &cpus);
	if (err)
		return err;
	suite_report_write(&run->report, WIRE_REPORT_CGROUP,
			   &(struct exchange_cgroup){ EXCHANGE_BORROW(cgroup->name), cpus });
	return NULL;
}

/* False when the test ends here; the report says why. */
static bool check_setup(struct run *run, struct error *err)
{
	if (!err)
		return true;
	/* The runner may boot another machine than the declared one. */
	suite_report_part(&run->report,
			  error_is(err, &base_error_domain, BASE_ABSENT)
				  ? KTSTR_REASON_NEEDS_TOPOLOGY
				  : KTSTR_REASON_SETUP,
			  NULL, 0, error_message(err));
	error_free(err);
	return false;
}

static struct error *make_subtree(struct run *run)
{
	struct error *err = suite_cgroup_subtree_make(SUITE_CGROUP_ROOT,
						      suite_declared_cgroup_count(run->test) > 0,
						      SUITE_BOUNDED_AT_ONCE, &run->ctx.cgroups_fd);
	int errnum = err ? error_errno(err) : 0;

	/* Anybody may run a test by hand that needs no cgroups; it is looked after less well. */
	if (suite_declared_cgroup_count(run->test) ||
	    (errnum != EACCES && errnum != EPERM && errnum != EROFS && errnum != EBUSY))
		return err;
	suite_report_note(&run->report, error_message(err));
	error_free(err);
	return NULL;
}

static bool setup(struct run *run)
{
	const struct ktstr_test *test = run->test;
	size_t n = suite_declared_cgroup_count(test);
	struct error *err = NULL;

	suite_report_stage(&run->report, WIRE_STAGE_SETUP);
	for (size_t i = 0;
	     !err && i < suite_declared_count(test->scheduler.sysctls, KTSTR_MAX_SETTINGS); i++)
		err = suite_settings_write("/proc/sys", test->scheduler.sysctls[i]);
	if (!err)
		err = topo_machine_read("/sys", &run->machine);
	if (!err) {
		run->ctx.online_cpus = run->machine->n_cpus;
		err = make_subtree(run);
	}
	if (!err && n && run->ctx.cgroups_fd < 0)
		err = base_error(BASE_IO, 0, "there is no cgroup v2 at " SUITE_CGROUP_ROOT);
	for (size_t i = 0; !err && i < n; i++)
		err = make_cgroup(run, &test->cgroups[i]);
	return check_setup(run, err);
}

/* By default the guest's clock decides, however slow it is; what a test declares is scaled. */
static struct suite_scheduler_patience attach_patience(const struct run *run)
{
	uint64_t limit_s = run->test->scheduler.attach_timeout_s;

	if (!limit_s)
		return (struct suite_scheduler_patience){ SUITE_ATTACH_IDLE_MS,
							  SUITE_ATTACH_TOTAL_MS };
	limit_s = scaled(run, limit_s * 1000);
	return (struct suite_scheduler_patience){ limit_s, limit_s };
}

static bool start_scheduler(struct run *run)
{
	const struct ktstr_test *test = run->test;
	struct suite_scheduler_patience patience = attach_patience(run);
	struct error *err;

	if (!suite_declared_has_scheduler(test)) {
		if (!test->needs.sched_ext ||
		    access(suite_scheduler_running_system.sched_ext, F_OK) == 0)
			return true;
		suite_report_part(&run->report, KTSTR_REASON_NEEDS_SCX, NULL, 0,
				  "this kernel has no sched_ext");
		return false;
	}
	suite_report_stage(&run->report, WIRE_STAGE_SCHEDULER);
	run->scheduler.is_judged = run->checks.scheduler_alive == KTSTR_REQUIRED;
	run->scheduler.may_restart = test->scheduler.may_restart;
	err = suite_scheduler_start(&run->scheduler, test->scheduler.argv,
				    suite_declared_scheduler_name(test), &run->report);
	if (error_is(err, &base_error_domain, BASE_ABSENT)) {
		suite_report_part(&run->report, KTSTR_REASON_NEEDS_SCX, NULL, 0,
				  error_message(err));
		error_free(err);
		return false;
	}
	if (!check_setup(run, err))
		return false;
	run->ctx.scheduler_pid = run->scheduler.pid;
	return suite_scheduler_wait_attached(&run->scheduler, &patience, &run->report);
}

static void on_scheduler_lost(struct run *run)
{
	suite_scheduler_report_loss(&run->scheduler, &run->report);
	run->lost = true;
	if (run->body.pid && !run->body.ended) {
		suite_body_kill(&run->body);
		suite_body_reap(&run->body, &run->report);
		suite_report_note(&run->report, "the test's function was ended with the scheduler");
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
	uint64_t until = suite_declared_is_timed(run->test)
				 ? clock_monotonic_ns() + run->ctx.duration_ms * NS_PER_MS
				 : 0;
	bool watching = run->scheduler.pid && run->checks.scheduler_alive == KTSTR_REQUIRED;
	uint64_t next_sample = 0;

	for (;;) {
		uint64_t now = clock_monotonic_ns();
		struct pollfd fds[2 + SUITE_SCHEDULER_FDS] = {
			{ .fd = run->body.ended ? -1 : run->body.pidfd, .events = POLLIN },
			{ .fd = run->body.report_fd, .events = POLLIN },
		};

		if (watching && !suite_scheduler_is_alive(&run->scheduler)) {
			on_scheduler_lost(run);
			return;
		}
		if (watching && now >= next_sample) {
			suite_scenario_sample_classes(&run->scenario, run->scheduler.system->proc,
						      CLASSES_AT_ONCE);
			next_sample = now + ALIVE_MS * NS_PER_MS;
		}
		if (now >= until && (!run->body.pid || run->body.ended))
			return;
		if (suite_body_is_unmet(&run->body))
			return;
		suite_scheduler_poll(&run->scheduler, fds + 2);
		poll(fds, ARRAY_SIZE(fds), wait_ms(now, until, watching));
		if (fds[1].revents)
			suite_body_pump(&run->body, &run->report);
		if (fds[0].revents)
			suite_body_reap(&run->body, &run->report);
		suite_scheduler_pump(&run->scheduler);
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
	said = suite_kernel_log_about(fd, run->body.pid);
	if (!said)
		return;
	note = xasprintf("the kernel says: %s", said);
	suite_report_note(&run->report, note);
}

static void work(struct run *run)
{
	struct error *err;

	run->scenario.watch_cpus = run->checks.isolation == KTSTR_REQUIRED;
	err = suite_scenario_start(&run->scenario, run->test, run->ctx.cgroups_fd,
				   scaled(run, SUITE_WORKERS_READY_MS));
	/* Workers that a broken scheduler does not let start are its loss, not the setup's. */
	if (err && run->scheduler.pid && run->checks.scheduler_alive == KTSTR_REQUIRED &&
	    !suite_scheduler_is_alive(&run->scheduler)) {
		on_scheduler_lost(run);
		error_free(err);
		return;
	}
	if (!err && run->test->run)
		err = suite_body_start(&run->body, &run->ctx, &run->report);
	if (!check_setup(run, err))
		return;
	suite_report_stage(&run->report, WIRE_STAGE_WORK);
	suite_scenario_open_gate(&run->scenario);
	if (run->scheduler.pid)
		suite_scenario_sample_classes(&run->scenario, run->scheduler.system->proc,
					      SIZE_MAX);
	wait_for_work(run);
	if (run->scheduler.pid)
		suite_scenario_sample_classes(&run->scenario, run->scheduler.system->proc,
					      SIZE_MAX);
	if (run->body.pid && !run->lost) {
		suite_body_judge(&run->body, &run->report);
		note_crash_address(run);
	}
	suite_scenario_stop(&run->scenario, scaled(run, SUITE_WORKERS_STOP_MS), &run->report);
}

static void clean_up(struct run *run)
{
	int subtree = run->ctx.cgroups_fd;
	uint64_t limit_ms = scaled(run, SUITE_LEFTOVER_MS);

	suite_report_stage(&run->report, WIRE_STAGE_CLEANUP);
	suite_scheduler_finish(&run->scheduler, &run->report);
	suite_scenario_deinit(&run->scenario);
	/* A function that crashed could not end its payloads; one that returned has done so. */
	if (run->body.finished && !suite_leftover_wait(subtree, scaled(run, GRACE_MS)))
		suite_leftover_report(subtree, "processes outlived the test", &run->report);
	if (!suite_leftover_kill(subtree, limit_ms))
		suite_leftover_report(subtree, "processes survived SIGKILL", &run->report);
	if (subtree >= 0) {
		_cleanup_error_ struct error *err = suite_cgroup_subtree_remove(
			SUITE_CGROUP_ROOT, subtree,
			suite_declared_has_scheduler(run->test) ? scaled(run, SUITE_CGROUP_WRITE_MS)
								: SUITE_BOUNDED_AT_ONCE);

		if (err)
			suite_report_note(&run->report, error_message(err));
	}
}

int suite_run_test(const struct ktstr_entry *entry)
{
	struct run run = { .test = entry->test, .body = SUITE_BODY_INIT };
	struct error *err = suite_slowness_parse(getenv(WIRE_SLOWNESS_ENV), &run.ctx.slowness);

	if (!err)
		err = suite_seed_parse(getenv(WIRE_SEED_ENV), &run.scenario.seed);
	if (!err)
		err = suite_report_writer_open(&run.report);
	if (err) {
		fprintf(stderr, "ktstr: %s\n", error_message(err));
		error_free(err);
		return SUITE_EXIT_REPORT;
	}
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	/* Orphans are reparented to us. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	run.checks = suite_declared_checks(entry->test);
	run.ctx.entry = entry;
	run.ctx.test = entry->test;
	run.ctx.virtual_clock = getenv(WIRE_SEED_ENV) != NULL;
	run.ctx.duration_ms = suite_declared_duration_s(entry->test) * 1000;
	run.ctx.cgroups_fd = -1;
	run.ctx.report.from_ns = run.report.from_ns;
	suite_scheduler_init(&run.scheduler, &suite_scheduler_running_system, run.ctx.slowness);
	suite_report_begin(&run.report, entry->name);
	if (setup(&run) && start_scheduler(&run))
		work(&run);
	clean_up(&run);
	suite_report_end(&run.report);
	suite_body_deinit(&run.body);
	suite_scheduler_deinit(&run.scheduler);
	topo_machine_free(run.machine);
	if (run.ctx.cgroups_fd >= 0)
		close(run.ctx.cgroups_fd);
	suite_report_writer_deinit(&run.report);
	return 0;
}
