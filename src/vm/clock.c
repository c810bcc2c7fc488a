// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/clock.h"

#include "base/alloc.h"
#include "vm/error.h"
#include "vm/qemu/qemu_binary.h"

enum {
	MOST_MIPS = 1000, /* an instruction takes at least 1 ns */
	SHIFT_MAX = 9,	  /* QEMU takes 10 as well, which is less than one */
	/*
	 * The table "By speed and size" in docs/DETERMINISM.md: a wake-up beside busy CPUs then
	 * takes 0.1 ms, ticks take 2 %, and a busy machine of four CPUs runs in about real time on
	 * one core of a host.
	 */
	DEFAULT_CPU_MIPS = 62,
	DEFAULT_LEAST_MIPS = 250,
};

const char *const vm_clock_wish_words[] = {
	[VM_CLOCK_WISH_AUTO] = "auto",
	[VM_CLOCK_WISH_VIRTUAL] = "virtual",
	[VM_CLOCK_WISH_REAL] = "real",
	NULL,
};

const char *vm_clock_name(enum vm_clock_kind kind)
{
	return kind == VM_CLOCK_VIRTUAL ? "virtual" : "real";
}

enum vm_clock_kind vm_clock_decide(enum vm_clock_wish wish, enum vm_accel_kind accel)
{
	if (wish == VM_CLOCK_WISH_AUTO)
		return accel == VM_ACCEL_TCG ? VM_CLOCK_VIRTUAL : VM_CLOCK_REAL;
	return wish == VM_CLOCK_WISH_VIRTUAL ? VM_CLOCK_VIRTUAL : VM_CLOCK_REAL;
}

enum vm_clock_kind vm_clock_choose(enum vm_clock_wish wish, enum vm_accel_wish accel,
				   struct error **ret_why)
{
	_cleanup_error_ struct error *no_qemu = NULL;
	_cleanup_free_ char *qemu = NULL;
	struct vm_accel chosen = { 0 };
	enum vm_clock_kind kind;

	*ret_why = NULL;
	if (wish == VM_CLOCK_WISH_AUTO)
		vm_accel_choose(accel, &chosen);
	kind = vm_clock_decide(wish, chosen.kind);
	if (wish != VM_CLOCK_WISH_AUTO || kind == VM_CLOCK_REAL)
		return kind;
	/* Without a QEMU there will be an error, whatever the clock. */
	no_qemu = vm_qemu_binary_path(&qemu);
	if (!no_qemu)
		*ret_why = vm_clock_trial(qemu);
	return *ret_why ? VM_CLOCK_REAL : kind;
}

static double mips_of(unsigned int shift)
{
	return (double)MOST_MIPS / (1U << shift);
}

/* By ratio: 88 is as far from 62 as from 125. */
static unsigned int nearest_shift(double total)
{
	unsigned int shift = 0;

	while (shift < SHIFT_MAX && total * total < mips_of(shift) * mips_of(shift + 1))
		shift++;
	return shift;
}

unsigned int vm_speed_turn(unsigned int shift)
{
	unsigned int n = VM_TURN_NS >> shift;

	return n < VM_TURN_INSTRUCTIONS ? n : VM_TURN_INSTRUCTIONS;
}

struct error *vm_speed_choose(unsigned int mips, unsigned int cpus, struct vm_speed *ret)
{
	double total = (double)mips * cpus;
	unsigned int shift;

	if (mips == 0) {
		total = (double)DEFAULT_CPU_MIPS * cpus;
		total = total < DEFAULT_LEAST_MIPS ? DEFAULT_LEAST_MIPS : total;
	} else if (total > MOST_MIPS) {
		return vm_error(VM_MIPS, 0,
				"%u MIPS for each of %u CPUs: all together have at most %d, so the "
				"nearest are %.4g and %.4g",
				mips, cpus, MOST_MIPS, mips_of(0) / cpus, mips_of(1) / cpus);
	}
	shift = nearest_shift(total);
	*ret = (struct vm_speed){
		.shift = shift,
		.total_mips = mips_of(shift),
		.cpu_mips = mips_of(shift) / cpus,
	};
	return NULL;
}
