// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loop is closed: a process that allocates a known number of bytes, the probe that looks at it
 * from outside, and the numbers that come back. Allocator, kernel and probe are the real ones.
 *
 * How long something may take grows where guests are slow. What was allocated does not.
 */
#include <ktstr/short.h>

#include <stdio.h>
#include <string.h>

#define PROBE  "ktstr-jemalloc-probe"
#define WORKER "ktstr-jemalloc-alloc-worker"
/* The same worker, linked otherwise. */
#define WORKER_WITHOUT_JEMALLOC "alloc-worker-without-jemalloc"
#define WORKER_WITH_LIBRARY	"alloc-worker-with-library"

#define MIB	    UINT64_C(1048576)
#define KNOWN_BYTES (16 * MIB)
/* What jemalloc and libc take for themselves. More is another address than the counter's. */
#define SLOP_BYTES (4 * MIB)
/* The worker frees nothing of its own. */
#define FREED_BYTES MIB
#define CHURN_BYTES MIB

enum {
	READY_MS = 5000,
	PROBE_MS = 10000,
	INVOCATIONS = 10,
	SNAPSHOTS = 3,
	/* No kernel gives such a number to a process. */
	NO_PID = 999999999,
};

static const struct ktstr_topology one_cpu = { .nodes = 1, .llcs = 1, .cores = 1, .threads = 1 };
/* Probe and worker run at the same time: threads are there to be seen before they end. */
static const struct ktstr_topology four_cpus = { .nodes = 1, .llcs = 1, .cores = 2, .threads = 2 };

#define CHURN_LEGEND                                           \
	"2: BYTES is 0; 4: no ready marker could be written; " \
	"5: wrong arguments; 101: memory refused; negative: killed by that signal"
#define LEGEND CHURN_LEGEND "; 3: it has more than one thread; 6: /proc/self/task is unreadable"

/* ---- the two sides of the loop ---- */

static struct ktstr_payload *start_worker(struct ktstr_ctx *ctx, const char *program,
					  uint64_t bytes)
{
	char text[32];
	struct ktstr_payload *worker;

	snprintf(text, sizeof(text), "%llu", (unsigned long long)bytes);
	worker = ktstr_spawn(ctx, program, text);
	ktstr_wait_ready_with(worker, READY_MS, LEGEND);
	return worker;
}

static struct ktstr_payload *start_churn(struct ktstr_ctx *ctx)
{
	char text[32];
	struct ktstr_payload *worker;

	snprintf(text, sizeof(text), "%llu", (unsigned long long)CHURN_BYTES);
	worker = ktstr_spawn(ctx, WORKER, "--churn", text);
	ktstr_wait_ready_with(worker, READY_MS, CHURN_LEGEND);
	return worker;
}

/* A probe that was built with sanitizers ends where it first errs. */
static const char *const probe_env[] = { "UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1",
					 "ASAN_OPTIONS=detect_stack_use_after_return=1", NULL };

#define PROBE_WITH(...)                                                               \
	.argv = (const char *const[]){ PROBE, "--json", "--pid", __VA_ARGS__, NULL }, \
	.env = probe_env, .output = KTSTR_OUTPUT_JSON, .timeout_ms = PROBE_MS
/* Whatever its exit code is. */
#define probe(ctx, ...) ktstr_run_program(ctx, &(struct ktstr_program){ PROBE_WITH(__VA_ARGS__) })
/* An exit code that is not 0 has failed the test. */
#define probe_well(ctx, ...)                                             \
	ktstr_run_program(ctx, &(struct ktstr_program){                  \
				       PROBE_WITH(__VA_ARGS__),          \
				       .checks = { KTSTR_EXIT_CODE(0) }, \
			       })

/* Else its checks have said so, and there is nothing to look at. */
static bool went_well(const struct ktstr_metrics *metrics)
{
	return ktstr_exit_code(metrics) == 0 && !ktstr_timed_out(metrics);
}

/* ---- what the probe says about a thread ---- */

static struct ktstr_thread require_thread(struct ktstr_ctx *ctx,
					  const struct ktstr_metrics *metrics,
					  unsigned int snapshot, pid_t tid)
{
	struct ktstr_thread thread = { 0 };
	enum ktstr_lookup found = ktstr_find_thread(metrics, snapshot, tid, &thread);

	REQUIRE(ctx, found != KTSTR_MISSING_BYTES,
		"snapshot %u has an error in place of the counters of thread %d: %s", snapshot,
		(int)tid, ktstr_stdout(metrics));
	REQUIRE(ctx, found != KTSTR_TID_ABSENT,
		"snapshot %u does not have thread %d, but others may be there: %s", snapshot,
		(int)tid, ktstr_metrics_dump(metrics));
	REQUIRE(ctx, found == KTSTR_FOUND,
		"snapshot %u has %d threads or more before thread %d: too many for this worker",
		snapshot, KTSTR_SCAN_LIMIT, (int)tid);
	return thread;
}

static void expect_known(struct ktstr_ctx *ctx, unsigned int snapshot, pid_t tid,
			 uint64_t allocated_bytes)
{
	EXPECT(ctx, allocated_bytes >= KNOWN_BYTES,
	       "snapshot %u, thread %d: %llu bytes allocated, but the worker holds %llu", snapshot,
	       (int)tid, (unsigned long long)allocated_bytes, (unsigned long long)KNOWN_BYTES);
	EXPECT(ctx, allocated_bytes <= KNOWN_BYTES + SLOP_BYTES,
	       "snapshot %u, thread %d: %llu bytes allocated, more than the worker's %llu and %llu "
	       "for its libraries: is this the counter?",
	       snapshot, (int)tid, (unsigned long long)allocated_bytes,
	       (unsigned long long)KNOWN_BYTES, (unsigned long long)SLOP_BYTES);
}

/* One look at a worker with one thread: its tid is its pid. */
static void expect_known_allocation(struct ktstr_ctx *ctx, const char *program)
{
	struct ktstr_payload *worker = start_worker(ctx, program, KNOWN_BYTES);
	struct ktstr_metrics *metrics = probe_well(ctx, ktstr_pid_str(worker));
	size_t n_threads = ktstr_thread_count(metrics);
	struct ktstr_thread thread;

	ktstr_kill(worker);
	if (!went_well(metrics))
		return;
	REQUIRE(ctx, n_threads >= 1, "the probe lists no thread of process %s; stderr: %s",
		ktstr_pid_str(worker), ktstr_stderr(metrics));
	/* Programs come into the guest as they are: their debug information is what is read. */
	EXPECT(ctx, strstr(ktstr_stdout(metrics), "\"dwarf\""),
	       "the evidence is not the debug information: %s", ktstr_stdout(metrics));
	thread = require_thread(ctx, metrics, 0, ktstr_pid(worker));
	expect_known(ctx, 0, ktstr_pid(worker), thread.allocated_bytes);
	EXPECT(ctx, !thread.has_deallocated || thread.deallocated_bytes < FREED_BYTES,
	       "thread %s: %llu bytes freed, but the worker keeps what it has",
	       ktstr_pid_str(worker), (unsigned long long)thread.deallocated_bytes);
	/* No failure: a jemalloc with a thread of its own is still read correctly. */
	ktstr_note(ctx, "n_threads=%zu for worker %s (1 unless its allocator started one)",
		   n_threads, ktstr_pid_str(worker));
}

/* There is no result, and so no JSON; an error of all threads would still give some numbers. */
static void expect_fatal(struct ktstr_ctx *ctx, const struct ktstr_metrics *metrics,
			 const char *kind)
{
	char tag[64];

	snprintf(tag, sizeof(tag), "ktstr-probe-fatal: %s", kind);
	EXPECT(ctx, ktstr_exit_code(metrics) == 1,
	       "the exit code is %d (0: it found something; negative: it was killed by that signal); "
	       "stderr: %s",
	       ktstr_exit_code(metrics), ktstr_stderr(metrics));
	EXPECT(ctx, ktstr_metric_count(metrics) == 0, "%zu numbers without a result: %s",
	       ktstr_metric_count(metrics), ktstr_metrics_dump(metrics));
	EXPECT(ctx, strstr(ktstr_stderr(metrics), tag), "no '%s' on stderr: %s", tag,
	       ktstr_stderr(metrics));
}

/* ---- the tests ---- */

static void known_allocation(struct ktstr_ctx *ctx)
{
	expect_known_allocation(ctx, WORKER);
}

KTSTR_TEST(jemalloc_probe_external_target_observes_known_allocation) = {
	.description = "16 MiB of a worker with one thread are read from outside",
	.topology = one_cpu,
	.files = { PROBE, WORKER },
	.run = known_allocation,
};

static void library(struct ktstr_ctx *ctx)
{
	expect_known_allocation(ctx, WORKER_WITH_LIBRARY);
}

KTSTR_TEST(jemalloc_probe_reads_jemalloc_in_a_library) = {
	.description = "as before, with jemalloc in a shared library",
	.topology = one_cpu,
	.files = { PROBE, WORKER_WITH_LIBRARY },
	.run = library,
};

static void nonexistent_pid(struct ktstr_ctx *ctx)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", NO_PID);
	expect_fatal(ctx, probe(ctx, pid), "pid-missing");
}

KTSTR_TEST(jemalloc_probe_fatal_on_nonexistent_pid) = {
	.description = "a process that is not there: exit code 1 and not one number",
	.topology = one_cpu,
	.files = { PROBE },
	.run = nonexistent_pid,
};

static void without_jemalloc(struct ktstr_ctx *ctx)
{
	struct ktstr_payload *worker = start_worker(ctx, WORKER_WITHOUT_JEMALLOC, KNOWN_BYTES);

	expect_fatal(ctx, probe(ctx, ktstr_pid_str(worker)), "jemalloc-not-found");
	EXPECT(ctx, !ktstr_try_wait(worker), "the worker did not outlive the look at it");
}

KTSTR_TEST(jemalloc_probe_fatal_on_target_without_jemalloc) = {
	.description = "a process that allocates with libc: exit code 1 and not one number",
	.topology = one_cpu,
	.files = { PROBE, WORKER_WITHOUT_JEMALLOC },
	.run = without_jemalloc,
};

struct churn {
	unsigned int looks;
	bool many_threads_seen;	      /* at least once more than the one that stays */
	unsigned int with_errors;     /* invocations with a thread that ended under the probe */
	unsigned int stopped_threads; /* in all */
};

static bool has_error_entry(const struct ktstr_metrics *metrics)
{
	size_t n_threads = ktstr_thread_count(metrics);

	for (size_t i = 0; i < n_threads; i++) {
		char name[64];

		snprintf(name, sizeof(name), "snapshots.0.threads.%zu.allocated_bytes", i);
		if (!ktstr_has_metric(metrics, name))
			return true;
	}
	return false;
}

static void take_look(struct ktstr_ctx *ctx, pid_t worker, const struct ktstr_metrics *metrics,
		      struct churn *seen)
{
	unsigned int i = seen->looks;
	uint64_t stopped = 0;
	struct ktstr_thread thread;

	REQUIRE(ctx, ktstr_exit_code(metrics) >= 0,
		"invocation %u: signal %d killed the probe; a thread that ends is one entry with "
		"an error, nothing else; stderr: %s",
		i, -ktstr_exit_code(metrics), ktstr_stderr(metrics));
	REQUIRE(ctx, went_well(metrics),
		"invocation %u: exit code %d, so it gave up before or with all threads; stderr: %s",
		i, ktstr_exit_code(metrics), ktstr_stderr(metrics));
	/* The one that starts the others never ends. */
	thread = require_thread(ctx, metrics, 0, worker);
	EXPECT(ctx, thread.allocated_bytes >= CHURN_BYTES,
	       "invocation %u: %llu bytes allocated, but the worker holds %llu", i,
	       (unsigned long long)thread.allocated_bytes, (unsigned long long)CHURN_BYTES);
	/* One snapshot in two finds a helper alive: of twenty all but one in a million do. */
	seen->many_threads_seen |= ktstr_thread_count(metrics) > 1 ||
				   ktstr_has_metric(metrics, "snapshots.1.threads.1.tid");
	seen->with_errors += has_error_entry(metrics);
	if (ktstr_metric_u64(metrics, "stopped_threads", &stopped))
		seen->stopped_threads += (unsigned int)stopped;
}

static struct churn look_at_churn(struct ktstr_ctx *ctx, const char *how)
{
	struct ktstr_payload *worker = start_churn(ctx);
	struct churn seen = { 0 };

	for (; seen.looks < INVOCATIONS; seen.looks++)
		/* An argument that is not there ends the list. */
		take_look(ctx, ktstr_pid(worker),
			  probe(ctx, ktstr_pid_str(worker), "--snapshots", "2", "--interval-ms",
				"10", how),
			  &seen);
	EXPECT(ctx, !ktstr_try_wait(worker), "the worker did not outlive the looks at it");
	EXPECT(ctx, seen.many_threads_seen,
	       "%u invocations, and none saw a second thread: nothing was raced", seen.looks);
	/* Who wins a race is chance: it is told, not judged. */
	ktstr_note(ctx, "%u of %u invocations observed error entries%s", seen.with_errors,
		   seen.looks, seen.with_errors ? "" : ": no thread ended while it was looked at");
	ktstr_note(ctx, "stopped_threads=%u in %u invocations", seen.stopped_threads, seen.looks);
	return seen;
}

static void thread_churn(struct ktstr_ctx *ctx)
{
	look_at_churn(ctx, NULL);
}

KTSTR_TEST(jemalloc_probe_survives_thread_churn) = {
	.description = "threads come and go under the probe",
	.topology = four_cpus,
	.files = { PROBE, WORKER },
	.run = thread_churn,
};

static void thread_churn_stopped(struct ktstr_ctx *ctx)
{
	struct churn seen = look_at_churn(ctx, "--ptrace");

	EXPECT(ctx, seen.stopped_threads > 0, "--ptrace, and not one thread was stopped");
}

KTSTR_TEST(jemalloc_probe_survives_thread_churn_with_ptrace) = {
	.description = "threads come and go while the probe stops them",
	.topology = four_cpus,
	.files = { PROBE, WORKER },
	.run = thread_churn_stopped,
};

static uint64_t require_number(struct ktstr_ctx *ctx, const struct ktstr_metrics *metrics,
			       const char *name)
{
	uint64_t value = 0;

	REQUIRE(ctx, ktstr_metric_u64(metrics, name, &value), "the probe does not say %s: %s", name,
		ktstr_metrics_dump(metrics));
	return value;
}

static void multi_snapshot(struct ktstr_ctx *ctx)
{
	struct ktstr_payload *worker = start_worker(ctx, WORKER, KNOWN_BYTES);
	struct ktstr_metrics *metrics = probe_well(ctx, ktstr_pid_str(worker), "--snapshots", "3",
						   "--interval-ms", "50");
	uint64_t last_sec, last_bytes = 0;

	ktstr_kill(worker);
	if (!went_well(metrics))
		return;
	REQUIRE(ctx, ktstr_snapshot_count(metrics) == SNAPSHOTS, "%zu snapshots, not %d: %s",
		ktstr_snapshot_count(metrics), SNAPSHOTS, ktstr_metrics_dump(metrics));
	last_sec = require_number(ctx, metrics, "started_at_unix_sec");
	for (unsigned int i = 0; i < SNAPSHOTS; i++) {
		struct ktstr_thread thread = require_thread(ctx, metrics, i, ktstr_pid(worker));
		char name[64];
		uint64_t sec;

		snprintf(name, sizeof(name), "snapshots.%u.timestamp_unix_sec", i);
		sec = require_number(ctx, metrics, name);
		EXPECT(ctx, sec >= last_sec, "snapshot %u was taken at %llu s, %s at %llu s", i,
		       (unsigned long long)sec, i ? "the one before" : "but the probe started",
		       (unsigned long long)last_sec);
		EXPECT(ctx, thread.allocated_bytes >= last_bytes,
		       "snapshot %u: %llu bytes allocated after %llu; this counter never goes back",
		       i, (unsigned long long)thread.allocated_bytes,
		       (unsigned long long)last_bytes);
		expect_known(ctx, i, ktstr_pid(worker), thread.allocated_bytes);
		last_sec = sec;
		last_bytes = thread.allocated_bytes;
	}
}

KTSTR_TEST(jemalloc_probe_multi_snapshot_monotone) = {
	.description = "three looks, 50 ms apart: time and counters never go back",
	.topology = one_cpu,
	.files = { PROBE, WORKER },
	.run = multi_snapshot,
};
