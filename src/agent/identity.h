/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a clone proves itself with: a page that stays where it is in physical memory,
 * holding the nonce of the first host and a count of sessions. The host finds it in the
 * RAM of the template and of the clone.
 */
#ifndef KTSTR_AGENT_IDENTITY_H
#define KTSTR_AGENT_IDENTITY_H

#include "base/error.h"
#include "wire/limits.h"

#define AGENT_IDENTITY_MAGIC "KTSTRID1"

/* At the start of the page; docs/PROTOCOL.md gives the layout. */
struct agent_identity {
	char magic[8];
	uint8_t nonce[WIRE_NONCE_BYTES];
	uint32_t generation; /* HELLOs so far */
	uint32_t reserved;
};
_Static_assert(sizeof(struct agent_identity) == 32, "the host reads it out of RAM");

/* One locked page; stays for the life of the process. */
struct error *agent_identity_new(struct agent_identity **ret) MUST_CHECK;
void agent_identity_free(struct agent_identity *id);
/* A HELLO came. All zero keeps the nonce that is there. */
void agent_identity_hello(struct agent_identity *id, const uint8_t nonce[WIRE_NONCE_BYTES]);
/* Guest-physical address of the page; 0 when the kernel does not say. */
uint64_t agent_identity_phys(const struct agent_identity *id);

#endif
