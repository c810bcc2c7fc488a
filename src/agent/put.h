/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files from the host: an archive that arrives in pieces is unpacked below one
 * folder and nowhere else, whatever links it brings or finds.
 */
#ifndef KTSTR_AGENT_PUT_H
#define KTSTR_AGENT_PUT_H

#include "base/bytes.h"
#include "base/error.h"
#include "wire/message.h"

struct agent_put;

/* The folder `destination` below `root` is made if it is absent. */
struct error *agent_put_new(uint32_t channel, const char *root, const char *destination,
			    struct agent_put **ret) MUST_CHECK;
void agent_put_free(struct agent_put *put);
uint32_t agent_put_channel(const struct agent_put *put);
struct error *agent_put_data(struct agent_put *put, struct bytes bytes) MUST_CHECK;
/* AGENT_PUT unless exactly these bytes came and were a whole archive. */
struct error *agent_put_end(struct agent_put *put, uint64_t bytes, uint32_t crc,
			    struct wire_put_done *ret) MUST_CHECK;

#endif
