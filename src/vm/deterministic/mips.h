/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How fast a machine is whose time is counted in instructions. */
#ifndef KTSTR_VM_DETERMINISTIC_MIPS_H
#define KTSTR_VM_DETERMINISTIC_MIPS_H

#include "vm/error.h"

/*
 * The shift of -icount: an instruction takes 2^shift ns, so a million of them in a second is
 * 1000 / 2^shift, its fraction left out: 1000, 500, 250, 125, 62, 31, 15, 7, 3 and 1 exist. Of
 * anything else the error names the nearest.
 */
struct error *vm_mips_to_shift(unsigned int mips, unsigned int *ret) MUST_CHECK;

#endif
