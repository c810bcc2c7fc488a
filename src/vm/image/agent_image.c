// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/image/image.h"

/* agent_blob.S, made by the build around the file. */
extern const uint8_t ktstr_agent_start[], ktstr_agent_end[];

struct bytes vm_agent_image(void)
{
	return (struct bytes){ ktstr_agent_start, (size_t)(ktstr_agent_end - ktstr_agent_start) };
}
