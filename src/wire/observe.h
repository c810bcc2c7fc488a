/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory that our plugin in QEMU and the host share when a guest is observed. The host says at
 * which instructions of the guest something is to be written down, and which values; the plugin
 * writes events into a ring. When the ring is full the plugin waits, and the guest with it: nothing
 * is lost, and with a virtual clock no time passes.
 *
 * The plugin knows nothing of kernels: what a hook means is the host's affair (room `observe`).
 */
#ifndef KTSTR_WIRE_OBSERVE_H
#define KTSTR_WIRE_OBSERVE_H

#include <stdint.h>

/* Where a value is found when the instruction is about to be executed. */
struct wire_observe_value {
	uint8_t reg;   /* enum wire_observe_register */
	uint8_t width; /* bytes of memory, 1 to 16; 0: the register itself */
	uint16_t unused;
	uint32_t offset; /* of the memory from what the register holds */
};

enum wire_observe_register {
	WIRE_OBSERVE_RDI, /* in the order of a function's arguments */
	WIRE_OBSERVE_RSI,
	WIRE_OBSERVE_RDX,
	WIRE_OBSERVE_RCX,
	WIRE_OBSERVE_R8,
	WIRE_OBSERVE_R9,
	WIRE_OBSERVE_RAX,
	WIRE_OBSERVE_GS_BASE,
	WIRE_OBSERVE_CURRENT, /* what lies at gs_base + current_offset */
	WIRE_OBSERVE_N_REGISTERS,
};

enum {
	WIRE_OBSERVE_VALUES = 12,
	WIRE_OBSERVE_HOOKS = 64,
	WIRE_OBSERVE_WIDTH = 16,
	WIRE_OBSERVE_RING_AT = 16 << 10,
	WIRE_OBSERVE_RING_BYTES = 4 << 20, /* a power of two */
	WIRE_OBSERVE_BYTES = WIRE_OBSERVE_RING_AT + WIRE_OBSERVE_RING_BYTES,
};

struct wire_observe_hook {
	uint64_t address;
	uint32_t n;
	uint32_t unused;
	struct wire_observe_value values[WIRE_OBSERVE_VALUES];
};

/* At the beginning of the memory. */
struct wire_observe {
	uint32_t
		generation; /* of the hooks; the host changes them only while the machine is held */
	uint32_t n_hooks;
	uint64_t current_offset; /* of the pointer to the running task, from gs_base; 0: unknown */
	uint64_t written;	 /* bytes of events, by the plugin */
	uint64_t taken;		 /* of them, by the host */
	struct wire_observe_hook hooks[WIRE_OBSERVE_HOOKS];
};
_Static_assert(sizeof(struct wire_observe) <= WIRE_OBSERVE_RING_AT, "the ring lies behind it");

/*
 * One event, then its values, each rounded up to 8 bytes, in the order of the hook. Events follow
 * each other without gaps, around the end of the ring.
 */
struct wire_observe_event {
	uint64_t sequence; /* the order in which things happened on all CPUs; from 0 */
	/*
	 * QEMU's clock. It counts instructions of whole blocks, some of which were left early: the
	 * event happened at most `early_ns` before this time, and never after it.
	 */
	uint64_t time_ns;
	uint32_t early_ns;
	uint16_t hook;
	uint16_t bytes; /* with this */
	uint64_t gs_base;
	uint32_t unreadable; /* a bit for each value that could not be read, which is 0 then */
	uint32_t unused;
};

#endif
