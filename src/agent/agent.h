/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the loop (serve.c) and the deeds (handle.c) share; nobody else's. */
#ifndef KTSTR_AGENT_AGENT_H
#define KTSTR_AGENT_AGENT_H

#include "agent/command.h"
#include "agent/identity.h"
#include "agent/put.h"
#include "agent/serve.h"
#include "base/vec.h"

struct agent {
	const struct agent_config *config;
	struct agent_output out;
	struct wire_receiver receiver;
	struct agent_identity *identity;
	uint64_t nonce_phys; /* 0: not yet known, or hidden by the kernel */
	VEC(struct agent_command *) commands;
	struct agent_put *put; /* the transfer under way, or NULL */
	bool boot_log_sent;
	bool session_failed; /* nothing but HELLO counts */
	bool powering_off;
	uint64_t heartbeat_ns; /* 0: none */
	uint64_t next_heartbeat_ns;
	uint64_t heartbeats;
};

/* Does what the frame asks; whatever goes wrong is told to the host. */
void agent_handle(struct agent *a, const struct wire_frame *frame);
/* With a plan: is it this frame's turn? */
bool agent_may_handle(const struct agent *a, const struct wire_frame *frame);
/* The stream can no longer be trusted. Takes the error. */
void agent_session_failed(struct agent *a, struct error *err);
/* Ends what runs: its channels are forgotten. */
void agent_drop_all(struct agent *a);

#endif
