/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of `ktstr doctor` share. */
#ifndef KTSTR_CLI_DOCTOR_DOCTOR_H
#define KTSTR_CLI_DOCTOR_DOCTOR_H

#include "base/error.h"
#include "base/slice.h"
#include "base/strbuf.h"
#include "vm/qemu/accel.h"

/*
 * Checks as rows: a name and a function that looks and says what it found, how
 * good that is, and the one command that makes it better.
 *
 * Files are looked for below `root`, "" for this machine, so that tests can build others.
 */

enum check_state {
	CHECK_OK,
	CHECK_LIMITED, /* it works, but less or slower */
	CHECK_MISSING, /* no guest without it */
	CHECK_N_STATES
};

struct finding {
	enum check_state state;
	struct strbuf text;
	struct strbuf fix; /* empty when there is nothing to do, or nothing can be done */
};

struct check {
	const char *name;
	void (*run)(const char *root, struct finding *finding);
};

extern const struct check doctor_checks[];
extern const size_t doctor_n_checks;

void finding_deinit(struct finding *finding);
/* Replaces what was found so far. */
void finding_say(struct finding *finding, enum check_state state, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
void finding_fix(struct finding *finding, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The same with sudo in front, unless we are root. */
void finding_fix_as_root(struct finding *finding, const char *fmt, ...) PRINTF_LIKE(2, 3);

#define _cleanup_finding_ __attribute__((cleanup(finding_deinit)))

/* What checks share. False, and nothing written, when there is no such file. */
bool check_read(const char *root, const char *path, struct strbuf *into);
bool check_exists(const char *root, const char *path);
bool check_has_word(struct slice words, const char *word);
/* The value of a line NAME=value of /etc/os-release, without quotes; NULL when there is none. */
char *check_os_release(const char *root, const char *name);

/* In the order they are shown: X(name, what it is). What a guest needs, room, the instruments. */
#define DOCTOR_CHECKS(X)                                                 \
	X(accelerator, "what executes guests: KVM, or TCG")              \
	X(qemu, "the QEMU that is used, and its version")                \
	X(clock, "whether guests can have a virtual clock")              \
	X(firmware, "qboot.rom, which starts a guest's kernel")          \
	X(kernel, "the kernels that are cached")                         \
	X(busybox, "the shell and tools of a guest")                     \
	X(cache, "size of the cache, and the free space on its disk")    \
	X(shm, "size of /dev/shm, for information")                      \
	X(apt, "where kernels come from: Debian's archive and its keys") \
	X(bpf, "whether BPF programs can be loaded on this host")        \
	X(ptrace, "whether processes of this host can be probed")        \
	X(cgroup, "whether this host has cgroup v2 with all controllers")
#define CHECK_DECLARE_(name, what) void check_##name(const char *root, struct finding *finding);
DOCTOR_CHECKS(CHECK_DECLARE_)
#undef CHECK_DECLARE_

/* Parts that know what was found out elsewhere: for tests. */
void check_accelerator_choice(const char *root, const struct vm_accel *choice,
			      struct finding *finding);
void check_bpf_load(const char *root, int load_errno, struct finding *finding);

/* The steps of `ktstr doctor --kvm` that start guests, with whatever accelerator. */

/* A cold boot of the default kernel. */
struct error *kvm_guests_boot(enum vm_accel_wish wish, struct strbuf *notes) MUST_CHECK;
/* Machines of several shapes, each read back from inside. */
struct error *kvm_guests_topology(enum vm_accel_wish wish, struct strbuf *notes) MUST_CHECK;
/* Twenty clones of one template, one after the other. */
struct error *kvm_guests_clones(enum vm_accel_wish wish, struct strbuf *notes) MUST_CHECK;

/*
 * `ktstr doctor --kvm`: the path that could not be tried where this project was made, on a
 * machine that has it. Steps are rows; one that fails ends the run, and the block says so.
 */

struct doctor_step {
	const char *name;
	/* Adds what is worth telling to `notes`; an error is what went wrong. */
	struct error *(*run)(enum vm_accel_wish wish, struct strbuf *notes);
};

/* Takes what was written so far and empties it; not 0 ends the run. NULL: not flushed. */
typedef int (*doctor_flush_fn)(struct strbuf *text);

/* Facts of this machine, then the steps, each printed when done. Returns an exit code. */
int doctor_kvm_run(doctor_flush_fn flush, struct strbuf *into);
int doctor_kvm_run_steps(const struct doctor_step *steps, size_t n, enum vm_accel_wish wish,
			 doctor_flush_fn flush, struct strbuf *into);

/* What the checks found, for people and for programs. */

struct doctor_report {
	const struct check *checks; /* borrowed */
	struct finding *findings;   /* one for each */
	size_t n;
};

/* Runs them one after the other. */
void doctor_report_make(const struct check *checks, size_t n, const char *root,
			struct doctor_report *ret);
void doctor_report_deinit(struct doctor_report *report);
#define _cleanup_doctor_report_ __attribute__((cleanup(doctor_report_deinit)))

/* columns 0 means as wide as needed. */
void doctor_report_format(const struct doctor_report *report, size_t columns, struct strbuf *into);
void doctor_report_format_json(const struct doctor_report *report, struct strbuf *into);
/* CLI_EXIT_OK when nothing is missing, else CLI_EXIT_FAILED. */
int doctor_report_exit_code(const struct doctor_report *report);

#endif
