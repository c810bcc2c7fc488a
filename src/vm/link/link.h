/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Our end of the channel to the agent: frames out, frames in, nothing lost, never
 * blocking. What is sent waits in a queue until the socket takes it.
 */
#ifndef KTSTR_VM_LINK_LINK_H
#define KTSTR_VM_LINK_LINK_H

#include "wire/frame.h"

struct vm_link {
	int fd;
	struct wire_sender sender;
	struct wire_receiver receiver;
	struct strbuf out;
	size_t out_done; /* bytes of `out` the socket has taken */
	bool closed;
	bool settled;		 /* a frame of this session has come */
	uint64_t skipped_before; /* bytes out of step in sessions before this one */
	uint64_t bytes_in, bytes_out;
};

/* Takes the socket over. */
void vm_link_init(struct vm_link *link, int fd);
void vm_link_deinit(struct vm_link *link);
/* A new session from sequence 0; send HELLO next. */
void vm_link_begin(struct vm_link *link, uint32_t session);

struct error *vm_link_send(struct vm_link *link, enum wire_type type, uint32_t channel,
			   const void *payload, size_t n) MUST_CHECK;
/* Bytes that wait; a caller with much to send waits until they are few. */
size_t vm_link_backlog(const struct vm_link *link);
/* What to poll() for. */
short vm_link_events(const struct vm_link *link);
/* Writes and reads what can be written and read now. A guest that closed sets ->closed. */
struct error *vm_link_pump(struct vm_link *link) MUST_CHECK;
/*
 * The next whole frame that has arrived. The payload is valid until the next vm_link_pump(). Before
 * the first frame of a session the rest of one that was cut is skipped; later that is an error.
 */
struct error *vm_link_take(struct vm_link *link, struct wire_frame *ret, bool *ret_got) MUST_CHECK;

#endif
