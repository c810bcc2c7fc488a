/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two closed vocabularies of the probe; the tags are wire words of the command and of ctprof.
 */
#ifndef KTSTR_PROBE_ERROR_H
#define KTSTR_PROBE_ERROR_H

#include "base/error.h"

/* Why no thread of a process can be read at all. */
#define ATTACH_ERRORS(X)                                                                        \
	X(ATTACH_PID_MISSING, "pid-missing", "there is no such process")                        \
	X(ATTACH_READLINK_FAILURE, "readlink-failure", "the executable cannot be read")         \
	X(ATTACH_MAPS_READ_FAILURE, "maps-read-failure", "the memory map cannot be read")       \
	X(ATTACH_JEMALLOC_NOT_FOUND, "jemalloc-not-found", "the process does not use jemalloc") \
	X(ATTACH_JEMALLOC_IN_DSO, "jemalloc-in-dso",                                            \
	  "jemalloc is in a library whose thread-local storage cannot be reached")              \
	X(ATTACH_ARCH_MISMATCH, "arch-mismatch", "the program is for another architecture")     \
	X(ATTACH_DWARF_PARSE_FAILURE, "dwarf-parse-failure",                                    \
	  "where jemalloc keeps its counters could not be found out")                           \
	X(ATTACH_EXE_IDENTITY_CHANGED, "exe-identity-changed",                                  \
	  "the process ran exec or ended during the run")
DECLARE_ERROR_DOMAIN(attach, ATTACH, ATTACH_ERRORS);

/* Why one thread could not be read. */
#define THREAD_ERRORS(X)                                                                       \
	X(THREAD_PTRACE_SEIZE, "ptrace-seize", "PTRACE_SEIZE was refused")                     \
	X(THREAD_PTRACE_INTERRUPT, "ptrace-interrupt", "the thread would not stop")            \
	X(THREAD_WAITPID, "waitpid", "the stop was not seen in time")                          \
	X(THREAD_GET_REGSET, "get-regset", "the thread pointer could not be read")             \
	X(THREAD_PROCESS_VM_READV, "process-vm-readv", "the counters could not be read")       \
	X(THREAD_TLS_ARITHMETIC, "tls-arithmetic", "the address of the counters does not fit") \
	X(THREAD_POINTER, "thread-pointer", "not in glibc's thread list, and ptrace is forbidden")
DECLARE_ERROR_DOMAIN(thread, THREAD, THREAD_ERRORS);

#endif
