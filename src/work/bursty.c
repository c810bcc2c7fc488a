// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/clock.h"
#include "work/group.h"

void work_step_bursty(struct work_self *self)
{
	if (work_self_spin_for(self, self->work.burst_ms * NS_PER_MS) &&
	    work_self_sleep(self, self->work.sleep_ms * NS_PER_MS))
		self->figures.iterations++;
}
