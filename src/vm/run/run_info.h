/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a running VM tells other processes: the vm.json of its run folder. The schema is
 * ours, the bytes may be anybody's.
 */
#ifndef KTSTR_VM_RUN_RUN_INFO_H
#define KTSTR_VM_RUN_RUN_INFO_H

#include <sys/types.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "json/writer.h"

enum {
	VM_RUN_INFO_SCHEMA = 1,
	VM_LIMIT_RUN_INFO_BYTES = 1 << 20,
	VM_LIMIT_RUN_INFO_STRING = 4096,
	VM_LIMIT_RUN_INFO_RAM = 1024,
};

/* A range of guest-physical memory and where its bytes are. */
struct vm_run_ram {
	uint64_t guest_address;
	uint64_t size_bytes;
	/* The backend's file and the range's place in it. In a private clone the file holds the
	 * template: what the clone wrote is only in QEMU's memory. */
	char *file; /* NULL when there is none others could open */
	uint64_t offset_bytes;
	bool is_private;
	/* The same bytes in QEMU's address space; both 0 when not known. */
	pid_t pid;
	uint64_t address;
};

/* A process, safe against reuse of its number. pid 0 when there is none yet. */
struct vm_run_process {
	pid_t pid;
	uint64_t start_time_jiffies;
};

struct vm_run_info {
	char *id;
	struct vm_run_process owner;
	struct vm_run_process qemu;
	uint64_t started_at_sec; /* Unix time */
	/* NULL or 0 means not known (yet). */
	char *kernel_id;
	char *kernel_release;
	char *kernel_build_id;
	char *topology;
	uint64_t memory_bytes;
	char *accel; /* "kvm", "tcg" */
	char *accel_reason;
	bool deterministic;
	char *template; /* its key; NULL for a cold boot */
	VEC(struct vm_run_ram) ram;
	char *qmp_socket;
	char *console_log;
};

void vm_run_info_deinit(struct vm_run_info *info);
void vm_run_info_free(struct vm_run_info *info);
/* Takes over nothing: file is copied. */
void vm_run_info_add_ram(struct vm_run_info *info, const struct vm_run_ram *ram);
/* start_time_jiffies from /proc; 0 when the process is gone. */
struct vm_run_process vm_run_process_of(pid_t pid);
/* False when it has ended, even if its number is in use again. */
bool vm_run_process_lives(const struct vm_run_process *process);

/* What is known, into an object that is open. */
void vm_run_info_write_members(const struct vm_run_info *info, struct json_writer *w);
void vm_run_info_format(const struct vm_run_info *info, struct strbuf *into);
/* BASE_PARSE or BASE_LIMIT; unknown members are passed over. */
struct error *vm_run_info_parse(const char *text, size_t n, const char *label,
				struct vm_run_info **ret) MUST_CHECK;

DEFINE_CLEANUP(vm_run_info, struct vm_run_info *, NULL, vm_run_info_free);
#define _cleanup_vm_run_info_ _cleanup_(cleanup_vm_run_info)

#endif
