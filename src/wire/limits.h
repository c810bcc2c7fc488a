/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the protocol allows; docs/PROTOCOL.md gives the same numbers. */
#ifndef KTSTR_WIRE_LIMITS_H
#define KTSTR_WIRE_LIMITS_H

enum {
	WIRE_PROTOCOL = 1,		/* HELLO and READY */
	WIRE_FRAME_VERSION = 1,		/* layout of the header */
	WIRE_HEADER_BYTES = 48,		/* in front of every payload */
	WIRE_PAYLOAD_MAX = 256 * 1024,	/* of one frame */
	WIRE_ARGUMENTS_MAX = 4096,	/* of argv, and again of env */
	WIRE_STDIN_WINDOW = 256 * 1024, /* granted by the first WINDOW */
	WIRE_ENTROPY_BYTES = 32,
	WIRE_NONCE_BYTES = 16,
};

#define WIRE_MAGIC UINT32_C(0x5253544b) /* "KTSR" as it travels */

#endif
