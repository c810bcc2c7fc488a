// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/machine.h"

#include "agent/agent.h"

#if defined(__x86_64__)
#include <sys/io.h>

enum { DEBUG_CONSOLE = 0xe9 };

struct error *agent_debug_port_open(void)
{
	if (ioperm(DEBUG_CONSOLE, 1, 1) < 0)
		return agent_error(AGENT_SYSTEM, errno, "the debug port");
	return NULL;
}

void agent_debug_port_write(const void *bytes, size_t n)
{
	outsb(DEBUG_CONSOLE, bytes, n);
}
#else
struct error *agent_debug_port_open(void)
{
	return agent_error(AGENT_SYSTEM, ENOSYS, "this architecture has no debug port");
}

void agent_debug_port_write(const void *bytes UNUSED, size_t n UNUSED)
{
}
#endif
