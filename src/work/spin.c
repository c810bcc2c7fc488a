// SPDX-License-Identifier: LGPL-2.1-or-later
#include "work/group.h"

void work_step_spin(struct work_self *self)
{
	self->figures.iterations += work_self_spin(self);
}
