// SPDX-License-Identifier: LGPL-2.1-or-later
#include <sched.h>

#include "work/group.h"

void work_step_yield(struct work_self *self)
{
	work_self_units(self, 1);
	sched_yield();
	/* After every yield: it may have come back on another CPU, and much later. */
	work_checkpoint(self);
	self->figures.iterations++;
}
