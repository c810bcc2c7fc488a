/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an author declares: found in the program, with defaults, listed, searched for mistakes. */
#ifndef KTSTR_SUITE_DECLARED_H
#define KTSTR_SUITE_DECLARED_H

#include <ktstr/ktstr.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "checks/check.h"
#include "topo/topology.h"

/* The tests that are linked into this program. */

struct suite_entry_list {
	VEC(const struct ktstr_entry *) rows; /* by name, then file, then line */
};

/* The pointers from first up to end; a section may have holes, which are NULL. */
void suite_entries_collect(const struct ktstr_entry *const *first,
			   const struct ktstr_entry *const *end, struct suite_entry_list *ret);
/* Those of the section ktstr_entries; none when there is no such section. */
void suite_entries_of_program(struct suite_entry_list *ret);
void suite_entry_list_deinit(struct suite_entry_list *list);
#define _cleanup_suite_entry_list_ __attribute__((cleanup(suite_entry_list_deinit)))

/* The first of that name; NULL when there is none. */
const struct ktstr_entry *suite_entries_find(const struct suite_entry_list *list, const char *name);

/* What a declaration means where it says nothing, once for listing, checking and running. */

enum {
	SUITE_DEFAULT_DURATION_S = 2,
	SUITE_DEFAULT_WORKERS = 2,
};

/* Numbers only: topo_check() says whether it is possible. */
struct topo suite_declared_topology(const struct ktstr_test *test);
unsigned int suite_declared_duration_s(const struct ktstr_test *test);
/* Whether the test lasts for its duration, and not just as long as its function. */
bool suite_declared_is_timed(const struct ktstr_test *test);
bool suite_declared_has_scheduler(const struct ktstr_test *test);
/* .name, or the last part of argv[0]; NULL without a scheduler. */
const char *suite_declared_scheduler_name(const struct ktstr_test *test);
unsigned int suite_declared_workers(const struct ktstr_work *work);
/* With the number of workers and the kind's parameters; the kind must be one. */
struct ktstr_work suite_declared_work(const struct ktstr_work *work);
struct checks_scene suite_declared_scene(const struct ktstr_test *test);
/* No demand is left to its default. */
struct ktstr_checks suite_declared_checks(const struct ktstr_test *test);

/* Rows before the first that is not there; more than `limit` means there were too many. */
size_t suite_declared_count(const char *const *texts, size_t limit);
size_t suite_declared_cgroup_count(const struct ktstr_test *test);

/* The words of <ktstr/reasons.def>, for the guest's side. */

/* NULL for a number that is not a reason. */
const char *suite_reason_name(enum ktstr_reason reason);
/* Whether a test may declare it in .expect: a failure that can happen by itself. */
bool suite_reason_is_expectable(enum ktstr_reason reason);

/* What a test binary says about its tests, for people and for the runner: entries without mistakes.
 */
void suite_list_format(const struct suite_entry_list *list, struct strbuf *into);
/* One document and a newline; defaults are filled in, so that both sides mean the same. */
void suite_list_format_json(const struct suite_entry_list *list, struct strbuf *into);

/*
 * Mistakes in declarations, found before any machine is booted: all of them, one line each,
 * "FILE:LINE: NAME: what is wrong". Nothing when all is well.
 */
void suite_validate_entries(const struct suite_entry_list *list, struct strbuf *into);

/* Of the name of a cgroup. Without dots: the kernel's own files in a cgroup all have one. */
#define SUITE_NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

/* The command line of a test binary; returns the exit code. */
int suite_program_main(int argc, char **argv, const struct suite_entry_list *entries);

#endif
