/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `ktstr doctor --kvm`: the path that could not be tried where this project was made, on a
 * machine that has it. Steps are rows; one that fails ends the run, and the block says so.
 */
#ifndef KTSTR_CLI_DOCTOR_KVM_H
#define KTSTR_CLI_DOCTOR_KVM_H

#include "base/error.h"
#include "base/strbuf.h"
#include "vm/accel.h"

struct doctor_step {
	const char *name;
	/* Adds what is worth telling to `notes`; an error is what went wrong. */
	struct error *(*run)(enum accel_wish wish, struct strbuf *notes);
};

/* Takes what was written so far and empties it; not 0 ends the run. NULL: nobody waits for it. */
typedef int (*doctor_flush_fn)(struct strbuf *text);

/* Facts of this machine, then the steps, each told when it is done. The value is an exit code. */
int doctor_kvm_run(doctor_flush_fn flush, struct strbuf *into);
int doctor_kvm_run_steps(const struct doctor_step *steps, size_t n, enum accel_wish wish,
			 doctor_flush_fn flush, struct strbuf *into);

#endif
