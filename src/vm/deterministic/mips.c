// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/deterministic/deterministic.h"

enum {
	NS_PER_US = 1000,
	SHIFT_MAX = 9, /* QEMU takes 10 as well, which is less than one */
};

struct error *vm_mips_to_shift(unsigned int mips, unsigned int *ret)
{
	for (unsigned int shift = 0; shift <= SHIFT_MAX; shift++) {
		unsigned int here = NS_PER_US >> shift;

		if (mips == here) {
			*ret = shift;
			return NULL;
		}
		if (mips > here && shift == 0)
			return vm_error(VM_MIPS, 0, "%u MIPS: the most is %u", mips, here);
		if (mips > here)
			return vm_error(VM_MIPS, 0,
					"%u MIPS: an instruction takes 1, 2, 4, … ns, the nearest "
					"are %u and %u",
					mips, here, NS_PER_US >> (shift - 1));
	}
	return vm_error(VM_MIPS, 0, "%u MIPS: the least is 1", mips);
}
