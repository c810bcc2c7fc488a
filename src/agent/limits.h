/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KTSTR_AGENT_LIMITS_H
#define KTSTR_AGENT_LIMITS_H

enum {
	AGENT_COMMANDS_MAX = 256,	     /* at once */
	AGENT_READ_BYTES = 64 * 1024,	     /* of one pipe in one round */
	AGENT_OUTPUT_HIGH = 512 * 1024,	     /* pipes are not read while more is unsent */
	AGENT_OUTPUT_FULL = 4 * 1024 * 1024, /* nor is the host while more is unsent */
	AGENT_WINDOW_STEP = 64 * 1024,	     /* WINDOW is sent for at least so much, or all */
	AGENT_FAREWELL_MS = 2000,	     /* for the last frames to leave */
	AGENT_HANGUP_MS = 20,		     /* between looks at a port whose host is away */
};

#endif
