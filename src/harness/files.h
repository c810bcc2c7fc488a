/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files that go into a guest with a test: the binary, its scheduler, whatever else it names.
 *
 * A name without a slash is looked for beside the binary, then in the folders of --files, then in
 * PATH. One with a slash is a path from the binary's folder, or absolute. In the guest
 * each has its base name.
 */
#ifndef KTSTR_HARNESS_FILES_H
#define KTSTR_HARNESS_FILES_H

#include "base/strbuf.h"
#include "exchange/declaration.h"
#include "harness/error.h"

/* All but the name belong to the finder. */
/* Which file it was, and when its content last changed. */
struct harness_file_stamp {
	uint64_t device, inode, bytes;
	int64_t changed_sec, changed_nsec;
};

struct harness_test_file {
	char *name;	  /* in the guest */
	const char *path; /* on this machine: absolute, without links */
	uint64_t bytes;
	uint64_t hash;	      /* of the content: base/hash.h */
	const char *build_id; /* hexadecimal; NULL when it has none or is no ELF object */
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
	const char *path; /* as $PATH, borrowed; NULL: no folders */
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

#endif
