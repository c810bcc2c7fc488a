// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/clock.h"
#include "work/group.h"

/* Some 20 microseconds on a CPU of 2020: enough to be seen, too little to matter. */
enum { UNITS_BETWEEN_SLEEPS = 16 };

void work_step_sleep(struct work_self *self)
{
	work_self_units(self, UNITS_BETWEEN_SLEEPS);
	if (work_self_sleep(self, self->work.sleep_ms * NS_PER_MS))
		self->figures.iterations++;
}
