/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory that a guest with a virtual clock shares with the host, in place of a channel: frames
 * of the host in one area, frames of the guest in another. Nothing here interrupts the guest.
 * When it wants input, or its area is full, it executes an instruction by which our plugin in QEMU
 * knows it and holds the whole machine; the host then reads, writes and lets it go on. For the
 * guest no time has passed, and what it reads depends on nothing but what it said before.
 *
 * Included by the agent, the host and the plugin; docs/PROTOCOL.md has the rules.
 */
#ifndef KTSTR_WIRE_MAILBOX_H
#define KTSTR_WIRE_MAILBOX_H

#include <stdint.h>

enum wire_mailbox_ask {
	WIRE_MAILBOX_ASK_NOTHING,
	WIRE_MAILBOX_ASK_INPUT, /* frames of the host; held until there are some */
	WIRE_MAILBOX_ASK_ROOM,	/* for output */
};

/* At the beginning of the memory. */
struct wire_mailbox {
	uint32_t in_n;	  /* bytes of input; set by the host, zeroed by the guest */
	uint32_t in_more; /* not 0: the host has more that did not fit */
	uint32_t asks;	  /* set by the guest before it waits */
	uint32_t out_n;	  /* bytes of output; set by the guest, zeroed by the host */
};

enum {
	WIRE_MAILBOX_BYTES = 4 << 20, /* a power of two, as a PCI window is */
	WIRE_MAILBOX_IN_AT = 4096,
	WIRE_MAILBOX_IN_BYTES = (2 << 20) - WIRE_MAILBOX_IN_AT,
	WIRE_MAILBOX_OUT_AT = 2 << 20,
	WIRE_MAILBOX_OUT_BYTES = 2 << 20,

	/* Of QEMU's ivshmem-plain; its memory is BAR 2. */
	WIRE_MAILBOX_PCI_VENDOR = 0x1af4,
	WIRE_MAILBOX_PCI_DEVICE = 0x1110,
};

/*
 * The instructions: `nopl mark(%rax)`, which does nothing. The plugin looks for these seven bytes
 * in code that is translated.
 */
enum wire_mark {
	WIRE_MARK_WAIT = 0x4b545357, /* held until the host lets go */
	WIRE_MARK_TELL = 0x4b545354, /* output is there; goes on at once */
};
#define WIRE_MARK_BYTES	 7
#define WIRE_MARK_OPCODE "\x0f\x1f\x80" /* then the mark, least byte first */

/* How QEMU ends where the plugin was only to be tried (`trial=on`), and can do its work there. */
enum { WIRE_TRIAL_STATUS = 75 };
/* How the plugin's own lines on QEMU's standard error begin. */
#define WIRE_PLUGIN_SAYS "ktstr plugin: "

/* On the socket between plugin and host: one byte each, except GO. */
enum wire_hold {
	WIRE_HOLD_WAITS = 'W', /* plugin: held; read and write the mailbox, then answer */
	WIRE_HOLD_TELLS = 'T', /* plugin: there is output */
	WIRE_HOLD_HANGS = 'H', /* plugin: no sign for too long; the machine is held for good */
	WIRE_HOLD_FULL = 'F',  /* plugin: the ring of events is full; waits for an answer */
	/* Host, and a byte: the guest's seconds without a sign of it that are a hang; 0: none. */
	WIRE_HOLD_GO = 'G',
};

#endif
