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

struct put;

/* The folder `destination` below `root` is made if it is absent. */
struct error *put_new(uint32_t channel, const char *root, const char *destination,
		      struct put **ret) MUST_CHECK;
void put_free(struct put *put);
uint32_t put_channel(const struct put *put);
struct error *put_data(struct put *put, struct bytes bytes) MUST_CHECK;
/* AGENT_PUT unless exactly these bytes came and were a whole archive. */
struct error *put_end(struct put *put, uint64_t bytes, uint32_t crc,
		      struct wire_put_done *ret) MUST_CHECK;

#endif
