/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What time is in a guest. With the real clock it is the host's; with the virtual one the
 * guest's instructions are counted, so that what it measures does not depend on the host and
 * repeats to the bit (docs/DETERMINISM.md).
 */
#ifndef KTSTR_VM_CLOCK_H
#define KTSTR_VM_CLOCK_H

#include "base/error.h"
#include "base/macros.h"
#include "vm/qemu/accel.h"

enum vm_clock_kind { VM_CLOCK_REAL, VM_CLOCK_VIRTUAL };

/* "real", "virtual". */
const char *vm_clock_name(enum vm_clock_kind kind);

/*
 * No turn of a CPU is longer than either, except with the seed 0. Shorter ones change nothing that
 * could be measured (docs/DETERMINISM.md): what CPUs execute for a wake-up is then most of its
 * time.
 */
enum { VM_TURN_NS = 20000, VM_TURN_INSTRUCTIONS = 2500 };
/* The seed of a machine that nobody gave one. */
enum { VM_SEED_DEFAULT = 1 };

/* What is asked for. */
enum vm_clock_wish { VM_CLOCK_WISH_AUTO, VM_CLOCK_WISH_VIRTUAL, VM_CLOCK_WISH_REAL };

/* In the order of enum vm_clock_wish, NULL at the end: for option rows. */
extern const char *const vm_clock_wish_words[];

/*
 * AUTO: virtual where guests are emulated and QEMU can do it, real elsewhere. Asks
 * vm_accel_choose() only where the answer depends on it. *ret_why is why it is real though guests
 * are emulated, for the caller to free; NULL: there is nothing to explain.
 */
enum vm_clock_kind vm_clock_choose(enum vm_clock_wish wish, enum vm_accel_wish accel,
				   struct error **ret_why);
/* The decision alone. */
enum vm_clock_kind vm_clock_decide(enum vm_clock_wish wish, enum vm_accel_kind accel);

/*
 * Whether this QEMU can give a guest a virtual clock: VM_QEMU_FAILED says why not. It is run once;
 * later calls know.
 */
struct error *vm_clock_trial(const char *qemu_path) MUST_CHECK;

/* How fast a machine with a virtual clock is, in millions of instructions per second. */
struct vm_speed {
	unsigned int shift; /* an instruction takes 2^shift ns of the guest's time */
	double total_mips;  /* all CPUs together, hence one that runs alone: 1000 / 2^shift */
	double cpu_mips;    /* each CPU when all are busy */
};

/* Instructions in a turn, at most. */
unsigned int vm_speed_turn(unsigned int shift);
/*
 * mips is what one CPU should have when all are busy; 0 is the default for so many CPUs. The
 * nearest possible is taken; more than there is, is VM_MIPS.
 */
struct error *vm_speed_choose(unsigned int mips, unsigned int cpus,
			      struct vm_speed *ret) MUST_CHECK;

#endif
