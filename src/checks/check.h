/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The checks: rows of <ktstr/checks.def>, and for each the file with what cannot be said in a row.
 * What a check has nothing to say about it leaves out.
 */
#ifndef KTSTR_CHECKS_CHECK_H
#define KTSTR_CHECKS_CHECK_H

#include "base/strbuf.h"
#include "checks/facts.h"

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

#endif
