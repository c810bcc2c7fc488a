/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The checks: rows of <ktstr/checks.def>, and for each the file with what cannot be said in a row.
 * What a check has nothing to say about it leaves out.
 */
#ifndef KTSTR_CHECKS_CHECK_H
#define KTSTR_CHECKS_CHECK_H

#include <ktstr/ktstr.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "exchange/report.h"

/* What is known of a test that has run, borrowed, and what the checks find in it. */

enum { CHECKS_LIMIT_WHY_BYTES = 160 };

/* How much the host got in the guest's way while the work lasted. */
struct checks_disturbance {
	bool has; /* false: unknown, which is not none; the three numbers mean nothing */
	char why[CHECKS_LIMIT_WHY_BYTES]; /* it is not known; "" otherwise */
	uint64_t wall_ns;
	uint64_t run_delay_ns;	   /* of the thread that waited most */
	uint64_t longest_delay_ns; /* no single wait was longer than this */
	bool tcg;		   /* the vCPUs take turns on one host thread */
	unsigned int vcpus;
};

/*
 * How far a machine with a virtual clock is from a real one: its CPUs take turns, and what one
 * does for another is seen at the end of a turn.
 */
struct checks_model {
	uint64_t turn_ns; /* no turn is longer, in the guest's time; 0: unknown */
	bool has_ipi;	  /* false: not measured, and the next number means nothing */
	uint64_t ipi_ns;  /* an interrupt of another CPU and its answer, the longest seen */
	unsigned int vcpus;
};

/* The guest's clock. */
struct checks_clock {
	bool is_virtual; /* it counts instructions: nothing of the host is in what it measures */
	struct checks_model model;
};

/* A cgroup that has work. */
struct checks_cgroup {
	const char *name;
	unsigned int workers;	 /* declared */
	struct topo_cpuset cpus; /* what the kernel gave it; empty: not reported */
};

struct checks_facts {
	struct ktstr_checks asked;
	bool has_scheduler, may_restart;
	const struct checks_cgroup *cgroups;
	size_t n_cgroups;
	const struct exchange_worker *workers; /* of all cgroups */
	size_t n_workers;
	const struct exchange_scheduler *scheduler;
	/* The guest has reported that it exited, or that it did not stop. */
	bool exit_reported, stop_reported;
	const struct checks_disturbance *disturbance; /* of a guest with a real clock */
	struct checks_clock clock;
};

enum {
	/* Parts that one check of one cgroup may add; the rest is counted. */
	CHECKS_LIMIT_PARTS = 8,
};

struct checks_part {
	enum ktstr_reason reason;
	char *text;
};

struct checks_findings {
	VEC(struct checks_part) parts;
	VEC(char *) notes;
	size_t added_; /* parts of the check at hand, with those that were only counted */
};

void checks_note(struct checks_findings *findings, const char *fmt, ...) PRINTF_LIKE(2, 3);
void checks_part(struct checks_findings *findings, enum ktstr_reason reason, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

void checks_findings_deinit(struct checks_findings *findings);
#define _cleanup_checks_findings_ __attribute__((cleanup(checks_findings_deinit)))

/* How unequally the workers of a cgroup got CPU time. */
struct checks_spread {
	/*
	 * Those that can be compared. A worker whose kind does not compute gets as much as its
	 * wake-ups cost, and one that never started gets nothing: neither counts.
	 */
	size_t workers;
	bool known; /* two or more, and some CPU time */
	double pct; /* (max - min) / max */
};

struct checks_spread checks_spread_of(const struct exchange_worker *workers, size_t n,
				      const char *cgroup);

/* How long a worker may be without a CPU before that is a stall. */
enum {
	/* Whatever else runs: far more than a pause that a kernel makes for itself. */
	CHECKS_STALL_LEAST_MS = 1000,
	/* One turn of a worker; five times the longest slice that schedulers use by default. */
	CHECKS_STALL_TURN_MS = 100,
};

/*
 * Every worker of the test may have one turn before it on the CPUs of its cgroup: it is not known
 * who shares them. CPUs that were not reported count as one.
 */
double checks_stall_limit_ms(size_t workers, const struct checks_cgroup *cgroup);

/*
 * The checks of a test, decided on the host from what the workers measured. A check of time has an
 * error bar: what the host itself may have added. docs/VERDICTS.md has the formulas.
 *
 * Adds a part for each that did not hold or could not be decided, and a note for each that was
 * checked. Once the scheduler has ended early nothing else is: what the workers measured then says
 * nothing about it.
 */
void checks_evaluate(const struct checks_facts *facts, struct checks_findings *into);

/* What an author declares that a check may depend on. */
struct checks_scene {
	unsigned int most_workers; /* of one cgroup */
	bool has_scheduler;
};

/* One cgroup and all that is known about it. */
struct checks_subject {
	const struct checks_facts *facts;
	const struct checks_cgroup *cgroup;
	VEC(const struct exchange_worker *) workers;
	struct checks_findings *into;
};

struct checks_check {
	const char *word; /* in notes; NULL: the name of the row */
	/* With this one the test judges times: nothing else should run on the host meanwhile. */
	bool judges_time;
	/* Whether it is asked for where nothing is said. */
	bool (*by_default)(const struct checks_scene *scene);
	/* Why it cannot be asked for; NULL: it can. */
	const char *(*impossible)(const struct checks_scene *scene);
	/* What a limit has to be and this one is not; NULL: it is. */
	const char *(*refused)(double limit);

	/* Before anything else. False: nothing else needs to be checked. */
	bool (*of_test)(const struct checks_facts *facts, struct checks_findings *into);
	/* Of one cgroup: before what others say, in its turn, and even when it is not asked for. */
	void (*first_of_cgroup)(struct checks_subject *subject);
	void (*of_cgroup)(struct checks_subject *subject, double limit);
	void (*always_of_cgroup)(struct checks_subject *subject);
	/* When all cgroups were checked. */
	void (*last)(const struct checks_facts *facts, struct checks_findings *into);
};

enum {
#define KTSTR_CHECK(name, ...) CHECKS_INDEX_##name,
#include <ktstr/checks.def>
#undef KTSTR_CHECK
	CHECKS_N_ROWS
};

enum checks_form { CHECKS_DEMAND, CHECKS_AT_MOST, CHECKS_AT_LEAST };

struct checks_row {
	const char *name;
	enum checks_form form;
	const char *unit;
	const char *by_default; /* where nothing is said, in words */
	const char *meaning;
	size_t offset; /* in struct ktstr_checks: enum ktstr_demand, or struct ktstr_limit */
	const struct checks_check *check;
};
extern const struct checks_row checks_rows[];
extern const size_t checks_n_rows;

/* The member of that row: *_demand for a DEMAND, *_limit for the others. */
enum ktstr_demand *checks_demand(const struct checks_row *row, struct ktstr_checks *checks);
struct ktstr_limit *checks_limit(const struct checks_row *row, struct ktstr_checks *checks);

#define KTSTR_CHECK(name, ...) extern const struct checks_check checks_##name;
#include <ktstr/checks.def>
#undef KTSTR_CHECK

/* Conditions that several checks have. */
static inline bool checks_has_work(const struct checks_scene *scene)
{
	return scene->most_workers > 0;
}

static inline const char *checks_no_work(const struct checks_scene *scene)
{
	return checks_has_work(scene) ? NULL : "no cgroup has work that could be checked";
}

/* Without a demand that is left to the default. */
struct ktstr_checks checks_resolve(const struct ktstr_checks *said,
				   const struct checks_scene *scene);
/* After checks_resolve(). */
bool checks_is_asked(const struct checks_row *row, const struct ktstr_checks *checks);
/* Whether the author wrote it down. */
bool checks_is_said(const struct checks_row *row, const struct ktstr_checks *checks);
/* Whether one that is asked for judges times. */
bool checks_judge_time(const struct ktstr_checks *checks);

/* What is wrong with the row as the author wrote it, several separated by newlines; "": nothing. */
void checks_validate(const struct checks_row *row, const struct ktstr_checks *said,
		     const struct checks_scene *scene, struct strbuf *into);
/* "required", "off", "at most 15 %". */
void checks_format(const struct checks_row *row, const struct ktstr_checks *checks,
		   struct strbuf *into);

/* What the host may have added to a time that was measured in a guest, and what follows from it. */

enum {
	/* How long one vCPU may keep the others waiting when all share a host thread. */
	CHECKS_ERROR_BAR_TCG_TURN_MS = 100,
};

enum checks_error_bar_kind {
	CHECKS_ERROR_BAR_SHARE, /* of the time, in percent */
	CHECKS_ERROR_BAR_WAIT,	/* one wait, in ms */
	CHECKS_ERROR_BAR_STALL, /* waits one after the other, in ms */
};

struct checks_error_bar {
	const struct checks_disturbance *from; /* borrowed; NULL: the bar is of a model */
	bool has;			       /* false: unknown */
	double value;			       /* in the unit of what was measured */
	enum checks_error_bar_kind kind;
};

struct checks_error_bar checks_error_bar_of(enum checks_error_bar_kind kind,
					    const struct checks_disturbance *disturbance);
/*
 * With a virtual clock. A share is exact. A latency may be off by a turn of each CPU and an
 * interrupt, which one CPU alone does not send.
 */
struct checks_error_bar checks_error_bar_of_model(enum checks_error_bar_kind kind,
						  const struct checks_model *model);
/* That of the guest's clock. */
struct checks_error_bar checks_error_bar_for(enum checks_error_bar_kind kind,
					     const struct checks_facts *facts);

/*
 * With a bar of a model the value repeats to the bit: at most the limit is NONE, more is CHECK. But
 * a limit below the bar says nothing, MODEL_ERROR, and more than the limit with a bar that is
 * unknown is NO_EVIDENCE. With a real clock:
 *
 * At most the limit holds: NONE. But a share can also look better than it was: with a bar above
 * the limit nothing is known of it, HOST_BUSY. A wait is never shorter than it was. More than the
 * limit even without the bar: CHECK. Between: HOST_BUSY, or NO_EVIDENCE when the bar is unknown.
 * A violation is described in *ret_text, which begins with `what` and is the caller's; untouched
 * for NONE.
 */
enum ktstr_reason checks_error_bar_decide(const struct checks_error_bar *bar, const char *what,
					  double measured, double limit, const char *unit,
					  char **ret_text);
/*
 * "spread left 3.1 % of at most 15 %, error bar 8 %", or with a virtual clock "gap left 8.2 ms
 * (+-0.04 ms) of at most 10 ms". The caller owns it.
 */
char *checks_error_bar_format(const struct checks_error_bar *bar, const char *check,
			      const char *name, double measured, double limit,
			      const char *unit) MUST_CHECK;
/* Both: the line as a note, and a part when the limit, from above, does not hold. */
void checks_error_bar_judge(const struct checks_error_bar *bar, struct checks_subject *subject,
			    const char *check, const char *what, double measured, double limit,
			    const char *unit);

#endif
