/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KTSTR_AGENT_ERROR_H
#define KTSTR_AGENT_ERROR_H

#include "base/error.h"

/* The tags travel in FAILED frames. */
#define AGENT_ERRORS(X)                                                               \
	X(AGENT_SYSTEM, "agent-system", "the guest's kernel refused something")       \
	X(AGENT_PROTOCOL, "agent-protocol", "the host uses another protocol version") \
	X(AGENT_CHANNEL, "agent-channel", "the channel is in use, or is 0")           \
	X(AGENT_LIMIT, "agent-limit", "more at once than the agent allows")           \
	X(AGENT_WINDOW, "agent-window", "more standard input came than was granted")  \
	X(AGENT_PUT, "agent-put", "the files did not arrive as they were sent")
DECLARE_ERROR_DOMAIN(agent, AGENT, AGENT_ERRORS);

#endif
