/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where workers wait until all of them are there. Several groups may wait at one gate, so
 * that no cgroup gets a head start while the parent is kept from opening a second one.
 */
#ifndef KTSTR_WORK_GATE_H
#define KTSTR_WORK_GATE_H

#include <stdatomic.h>

#include "work/error.h"

struct work_gate;

/* Shared with children forked later. It outlives the groups that wait at it. */
struct error *work_gate_new(struct work_gate **ret) MUST_CHECK;
void work_gate_free(struct work_gate *gate);
/* All who wait go on, and all who come later do not wait. Once; again is nothing. */
void work_gate_open(struct work_gate *gate);
/* CLOCK_MONOTONIC; 0 while it is closed. */
uint64_t work_gate_opened_at_ns(struct work_gate *gate);

/* For this room: waits until the gate is open (true) or `stop` is set (false). */
bool work_gate_wait(struct work_gate *gate, _Atomic uint32_t *stop);
/* Those who wait look at their stop flag again. */
void work_gate_nudge(struct work_gate *gate);

DEFINE_CLEANUP(work_gate, struct work_gate *, NULL, work_gate_free);
#define _cleanup_work_gate_ _cleanup_(cleanup_work_gate)

#endif
