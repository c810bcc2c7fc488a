/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a test binary says about itself with `--list --json`: the suite writes it, the runner reads
 * it. The binary is foreign: every text is bounded and every number checked when it is read.
 */
#ifndef KTSTR_EXCHANGE_DECLARATION_H
#define KTSTR_EXCHANGE_DECLARATION_H

#include <ktstr/ktstr.h>

#include "base/vec.h"
#include "exchange/codecs.h"
#include "topo/topology.h"

enum {
	EXCHANGE_LIMIT_TESTS = 4096,
	/* Rows of one list of a declaration; authors have fewer (<ktstr/ktstr.h>). */
	EXCHANGE_LIMIT_LIST = 64,
	/* Bytes of a test's or a cgroup's name, and of any other text. */
	EXCHANGE_LIMIT_DECLARED_NAME = 128,
	EXCHANGE_LIMIT_DECLARED_TEXT = 4096,
	EXCHANGE_LIMIT_SECONDS = 7 * 24 * 3600,
	EXCHANGE_LIMIT_MEMORY_MB = 16 << 20,
	EXCHANGE_LIMIT_WORKERS = 65536,
};

/* Ends with a NULL pointer that `n` does not count. */
struct exchange_text_list {
	char **at;
	size_t n;
};

struct exchange_declared_scheduler {
	char *name; /* "" with an empty argv: the kernel's own; NULL is written as no scheduler */
	struct exchange_text_list argv, files, sysctls, kernel_args;
	unsigned int attach_timeout_s; /* 0: the suite's own rule */
	bool may_restart;
};

struct exchange_declared_cgroup {
	char *name;
	struct ktstr_cpus cpus;
	char *work; /* name of the kind; NULL: none */
	unsigned int workers;
/* 0: the kind has none, or the suite does not say */
#define KTSTR_WORK_PARAM(name, words) unsigned int name;
#include <ktstr/work_params.def>
#undef KTSTR_WORK_PARAM
};

struct exchange_declared_test {
	char *name, *file, *description; /* description may be "" */
	int32_t line;
	struct topo topology;
	unsigned int memory_mb, duration_s, timeout_s; /* 0: not said, except duration_s */
	struct exchange_declared_scheduler scheduler;
	struct exchange_text_list files;
	VEC(struct exchange_declared_cgroup) cgroups;
	struct ktstr_checks checks; /* no default is left in them */
	/* Names of those that the author wrote down, as the listing has them. */
	struct exchange_text_list declared_checks;
	bool knows_declared_checks; /* false: it does not say */
	/* The lists of `needs` are in kconfig below. */
	struct ktstr_needs needs;
	struct exchange_text_list kconfig;
	enum ktstr_reason expect;
	bool has_run;
};

struct exchange_declared_suite {
	char *path; /* of the binary, absolute, without links */
	char *name; /* its base name, or more of the path when two binaries share it */
	VEC(struct exchange_declared_test) tests; /* by name */
};

/* The whole document, of struct exchange_declared_suite. */
extern const struct json_rows exchange_listing_table;
/* After reading: what was left out becomes "" and empty lists, which are never NULL. */
void exchange_declared_test_complete(struct exchange_declared_test *test);

/* What is behind the last slash: how a file is called in the guest. */
const char *exchange_declared_base_name(const char *path);

void exchange_declared_test_deinit(struct exchange_declared_test *test);
#define _cleanup_exchange_declared_test_ __attribute__((cleanup(exchange_declared_test_deinit)))
void exchange_declared_suite_deinit(struct exchange_declared_suite *suite);
#define _cleanup_exchange_declared_suite_ __attribute__((cleanup(exchange_declared_suite_deinit)))

#endif
