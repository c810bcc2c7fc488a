/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The agent travels inside our own program: there is nothing to install or to lose. */
#ifndef KTSTR_VM_IMAGE_AGENT_IMAGE_H
#define KTSTR_VM_IMAGE_AGENT_IMAGE_H

#include "base/bytes.h"

/* The static executable that becomes /init. */
struct bytes vm_agent_image(void);

#endif
