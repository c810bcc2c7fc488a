/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How true a machine is, as it measured itself: what error its times have that a real machine
 * would not have. With a virtual clock CPUs have turns, and one CPU hears of another at the end
 * of a turn.
 */
#ifndef KTSTR_VM_MODEL_H
#define KTSTR_VM_MODEL_H

#include "json/rows.h"
#include "vm/vm.h"

/* Times are of the guest's clock. With one CPU there are no turns, wake-ups and interrupts: 0. */
struct vm_model {
	uint32_t cpus; /* 0: not measured, and nothing else counts */
	/* Thousands of instructions per second. */
	uint64_t alone_kips, busy_kips, total_kips;
	uint64_t tick_ppm;    /* of a busy CPU's time */
	uint64_t turn_ns;     /* of one CPU while all are busy, the mean */
	uint64_t step_max_ns; /* the longest time for which a busy CPU did not run */
	/* To a task on another CPU, idle until then. Busy: all other CPUs compute meanwhile. */
	uint64_t wake_quiet_p50_ns, wake_quiet_max_ns;
	uint64_t wake_busy_p50_ns, wake_busy_max_ns;
	/* Of an interrupt to another CPU and its answer. */
	uint64_t ipi_quiet_p50_ns, ipi_quiet_max_ns;
	uint64_t ipi_busy_p50_ns, ipi_busy_max_ns;
	uint64_t timer_p50_ns, timer_max_ns; /* lateness, all other CPUs busy */
};

/* Its members in a document. */
extern const struct json_rows vm_model_table;

enum {
	VM_MODEL_PHASES = 10,
	VM_MODEL_PHASE_MS = 50, /* together half a second of the guest's time */
};

/* Of a MEASURED frame. */
struct error *vm_model_decode(struct bytes payload, struct vm_model *ret) MUST_CHECK;
/* Nothing else may run in the guest. */
struct error *vm_measure(struct vm *vm, uint32_t phase_ms, const struct cancel *cancel,
			 struct vm_model *ret) MUST_CHECK;

#endif
