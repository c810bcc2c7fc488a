// SPDX-License-Identifier: LGPL-2.1-or-later
#include "work/work.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

/* The word: bit 0 is open, the rest counts nudges, so that none is slept through. */
enum { GATE_OPEN = 1, GATE_NUDGE = 2 };

struct work_gate {
	_Atomic uint32_t word;
	_Atomic uint64_t opened_at_ns;
	/* The parent writes these before it forks; workers read them. */
	uint64_t seed;
	unsigned int n_enrolled;
};

struct error *work_gate_new(struct work_gate **ret)
{
	struct work_gate *gate = mmap(NULL, sizeof(*gate), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (gate == MAP_FAILED)
		return work_error(WORK_START, errno, "shared memory for a gate");
	*ret = gate;
	return NULL;
}

void work_gate_free(struct work_gate *gate)
{
	if (gate)
		munmap(gate, sizeof(*gate));
}

void work_gate_set_seed(struct work_gate *gate, uint64_t seed)
{
	gate->seed = seed;
}

unsigned int work_gate_enrol(struct work_gate *gate, unsigned int n)
{
	unsigned int first = gate->n_enrolled;

	gate->n_enrolled += n;
	return first;
}

uint64_t work_gate_offset_ns(const struct work_gate *gate, unsigned int worker)
{
	return work_start_offset_ns(gate->seed, worker);
}

static void wake_all(struct work_gate *gate)
{
	syscall(SYS_futex, &gate->word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void work_gate_open(struct work_gate *gate)
{
	if (atomic_load(&gate->word) & GATE_OPEN)
		return;
	atomic_store(&gate->opened_at_ns, clock_monotonic_ns());
	atomic_fetch_or(&gate->word, GATE_OPEN);
	wake_all(gate);
}

uint64_t work_gate_opened_at_ns(struct work_gate *gate)
{
	return atomic_load(&gate->word) & GATE_OPEN ? atomic_load(&gate->opened_at_ns) : 0;
}

bool work_gate_wait(struct work_gate *gate, _Atomic uint32_t *stop)
{
	for (;;) {
		/* The word before the flag: a stop set after it has changed the word. */
		uint32_t word = atomic_load(&gate->word);

		if (word & GATE_OPEN)
			return true;
		if (atomic_load(stop))
			return false;
		syscall(SYS_futex, &gate->word, FUTEX_WAIT, word, NULL, NULL, 0);
	}
}

void work_gate_nudge(struct work_gate *gate)
{
	atomic_fetch_add(&gate->word, GATE_NUDGE);
	wake_all(gate);
}
