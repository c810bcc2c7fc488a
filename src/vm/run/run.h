/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a running VM tells other processes: the vm.json of its run directory. The schema is
 * ours, the bytes may be anybody's.
 */
#ifndef KTSTR_VM_RUN_RUN_H
#define KTSTR_VM_RUN_RUN_H

#include <sys/types.h>

#include "json/writer.h"
#include "vm/qemu/qmp.h"

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

/*
 * One private directory per VM, below the run directory: how other processes find it.
 *
 *	vm/.lock           held for the moment in which a directory is made or put aside
 *	vm/3f9a01bc/lock   held (flock) by the owner as long as it lives
 *	vm/3f9a01bc/vm.json, qmp.sock, console.log
 *	vm/.dead-3f9a01bc  put aside, being removed by whoever sees it
 *
 * A lock ends with its process, however that dies. So a directory whose lock is free belongs to
 * nobody, and whoever looks next removes it; nothing else is ever touched.
 */

#define VM_RUN_DIR_LOCK	 "lock"
#define VM_RUN_DIR_INFO	 "vm.json"
#define VM_RUN_DIR_GUARD ".lock"
#define VM_RUN_DIR_DEAD	 ".dead-"

enum {
	VM_RUN_DIR_ID_CHARS = 8,
	/* A process that holds the guard that long is stuck. */
	VM_RUN_DIR_GUARD_WAIT_MS = 10000,
	VM_LIMIT_RUN_DIR_ENTRIES = 65536,
};

struct vm_run_dir {
	char *top, *id, *path;
	int lock_fd;
};

/* The directory of all directories; the caller owns the string. */
char *vm_run_dir_top(void) MUST_CHECK;
/* True for names this room gives to the directory of a VM. */
bool vm_run_dir_is_id(const char *name);

/* A new directory, mode 0700, ours until vm_run_dir_free(). Sweeps first. */
struct error *vm_run_dir_new(struct vm_run_dir **ret) MUST_CHECK;
/* Removes the directory with all it holds. */
void vm_run_dir_free(struct vm_run_dir *dir);
/* A file in it; the caller owns the string. A socket's path must fit 107 bytes. */
char *vm_run_dir_file(const struct vm_run_dir *dir, const char *name) MUST_CHECK;
/* Writes vm.json whole or not at all. `id` and `owner` are filled in here. */
struct error *vm_run_dir_publish(struct vm_run_dir *dir, struct vm_run_info *info) MUST_CHECK;

/*
 * Removes what dead owners left. Does not wait: when another process is making or removing a
 * directory just now, the next sweep removes the rest.
 */
void vm_run_dir_sweep(void);

enum vm_run_dir_owner {
	VM_RUN_DIR_OWNER_LIVES,
	VM_RUN_DIR_OWNER_GONE,
	VM_RUN_DIR_OWNER_UNKNOWN, /* no such directory, or it may not be looked at */
};

/* fd of the directory of all directories. */
enum vm_run_dir_owner vm_run_dir_owner(int top_fd, const char *id);

DEFINE_CLEANUP(vm_run_dir, struct vm_run_dir *, NULL, vm_run_dir_free);
#define _cleanup_vm_run_dir_ _cleanup_(cleanup_vm_run_dir)

/* All VMs of this user that run now. Looking sweeps away what dead owners left. */

#define VM_RUN_STATES(X)                                                      \
	X(VM_RUN_STARTING, "starting", "its owner prepares it")               \
	X(VM_RUN_RUNNING, "running", "QEMU runs")                             \
	X(VM_RUN_PAUSED, "paused", "QEMU runs, the guest's CPUs are stopped") \
	X(VM_RUN_ENDED, "ended", "QEMU has ended, its owner has not yet")     \
	X(VM_RUN_UNREADABLE, "unreadable", "its description is not valid")

enum vm_run_state {
#define RUN_STATE_ENUM_(id, word, meaning) id,
	VM_RUN_STATES(RUN_STATE_ENUM_)
#undef RUN_STATE_ENUM_
};

const char *vm_run_state_name(enum vm_run_state state);

struct vm_run_entry {
	char *id;
	enum vm_run_state state;
	struct vm_run_info *info; /* NULL when starting without a description, or unreadable */
	char *problem;		  /* why it is unreadable, else NULL */
};

struct vm_run_list {
	VEC(struct vm_run_entry) entries; /* by start, then by id */
};

/* Never waits. Without a run directory the list is empty. */
struct error *vm_run_list_read(struct vm_run_list *ret) MUST_CHECK;
void vm_run_list_deinit(struct vm_run_list *list);
/* By id, or by the beginning of one that fits only one; NULL when none or several do. */
const struct vm_run_entry *vm_run_list_find(const struct vm_run_list *list, const char *id);
/* The same, also with "vm:" in front; none or several is BASE_ABSENT. */
struct error *vm_run_list_get(const struct vm_run_list *list, const char *id,
			      const struct vm_run_entry **ret) MUST_CHECK;

#define _cleanup_vm_run_list_ __attribute__((cleanup(vm_run_list_deinit)))

/*
 * A process that freezes a guest locks (flock) the file `freeze` of its run directory until
 * the guest runs again. A lock ends with its process: if a stopped guest has the file and
 * the file is not locked, the process that froze it was killed. Its owner then resumes it, and so
 * does the next one who looks. A stopped guest without the file was stopped on purpose.
 */

#define VM_RUN_FREEZE_FILE "freeze"

struct vm_run_freeze {
	char *path;
	int fd;
};
#define VM_RUN_FREEZE_NONE ((struct vm_run_freeze){ .fd = -1 })

/* Before the guest is stopped. `dir` is the guest's run directory. */
struct error *vm_run_freeze_begin(const char *dir, struct vm_run_freeze *ret) MUST_CHECK;
/* After it runs again, or was left as it was: removes the file. Fine when nothing was begun. */
void vm_run_freeze_end(struct vm_run_freeze *freeze);

/*
 * True: left by one that was killed. Then nobody else can begin until vm_run_freeze_end(); the
 * guest is to be continued in between.
 */
bool vm_run_freeze_adopt(const char *dir, struct vm_run_freeze *ret) MUST_CHECK;
/* The lock is held now. */
bool vm_run_freeze_is_held(const char *dir);

/*
 * VMs of other processes: whether they stand still, stop, go on, end. By the monitor that each has
 * for others; QEMU serves one of them after the other. Entries are those of a run_list that was
 * just read.
 */

/* The VM runs or is paused and has a monitor; else an error that says what it is. */
struct error *vm_run_control_connect(const struct vm_run_entry *entry, uint64_t wait_ns,
				     struct vm_qmp **ret) MUST_CHECK;
/* Its run directory; the caller owns the string. */
char *vm_run_control_dir(const struct vm_run_entry *entry) MUST_CHECK;
/* False in *ret: its CPUs stand still. */
struct error *vm_run_control_is_running(struct vm_qmp *qmp, uint64_t wait_ns, bool *ret) MUST_CHECK;

/* Until vm_run_control_resume(), whoever else looks meanwhile. One that stands still stays so. */
struct error *vm_run_control_freeze(const struct vm_run_entry *entry) MUST_CHECK;
/* A guest whose kernel has ended cannot go on: VM_QMP. */
struct error *vm_run_control_resume(const struct vm_run_entry *entry) MUST_CHECK;
/* SIGKILL for its QEMU, and waits for the end of it. The owner sees it and ends, or goes on. */
struct error *vm_run_control_kill(const struct vm_run_entry *entry) MUST_CHECK;

/*
 * Asks each VM of the list: VM_RUN_RUNNING becomes VM_RUN_PAUSED where the CPUs stand still. A VM
 * that was left so by one that was killed while it looked goes on. One whose QEMU does not answer
 * keeps its state.
 */
void vm_run_control_ask(struct vm_run_list *list);

#endif
