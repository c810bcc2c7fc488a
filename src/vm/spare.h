/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A clone that is kept for later. An emulated guest spends its first tenth of a second
 * translating the code it runs; a spare has proved itself and run one command already, and
 * then stands still, clock included. When it is wanted it is greeted anew: wall-clock time,
 * randomness and session are those of that moment.
 */
#ifndef KTSTR_VM_SPARE_H
#define KTSTR_VM_SPARE_H

#include "vm/state.h"

/* A guest that answers, warmed up and put to rest. */
struct error *vm_spare_park(struct vm *vm, const struct vm_spec *spec,
			    const struct cancel *cancel) MUST_CHECK;
/* Lets it run and has it prove that it is still the same one. */
struct error *vm_spare_wake(struct vm *vm, const struct cancel *cancel) MUST_CHECK;

#endif
