/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Per-thread jemalloc counters of a live process.
 *
 *	probe_attach()         the expensive part, once: ELF, DWARF or layout table
 *	probe_take_snapshot()  cheap, as often as wanted: every thread's counters
 *
 * By default nobody is stopped: thread pointers come from glibc's own thread
 * list, and only a thread that is not in it is stopped with ptrace.
 */
#ifndef KTSTR_PROBE_PROBE_H
#define KTSTR_PROBE_PROBE_H

#include <sys/types.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/strbuf.h"

enum probe_stop_policy {
	PROBE_STOP_IF_NEEDED,
	PROBE_STOP_NEVER,
	PROBE_STOP_ALWAYS,
};

/* What the counters' place rests on. */
#define PROBE_EVIDENCES(X)               \
	X(PROBE_EVIDENCE_DWARF, "dwarf") \
	X(PROBE_EVIDENCE_LAYOUT_TABLE, "layout-table")

/* How a thread's pointer was found. */
#define PROBE_METHODS(X)                           \
	X(PROBE_METHOD_GLIBC, "glibc-thread-list") \
	X(PROBE_METHOD_PTRACE, "ptrace")

/* Whether threads have allocated with a jemalloc. */
#define PROBE_USES(X)                   \
	X(PROBE_USE_UNKNOWN, "unknown") \
	X(PROBE_USE_NONE, "unused")     \
	X(PROBE_USE_SOME, "in-use")

#define PROBE_ENUM_(id, word) id,
enum probe_evidence { PROBE_EVIDENCES(PROBE_ENUM_) };
enum probe_method { PROBE_METHODS(PROBE_ENUM_) };
enum probe_use { PROBE_USES(PROBE_ENUM_) };

const char *probe_evidence_name(enum probe_evidence evidence);
const char *probe_method_name(enum probe_method method);
const char *probe_use_name(enum probe_use use);

struct probe;
struct probe_object_source;

struct probe_options {
	const char *proc_root; /* NULL means /proc */
	enum probe_stop_policy stop;
	const struct cancel *cancel; /* may be NULL; must outlive the probe */
	/* Who knows what is in the target's files, see objects.h. NULL: they are read here. */
	const struct probe_object_source *source;
	/* Path or file name of the object to read; NULL: the one that most was allocated with. */
	const char *object;
	/* NULL, or where lines about what was tried go, of use when it failed. */
	struct strbuf *details;
};

/*
 * Errors are of the attach domain, except BASE_CANCELLED when the cancel fired.
 * The caller owns *ret.
 */
struct error *probe_attach(pid_t pid, const struct probe_options *options,
			   struct probe **ret) MUST_CHECK;
/*
 * Lets go what did not stop in time, waiting for it within a bound; shorter
 * after a cancel. The figures about stops are final afterwards. False when the cancel left
 * some of them to the kernel, which lets go when we exit.
 */
bool probe_finish(struct probe *probe);
void probe_free(struct probe *probe);
DEFINE_CLEANUP(probe, struct probe *, NULL, probe_free);

/*
 * True when the process ended or ran exec, be it the same program again: what
 * was found at attach says nothing any more, nor do numbers read since the last look.
 */
bool probe_target_was_replaced(const struct probe *probe);

/* Another object with jemalloc in it, whose counters are not read. */
struct probe_other {
	char *path;
	enum probe_use use;
	char *unread; /* why its counters cannot be read; NULL when they could */
};

/* What was found at attach, borrowed, and what snapshots have cost until now. */
struct probe_facts {
	enum probe_evidence evidence;
	const char *object_path; /* where jemalloc was found, in the target's own view */
	/* The file whose debug information gave the offsets, or the row of the table. */
	const char *offsets_source;
	const struct probe_other *others;
	size_t n_others;
	/* How many stops all snapshots together made, and how long threads stood still. */
	uint64_t stopped_threads, stopped_ns;
};

struct probe_facts probe_facts(const struct probe *probe);

struct probe_thread {
	pid_t tid;
	char *comm; /* NULL when it could not be read */
	bool has_start_time;
	uint64_t start_time_jiffies;
	struct error *error; /* of the thread domain; NULL: the fields below hold */
	enum probe_method method;
	uint64_t allocated_bytes; /* both cumulative since the thread's start */
	uint64_t deallocated_bytes;
};

struct probe_snapshot {
	uint64_t timestamp_unix_sec;
	uint64_t monotonic_ns;	      /* CLOCK_MONOTONIC when the snapshot began */
	struct probe_thread *threads; /* sorted by tid */
	size_t n_threads;
	bool interrupted; /* the cancel fired before every thread was read */
};

/*
 * Reads every thread that /proc/PID/task shows now. Fails only if the threads
 * cannot be listed; a thread that cannot be read is an entry with its error.
 */
struct error *probe_take_snapshot(struct probe *probe, struct probe_snapshot *ret) MUST_CHECK;
/*
 * Sleeps until the next snapshot is due; false when cancelled before. A thread
 * that did not stop in time for the last one is let go as soon as it does.
 */
bool probe_wait(struct probe *probe, uint64_t ns) MUST_CHECK;
void probe_snapshot_deinit(struct probe_snapshot *snapshot);

/* The two closed vocabularies of the probe; the tags are wire words of the command and of ctprof.
 */

/* Why no thread of a process can be read at all. */
#define PROBE_ATTACH_ERRORS(X)                                                                    \
	X(PROBE_ATTACH_PID_MISSING, "pid-missing", "there is no such process")                    \
	X(PROBE_ATTACH_READLINK_FAILURE, "readlink-failure", "the executable cannot be read")     \
	X(PROBE_ATTACH_MAPS_READ_FAILURE, "maps-read-failure", "the memory map cannot be read")   \
	X(PROBE_ATTACH_JEMALLOC_NOT_FOUND, "jemalloc-not-found",                                  \
	  "the process does not use jemalloc")                                                    \
	X(PROBE_ATTACH_JEMALLOC_IN_DSO, "jemalloc-in-dso",                                        \
	  "jemalloc is in a library whose thread-local storage cannot be reached")                \
	X(PROBE_ATTACH_ARCH_MISMATCH, "arch-mismatch", "the program is for another architecture") \
	X(PROBE_ATTACH_DWARF_PARSE_FAILURE, "dwarf-parse-failure",                                \
	  "where jemalloc keeps its counters could not be found out")                             \
	X(PROBE_ATTACH_EXE_IDENTITY_CHANGED, "exe-identity-changed",                              \
	  "the process ran exec or ended during the run")
DECLARE_ERROR_DOMAIN(probe_attach, PROBE_ATTACH, PROBE_ATTACH_ERRORS);

/* Why one thread could not be read. */
#define PROBE_THREAD_ERRORS(X)                                                                 \
	X(PROBE_THREAD_PTRACE_SEIZE, "ptrace-seize", "PTRACE_SEIZE was refused")               \
	X(PROBE_THREAD_PTRACE_INTERRUPT, "ptrace-interrupt", "the thread did not stop")        \
	X(PROBE_THREAD_WAITPID, "waitpid", "the stop was not seen in time")                    \
	X(PROBE_THREAD_GET_REGSET, "get-regset", "the thread pointer could not be read")       \
	X(PROBE_THREAD_PROCESS_VM_READV, "process-vm-readv", "the counters could not be read") \
	X(PROBE_THREAD_TLS_ARITHMETIC, "tls-arithmetic",                                       \
	  "the address of the counters does not fit")                                          \
	X(PROBE_THREAD_POINTER, "thread-pointer",                                              \
	  "not in glibc's thread list, and ptrace is forbidden")
DECLARE_ERROR_DOMAIN(probe_thread, PROBE_THREAD, PROBE_THREAD_ERRORS);

#endif
