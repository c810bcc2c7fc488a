/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a test author writes. A test is one declared struct; `ktstr test ./mytests` boots the
 * machine it asks for, runs it there and answers with a verdict.
 *
 *	#include <ktstr/short.h>
 *
 *	KTSTR_TEST(two_cells_share_fairly) = {
 *		.topology = { .nodes = 1, .llcs = 2, .cores = 2, .threads = 1 },
 *		.scheduler = { .argv = { "scx_cells", "--slice-us", "5000" } },
 *		.duration_s = 5,
 *		.cgroups = {
 *			{ "left",  .cpus = LLC(0), .work = { WORK_SPIN, .workers = 4 } },
 *			{ "right", .cpus = LLC(1), .work = { WORK_SPIN, .workers = 4 } },
 *		},
 *		.checks = { .isolation = REQUIRED, .max_spread_pct = AT_MOST(15) },
 *	};
 *
 * Everything that is left out has a meaning: no scheduler is the kernel's own, no topology
 * is 1n1l2c1t, no memory is enough for the machine. This header needs nothing but libc; the
 * program needs libktstr.a, which brings main():
 *
 *	cc -static mytests.c $(pkg-config --cflags --libs --static ktstr) -o mytests
 */
#ifndef KTSTR_KTSTR_H
#define KTSTR_KTSTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
#error "declare tests in C: designated initialisers of arrays are no C++"
#endif

/* Runner and binary must agree on it; `--list --json` carries it. */
#define KTSTR_API_VERSION 1

/* Rows that the arrays of a declaration hold. One slot more shows that there were too many. */
enum {
	KTSTR_MAX_ARGS = 62,
	KTSTR_MAX_FILES = 31,
	KTSTR_MAX_SETTINGS = 15,
	KTSTR_MAX_CGROUPS = 15,
	KTSTR_MAX_CHECKS = 15,
};

enum ktstr_verdict {
	KTSTR_PASS,
	KTSTR_FAIL,
	KTSTR_SKIP,
	KTSTR_BROKEN,
	KTSTR_INCONCLUSIVE,
};

enum ktstr_reason {
#define KTSTR_REASON(id, word, verdict, meaning) KTSTR_REASON_##id,
#include <ktstr/reasons.def>
#undef KTSTR_REASON
	KTSTR_N_REASONS
};

/* The machine. Caches in the whole machine, cores in each cache, threads in each core. */
struct ktstr_topology {
	unsigned int nodes, llcs, cores, threads; /* 0: 1, 1, 2, 1 */
};

/* The scheduler under test; without argv it is the kernel's own. */
struct ktstr_scheduler {
	const char *name; /* for people; NULL: argv[0] */
	const char
		*argv[KTSTR_MAX_ARGS + 1]; /* argv[0] is sent into the guest with its libraries */
	const char *files[KTSTR_MAX_FILES + 1];		 /* what else it needs there */
	const char *sysctls[KTSTR_MAX_SETTINGS + 1];	 /* "kernel.sched_schedstats=1" */
	const char *kernel_args[KTSTR_MAX_SETTINGS + 1]; /* for the guest's kernel */
	/* 0: 30 s without progress, 90 s in all. Else so many, and more where guests are slow. */
	unsigned int attach_timeout_s;
	/*
	 * It may detach and attach again, as schedulers do when a CPU comes or goes. Counted in the
	 * record. Otherwise a scheduler that was detached has failed.
	 */
	bool may_restart;
};

enum ktstr_cpus_kind { KTSTR_CPUS_ALL, KTSTR_CPUS_RANGE, KTSTR_CPUS_LLC, KTSTR_CPUS_NODE };
struct ktstr_cpus {
	enum ktstr_cpus_kind kind;
	unsigned int first, last; /* of CPUs; of one LLC or node only `first` counts */
};
#define KTSTR_LLC(n)		  { .kind = KTSTR_CPUS_LLC, .first = (n), .last = (n) }
#define KTSTR_NODE(n)		  { .kind = KTSTR_CPUS_NODE, .first = (n), .last = (n) }
#define KTSTR_CPUS(first_, last_) { .kind = KTSTR_CPUS_RANGE, .first = (first_), .last = (last_) }

/* KTSTR_WORK_SPIN and the others of work_kinds.def; WORK_SPIN with <ktstr/short.h>. */
enum ktstr_work_kind {
	KTSTR_WORK_NONE,
#ifdef KTSTR_SHORT_H
#define KTSTR_WORK_KIND(id, ...) KTSTR_WORK_##id, WORK_##id = KTSTR_WORK_##id,
#else
#define KTSTR_WORK_KIND(id, ...) KTSTR_WORK_##id,
#endif
#include <ktstr/work_kinds.def>
#undef KTSTR_WORK_KIND
	KTSTR_N_WORK_KINDS
};
struct ktstr_work {
	enum ktstr_work_kind kind;
	unsigned int workers; /* processes; 0: 2 */
/* Those of work_params.def: burst_ms, sleep_ms. 0: the kind's default, if it has it at all. */
#define KTSTR_WORK_PARAM(name, words) unsigned int name;
#include <ktstr/work_params.def>
#undef KTSTR_WORK_PARAM
};

struct ktstr_cgroup {
	const char *name; /* NULL ends the list */
	struct ktstr_cpus cpus;
	struct ktstr_work work;
};

enum ktstr_demand {
	KTSTR_BY_DEFAULT,
	KTSTR_REQUIRED,
	KTSTR_OFF,
};
struct ktstr_limit {
	bool set;
	bool at_least; /* which macro it was; the wrong one for a check is refused */
	double value;
};
#define KTSTR_AT_MOST(x)  { .set = true, .value = (x) }
#define KTSTR_AT_LEAST(x) { .set = true, .at_least = true, .value = (x) }

/* What must hold for the work of .cgroups: members named in checks.def. */
struct ktstr_checks {
#define KTSTR_CHECK_DEMAND	     enum ktstr_demand
#define KTSTR_CHECK_AT_MOST	     struct ktstr_limit
#define KTSTR_CHECK_AT_LEAST	     struct ktstr_limit
#define KTSTR_CHECK(name, form, ...) KTSTR_CHECK_##form name;
#include <ktstr/checks.def>
#undef KTSTR_CHECK
#undef KTSTR_CHECK_AT_LEAST
#undef KTSTR_CHECK_AT_MOST
#undef KTSTR_CHECK_DEMAND
};

/* Not met: the test is skipped, and says which. */
struct ktstr_needs {
	bool sched_ext;
	bool smt;
	unsigned int min_cpus, max_cpus; /* 0: no limit */
	unsigned int min_llcs, max_llcs;
	unsigned int min_nodes, max_nodes;
	const char *kconfig[KTSTR_MAX_SETTINGS + 1]; /* "CONFIG_PSI", "CONFIG_HZ=250" */
};

struct ktstr_ctx;

struct ktstr_test {
	const char *description;
	struct ktstr_topology topology;
	unsigned int memory_mb; /* 0: enough for the topology */
	struct ktstr_scheduler scheduler;
	/*
	 * Programs and data, found beside the binary, then in --files directories, then in PATH;
	 * each has its own name in the guest, in a directory that is in PATH and is the working
	 * directory.
	 */
	const char *files[KTSTR_MAX_FILES + 1];
	struct ktstr_cgroup cgroups[KTSTR_MAX_CGROUPS + 1];
	unsigned int duration_s; /* how long the work of .cgroups runs; 0: 2 */
	struct ktstr_checks checks;
	struct ktstr_needs needs;
	/* The whole test in the guest, 0: from duration and machine. Slow machines get more. */
	unsigned int timeout_s;
	enum ktstr_reason expect; /* 0: it passes; else a reason of a failure that must happen */
	/* Runs while the work of .cgroups does, in a process of its own. May be NULL. */
	void (*run)(struct ktstr_ctx *ctx);
};

/* Changes with rows of tables: the library refuses a test that was compiled with other ones. */
enum {
	KTSTR_N_CHECKS_ = 0
#define KTSTR_CHECK(...) +1
#include <ktstr/checks.def>
#undef KTSTR_CHECK
};
enum {
	KTSTR_LAYOUT_ = sizeof(struct ktstr_test) + (KTSTR_N_CHECKS_ << 14) +
			(KTSTR_N_WORK_KINDS << 19) + (KTSTR_N_REASONS << 24),
};

struct ktstr_entry {
	const char *name, *file;
	int line;
	unsigned int layout; /* KTSTR_LAYOUT_ where the test was compiled */
	const struct ktstr_test *test;
};

/* Entries are pointers in a section; without `retain` a linker that collects garbage drops them. */
#define KTSTR_TEST(id)                                                                          \
	static const struct ktstr_test ktstr_test_##id;                                         \
	static const struct ktstr_entry ktstr_entry_##id = { #id, __FILE__, __LINE__,           \
							     KTSTR_LAYOUT_, &ktstr_test_##id }; \
	__attribute__((used, retain, section("ktstr_entries"))) static const struct ktstr_entry \
		*const ktstr_entry_at_##id = &ktstr_entry_##id;                                 \
	static const struct ktstr_test ktstr_test_##id

/*
 * Inside .run. What a call returns belongs to ctx and ends with the test.
 *
 * EXPECT records a failure and goes on. REQUIRE records it and ends the test at once. NEED ends
 * it as skipped. The text is a format with its values and says what was seen; it may be left out:
 * the blank is there for a compiler that warns of empty formats.
 */
#define KTSTR_EXPECT(ctx, condition, ...)                                                     \
	ktstr_expect_(ctx, KTSTR_REASON_EXPECTATION, true, (condition), #condition, __FILE__, \
		      __LINE__, " " __VA_ARGS__)
#define KTSTR_REQUIRE(ctx, condition, ...)                                                     \
	ktstr_expect_(ctx, KTSTR_REASON_EXPECTATION, false, (condition), #condition, __FILE__, \
		      __LINE__, " " __VA_ARGS__)
#define KTSTR_NEED(ctx, condition, ...)                                                           \
	ktstr_expect_(ctx, KTSTR_REASON_NEED, false, (condition), #condition, __FILE__, __LINE__, \
		      " " __VA_ARGS__)
/* Goes into the record whatever the verdict; people see it when they ask. */
void ktstr_note(struct ktstr_ctx *ctx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

unsigned int ktstr_online_cpus(const struct ktstr_ctx *ctx);
unsigned int ktstr_duration_ms(const struct ktstr_ctx *ctx);
/* 0: the kernel's own scheduler. */
pid_t ktstr_scheduler_pid(const struct ktstr_ctx *ctx);
/* How many times longer than on real hardware things may take here; limits below know it. */
double ktstr_slowness(const struct ktstr_ctx *ctx);

/*
 * Payloads: programs that the test runs. One that ends with an exit code other than 0 fails the
 * test, unless it declares another with KTSTR_EXIT_CODE or the test asks with ktstr_exit_code().
 */
enum ktstr_output {
	KTSTR_OUTPUT_PLAIN, /* there are no metrics */
	KTSTR_OUTPUT_JSON,  /* numbers of the first document on stdout, else stderr, are metrics */
};

enum ktstr_metric_check_kind {
	KTSTR_CHECK_NONE, /* ends a list */
	KTSTR_CHECK_EXIT_CODE,
	KTSTR_CHECK_MIN,
	KTSTR_CHECK_MAX,
	KTSTR_CHECK_RANGE,
	KTSTR_CHECK_EXISTS,
};
struct ktstr_metric_check {
	enum ktstr_metric_check_kind kind;
	const char *metric;
	double low, high;
};
#define KTSTR_EXIT_CODE(n)     { .kind = KTSTR_CHECK_EXIT_CODE, .low = (n) }
#define KTSTR_MIN(name, value) { .kind = KTSTR_CHECK_MIN, .metric = (name), .low = (value) }
#define KTSTR_MAX(name, value) { .kind = KTSTR_CHECK_MAX, .metric = (name), .high = (value) }
#define KTSTR_RANGE(name, lo, hi) \
	{ .kind = KTSTR_CHECK_RANGE, .metric = (name), .low = (lo), .high = (hi) }
#define KTSTR_EXISTS(name) { .kind = KTSTR_CHECK_EXISTS, .metric = (name) }

/* How a metric is compared between runs. The name may be a suffix: ".latency_us". */
enum ktstr_direction {
	KTSTR_NO_DIRECTION,
	KTSTR_LOWER_IS_BETTER,
	KTSTR_HIGHER_IS_BETTER,
};
struct ktstr_metric_hint {
	const char *metric; /* NULL ends a list */
	const char *unit;   /* "us"; NULL: it has none */
	enum ktstr_direction direction;
};

struct ktstr_program {
	const char *const *argv; /* ends with NULL */
	const char *const *env;	 /* "NAME=value", added; ends with NULL; may be NULL */
	const char *name;	 /* for people; NULL: argv[0] */
	const char *cgroup;	 /* one of .cgroups or a new one; NULL: the test's own */
	enum ktstr_output output;
	unsigned int timeout_ms; /* 0: until the test ends */
	size_t capture_bytes; /* of each stream; 0: 16 MiB. What is more is counted and dropped */
	struct ktstr_metric_check checks[KTSTR_MAX_CHECKS + 1]; /* the exit code is judged first */
	struct ktstr_metric_hint hints[KTSTR_MAX_CHECKS + 1];	/* for the record of the run */
};

struct ktstr_payload;
struct ktstr_metrics;

/* In its own process group, in its cgroup before it runs. Cannot be started: the test is broken. */
struct ktstr_payload *ktstr_start(struct ktstr_ctx *ctx, const struct ktstr_program *program);
#define ktstr_spawn(ctx, ...) \
	ktstr_start(ctx,      \
		    &(struct ktstr_program){ .argv = (const char *const[]){ __VA_ARGS__, NULL } })
/* Started and waited for; a timeout kills it and counts as a failed payload. */
struct ktstr_metrics *ktstr_run_program(struct ktstr_ctx *ctx, const struct ktstr_program *program);
#define ktstr_run(ctx, ...)                             \
	ktstr_run_program(ctx, &(struct ktstr_program){ \
				       .argv = (const char *const[]){ __VA_ARGS__, NULL } })
#define ktstr_run_json(ctx, ...)                                                                  \
	ktstr_run_program(                                                                        \
		ctx, &(struct ktstr_program){ .argv = (const char *const[]){ __VA_ARGS__, NULL }, \
					      .output = KTSTR_OUTPUT_JSON })

pid_t ktstr_pid(const struct ktstr_payload *payload);
const char *ktstr_pid_str(const struct ktstr_payload *payload);
/*
 * Waits for the file /tmp/ktstr-worker-ready-PID. A payload that ends first, or is late, ends the
 * test as failed, with its exit code; `legend` says what exit codes mean and may be NULL.
 */
void ktstr_wait_ready_with(struct ktstr_payload *payload, unsigned int timeout_ms,
			   const char *legend);
#define ktstr_wait_ready(payload, timeout_ms) ktstr_wait_ready_with(payload, timeout_ms, NULL)

/* The three ways to an end; each gives the same metrics, and again when asked again. */
struct ktstr_metrics *ktstr_wait(struct ktstr_payload *payload);
struct ktstr_metrics *ktstr_kill(struct ktstr_payload *payload);
/* NULL while it runs. */
struct ktstr_metrics *ktstr_try_wait(struct ktstr_payload *payload);

/* The exit code; minus the number of the signal that ended it. */
int ktstr_exit_code(const struct ktstr_metrics *metrics);
bool ktstr_timed_out(const struct ktstr_metrics *metrics);
/* Captured, with a NUL behind it. */
const char *ktstr_stdout(const struct ktstr_metrics *metrics);
const char *ktstr_stderr(const struct ktstr_metrics *metrics);

/* Numbers by their flat names: {"a":[{"b":7}]} has "a.0.b". */
size_t ktstr_metric_count(const struct ktstr_metrics *metrics);
const char *ktstr_metric_name(const struct ktstr_metrics *metrics, size_t i);
bool ktstr_metric(const struct ktstr_metrics *metrics, const char *name, double *ret);
/* Only a whole number from 0 to 2^53. */
bool ktstr_metric_u64(const struct ktstr_metrics *metrics, const char *name, uint64_t *ret);
bool ktstr_has_metric(const struct ktstr_metrics *metrics, const char *name);
/* "name=value name=value …", for messages. */
const char *ktstr_metrics_dump(const struct ktstr_metrics *metrics);

/* What ktstr-jemalloc-probe --json says about a thread. */
enum { KTSTR_SCAN_LIMIT = 1024 };
enum ktstr_lookup {
	KTSTR_FOUND,
	KTSTR_MISSING_BYTES, /* the thread is listed with an error instead of its counters */
	KTSTR_TID_ABSENT,
	KTSTR_CAP_EXCEEDED, /* KTSTR_SCAN_LIMIT threads, and none was it */
};
struct ktstr_thread {
	uint64_t allocated_bytes;
	bool has_deallocated;
	uint64_t deallocated_bytes;
};
enum ktstr_lookup ktstr_find_thread(const struct ktstr_metrics *metrics, unsigned int snapshot,
				    pid_t tid, struct ktstr_thread *ret);
size_t ktstr_thread_count(const struct ktstr_metrics *metrics);
size_t ktstr_snapshot_count(const struct ktstr_metrics *metrics);

void ktstr_expect_(struct ktstr_ctx *ctx, enum ktstr_reason reason, bool goes_on, bool held,
		   const char *condition, const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 8, 9)));

#endif
