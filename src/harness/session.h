/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Everything that can be wrong with a run before a guest exists, in this order:
 *
 *	harness_session_list(&session, "./mytests", cancel, NULL);   for each binary
 *	harness_session_add_kernel(&session, "7.1");           for each kernel
 *	harness_session_plan(&session, &options);
 *	harness_session_find_files(&session, dirs, n_dirs);
 */
#ifndef KTSTR_HARNESS_SESSION_H
#define KTSTR_HARNESS_SESSION_H

#include "base/cancel.h"
#include "exchange/declaration.h"
#include "kernel/kernel.h"
#include "vm/clock.h"

/* What can be wrong before a test runs. */

#define HARNESS_ERRORS(X)                                                                          \
	X(HARNESS_NOT_TESTS, "not-a-test-binary", "the file is not a program that declares tests") \
	X(HARNESS_API, "test-api", "program and runner have different API versions")               \
	X(HARNESS_MISTAKES, "test-mistakes", "tests are declared wrongly")                         \
	X(HARNESS_LISTING, "test-listing", "the program failed to list its tests")                 \
	X(HARNESS_PATTERN, "no-such-test", "there is no test of that name")                        \
	X(HARNESS_PLAN, "test-plan", "what was asked for cannot be planned")                       \
	X(HARNESS_FILES, "file-changed", "a file is not the one that was found before")
DECLARE_ERROR_DOMAIN(harness, HARNESS, HARNESS_ERRORS);

/*
 * The files that go into a guest with a test: the binary, its scheduler, whatever else it names.
 *
 * A name without a slash is looked for beside the binary, then in the directories of --files, then
 * in PATH. One with a slash is a path from the binary's directory, or absolute. In the guest each
 * has its base name.
 */

/* Which file it was, and when its content last changed. */
struct harness_file_stamp {
	uint64_t device, inode, bytes;
	int64_t changed_sec, changed_nsec;
};

/* All but the name belong to the finder. */
struct harness_test_file {
	char *name;	  /* in the guest */
	const char *path; /* on this machine: absolute, without links */
	uint64_t bytes;
	uint64_t hash;	      /* of the content: base/hash.h */
	const char *build_id; /* hexadecimal; NULL when it has none or is not an ELF object */
	struct harness_file_stamp stamp;
};

/* One test's. The binary comes first, then the scheduler's program if it has one. */
struct harness_test_files {
	struct harness_test_file *at;
	size_t n, capacity;
};

void harness_test_files_deinit(struct harness_test_files *files);
#define _cleanup_harness_test_files_ __attribute__((cleanup(harness_test_files_deinit)))

struct host_file;

/* Where a file of this name in the guest was when a test ran before. Borrowed. */
struct harness_known_place {
	const char *name, *path;
};

/* Each file of this machine is read once, however many tests use it. Not for two threads at once.
 */
struct harness_file_finder {
	const char *const *dirs; /* borrowed */
	size_t n_dirs;
	const char *path; /* as $PATH, borrowed; NULL: no directories */
	/* Looked at before everything else; a place where nothing is any more is passed by. */
	const struct harness_known_place *places;
	size_t n_places;
	VEC(struct host_file *) known;
};

void harness_file_finder_deinit(struct harness_file_finder *finder);
#define _cleanup_harness_file_finder_ __attribute__((cleanup(harness_file_finder_deinit)))

/*
 * A file that is not there, or another one than an earlier of the same name in the guest, becomes a
 * line in `mistakes`: `FILE:LINE: TEST: no file NAME: looked in A, B, PATH`. All of
 * a test's mistakes are collected; *ret then lacks them. An error is a file that is there and
 * cannot be read.
 */
struct error *harness_files_find(struct harness_file_finder *finder,
				 const struct exchange_declared_suite *suite,
				 const struct exchange_declared_test *test, struct strbuf *mistakes,
				 struct harness_test_files *ret) MUST_CHECK;

/*
 * HARNESS_FILES when one of them has another content by now than when it was found: a test would
 * run something else than its record says.
 */
struct error *harness_files_check(const struct harness_test_files *files) MUST_CHECK;

/* Asks a test binary which tests it holds: `BINARY --list --json`, as a child of ours. */

struct harness_listing_bounds {
	uint64_t timeout_ns;
	size_t output_bytes;
};

/*
 * Path and name (the base name) are filled too. Bounds that are NULL are HARNESS_LIMIT_LISTING_…;
 * ret_text, which may be NULL, gets the document itself, which may say more than we know.
 *
 * HARNESS_NOT_TESTS: not there, not executable, or some other program. HARNESS_API: built for
 * another version; the message says which side is to be renewed. HARNESS_MISTAKES: the message is
 * a line of ours and then its lines, `FILE:LINE: TEST: what`. HARNESS_LISTING: it crashed, hung,
 * said too much or contradicts itself. BASE_CANCELLED.
 *
 * The child reads nothing, has our environment without KTSTR_… (they are for guests), and
 * whatever it started ends with it.
 */
struct error *harness_listing_read(const char *binary, const struct harness_listing_bounds *bounds,
				   const struct cancel *cancel, struct exchange_declared_suite *ret,
				   struct strbuf *ret_text) MUST_CHECK;

/*
 * The document alone; `label` names the binary in errors. Path and name stay NULL. Members that
 * are not known are ignored; one that is missing or wrong is named with its path:
 * `tests[3].needs.smt`. Tests come out sorted by name.
 */
struct error *harness_listing_parse(const char *text, size_t n, const char *label,
				    struct exchange_declared_suite *ret) MUST_CHECK;

/* What makes two runs the same variant of a test, as 16 hexadecimal digits. */

enum { HARNESS_VARIANT_ID_CHARS = 16 };

/* The clock of one variant's guest. With the real one the rest is zero. */
struct harness_clock {
	enum vm_clock_kind kind;
	unsigned int mips;     /* as in struct vm_spec */
	struct vm_speed speed; /* what that comes to on this machine */
	uint64_t seed;
};

/*
 * `booted` may be another machine than the test's own. The id of a run in real time does not know
 * of clocks, as it was before there were others.
 */
void harness_plan_variant_id(const struct exchange_declared_suite *suite,
			     const struct exchange_declared_test *test, const struct topo *booted,
			     const struct kernel *kernel, const struct harness_clock *clock,
			     char ret[HARNESS_VARIANT_ID_CHARS + 1]);

/* Which variants to run: tests × topologies × kernels × seeds × repeats, each with a name and an
 * id. */

enum { HARNESS_DEFAULT_SEED = 1 };

/* The clock of all guests, and with a virtual one the seeds of each test. */
struct harness_plan_clock {
	enum vm_clock_kind kind;
	unsigned int mips;		/* as in struct vm_spec */
	uint64_t first_seed, last_seed; /* both are run */
};

struct harness_plan_options {
	/*
	 * A glob (* ? [) for the whole "suite:test", or a part of it; a test is taken when any
	 * matches. None: all tests.
	 */
	const char *const *patterns;
	size_t n_patterns;
	/* Topologies or names of presets, as a user writes them. None: each test's own. */
	const char *const *topologies;
	size_t n_topologies;
	/* At least one, unless only names are asked for: then variants may have neither kernel nor
	 * id. */
	const struct kernel *const *kernels;
	size_t n_kernels;
	struct harness_plan_clock clock;
	unsigned int repeat; /* of each seed; 0 is 1 */
	bool names_only;
};

/* Borrows suite, test and kernel. */
struct harness_variant {
	const struct exchange_declared_suite *suite;
	const struct exchange_declared_test *test;
	struct topo topology;
	const struct kernel *kernel;
	size_t kernel_index; /* in the options */
	struct harness_clock clock;
	unsigned int repeat_index;
	/*
	 * suite:test@topology, then ",kernel" when there is more than one, ",seed=N" when there
	 * are several or it is not HARNESS_DEFAULT_SEED, and ",run=N" (from 1) with repeats. No
	 * two variants of a plan share it.
	 */
	char *name;
	/* Over what is run, whenever and by whom; repeats share it, seeds do not. Hexadecimal. */
	char id[HARNESS_VARIANT_ID_CHARS + 1];
};

struct harness_plan {
	VEC(struct harness_variant)
	variants; /* by suite as given, test's name, topology, kernel, seed, repeat */
};

void harness_plan_deinit(struct harness_plan *plan);
#define _cleanup_harness_plan_ __attribute__((cleanup(harness_plan_deinit)))

/*
 * Names suites apart: the base name, or as much of the end of the path as no other has. The same
 * binary twice is HARNESS_PLAN. Call it once all suites are listed, before harness_plan_make().
 */
struct error *harness_plan_name_suites(struct exchange_declared_suite *suites, size_t n) MUST_CHECK;

bool harness_plan_pattern_matches(const char *pattern, const struct exchange_declared_suite *suite,
				  const struct exchange_declared_test *test);
/* The first pattern that no test matches; NULL when each has one. Borrowed. */
const char *harness_plan_find_unmatched(const struct harness_plan_options *options,
					const struct exchange_declared_suite *suites, size_t n);

/*
 * The suites must stay where they are as long as the plan lives. A topology or kernel that is
 * given twice counts once. HARNESS_PATTERN: a pattern matches nothing
 * (harness_plan_find_unmatched() says which); HARNESS_PLAN: too many; topo's errors for a wrong
 * topology.
 */
struct error *harness_plan_make(const struct exchange_declared_suite *suites, size_t n,
				const struct harness_plan_options *options,
				struct harness_plan *ret) MUST_CHECK;

/* The session. */

/* One per test that is planned. */
struct harness_session_files {
	const struct exchange_declared_test *test;
	struct harness_test_files files;
};

struct harness_session {
	VEC(struct exchange_declared_suite) suites;
	VEC(struct kernel *) kernels;
	struct harness_file_finder finder; /* its places may be set before files are looked for */
	VEC(struct harness_session_files) files;
	struct harness_plan plan;
};

/*
 * Asks the binary what it declares. Suites with the same name get more of their paths. `text` gets
 * what the binary printed; it may be NULL.
 */
struct error *harness_session_list(struct harness_session *session, const char *binary,
				   const struct cancel *cancel, struct strbuf *text) MUST_CHECK;
/* By what kernel_resolve() takes; NULL: the default. */
struct error *harness_session_add_kernel(struct harness_session *session,
					 const char *wanted) MUST_CHECK;
/* The session's suites with its kernels; the rest of the options is the caller's. */
struct error *harness_session_plan(struct harness_session *session,
				   const struct harness_plan_options *options) MUST_CHECK;
/* Where files are looked for: beside the binary, in these directories, in PATH. */
void harness_session_look_in(struct harness_session *session, const char *const *dirs,
			     size_t n_dirs);
/* Of all tests in the plan. HARNESS_MISTAKES names all that is missing. */
struct error *harness_session_find_files(struct harness_session *session, const char *const *dirs,
					 size_t n_dirs) MUST_CHECK;
/* NULL before that. The context is a struct harness_session: for job_setting. */
const struct harness_test_files *harness_session_files_of(
	const void *context, const struct exchange_declared_test *test);

void harness_session_deinit(struct harness_session *session);
#define _cleanup_harness_session_ __attribute__((cleanup(harness_session_deinit)))

#endif
