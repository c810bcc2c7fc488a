/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers of the kernel, built byte by byte. */
#ifndef KTSTR_TESTS_TASKSTATS_MESSAGE_H
#define KTSTR_TESTS_TASKSTATS_MESSAGE_H

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>

#include "base/bytes.h"
#include "base/strbuf.h"

static inline struct bytes message_bytes(const struct strbuf *s)
{
	return (struct bytes){ (const uint8_t *)strbuf_str(s), s->n };
}

static inline void put_attribute(struct strbuf *s, uint16_t type, const void *value, size_t n)
{
	const uint16_t header[2] = { (uint16_t)(NLA_HDRLEN + n), type };

	strbuf_append_bytes(s, header, sizeof(header));
	strbuf_append_bytes(s, value, n);
	strbuf_append_repeated(s, 0, NLA_ALIGN(n) - n);
}

/* Header and payload, with the length it really has. */
static inline void put_message(struct strbuf *s, uint16_t type, uint32_t seq, const void *payload,
			       size_t n)
{
	const struct nlmsghdr header = { (uint32_t)(NLMSG_HDRLEN + n), type, 0, seq, 0 };

	strbuf_append_bytes(s, &header, sizeof(header));
	strbuf_append_bytes(s, payload, n);
}

static inline void put_error(struct strbuf *s, uint32_t seq, int32_t code)
{
	put_message(s, NLMSG_ERROR, seq, &code, sizeof(code));
}

/* A command with one attribute around others, as struct strbuf. */
static inline void put_command(struct strbuf *s, uint16_t type, uint32_t seq, uint8_t command,
			       const struct strbuf *attributes)
{
	const struct genlmsghdr header = { command, 1, 0 };
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;

	strbuf_append_bytes(&payload, &header, sizeof(header));
	strbuf_append_bytes(&payload, strbuf_str(attributes), attributes->n);
	put_message(s, type, seq, payload.at, payload.n);
}

static inline void put_answer(struct strbuf *s, uint16_t family, uint32_t seq, uint32_t tid,
			      const void *stats, size_t n)
{
	_cleanup_strbuf_ struct strbuf inner = STRBUF_INIT, outer = STRBUF_INIT;

	put_attribute(&inner, TASKSTATS_TYPE_PID, &tid, sizeof(tid));
	put_attribute(&inner, 6, NULL, 0); /* TASKSTATS_TYPE_NULL: aligns what follows */
	put_attribute(&inner, TASKSTATS_TYPE_STATS, stats, n);
	put_attribute(&outer, TASKSTATS_TYPE_AGGR_PID, inner.at, inner.n);
	put_command(s, family, seq, TASKSTATS_CMD_NEW, &outer);
}

static inline void put_family(struct strbuf *s, uint32_t seq, uint16_t family)
{
	_cleanup_strbuf_ struct strbuf attributes = STRBUF_INIT;

	put_attribute(&attributes, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME,
		      sizeof(TASKSTATS_GENL_NAME));
	put_attribute(&attributes, CTRL_ATTR_FAMILY_ID, &family, sizeof(family));
	put_command(s, GENL_ID_CTRL, seq, CTRL_CMD_NEWFAMILY, &attributes);
}

#endif
