// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/taskstats.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>

/* Offsets in struct taskstats of a delay's values, and the version that has them first. */
struct delay_place {
	uint16_t since;
	uint16_t count, total, max, min;
};

/*
 * Version 15 (Linux 6.14) put longest and shortest behind each total; version 16 moved them to the
 * end, so that all others read a version 15 only where it is like the ones before it.
 */
enum { INTERLEAVED_VERSION = 15 };

static const struct delay_place places[PROCFS_N_TASKSTATS_DELAYS] = {
	[PROCFS_TASKSTATS_CPU] = { 1, 16, 24, 432, 440 },
	[PROCFS_TASKSTATS_BLKIO] = { 1, 32, 40, 448, 456 },
	[PROCFS_TASKSTATS_SWAPIN] = { 1, 48, 56, 464, 472 },
	[PROCFS_TASKSTATS_FREEPAGES] = { 8, 312, 320, 480, 488 },
	[PROCFS_TASKSTATS_THRASHING] = { 9, 328, 336, 496, 504 },
	[PROCFS_TASKSTATS_COMPACT] = { 11, 352, 360, 512, 520 },
	[PROCFS_TASKSTATS_WPCOPY] = { 13, 400, 408, 528, 536 },
	[PROCFS_TASKSTATS_IRQ] = { 14, 416, 424, 544, 552 },
};

static const struct delay_place interleaved_places[PROCFS_N_TASKSTATS_DELAYS] = {
	[PROCFS_TASKSTATS_CPU] = { 15, 16, 24, 32, 40 },
	[PROCFS_TASKSTATS_BLKIO] = { 15, 48, 56, 64, 72 },
	[PROCFS_TASKSTATS_SWAPIN] = { 15, 80, 88, 96, 104 },
	[PROCFS_TASKSTATS_FREEPAGES] = { 15, 360, 368, 376, 384 },
	[PROCFS_TASKSTATS_THRASHING] = { 15, 392, 400, 408, 416 },
	[PROCFS_TASKSTATS_COMPACT] = { 15, 432, 440, 448, 456 },
	[PROCFS_TASKSTATS_WPCOPY] = { 15, 496, 504, 512, 520 },
	[PROCFS_TASKSTATS_IRQ] = { 15, 528, 536, 544, 552 },
};

enum {
	EXTREMES_SINCE = 15,
	TGID_SINCE = 12,
	TGID = 368,
	INTERLEAVED_TGID = 464,
	HIWATER_SINCE = 3,
	HIWATER_RSS = 200,
	HIWATER_VM = 208,
	INTERLEAVED_HIWATER_RSS = 248,
	INTERLEAVED_HIWATER_VM = 256,
};

static struct procfs_reading read_u64(struct bytes in, uint64_t offset)
{
	struct cursor c = cursor_over(in);
	struct procfs_reading reading = { 0 };

	cursor_seek(&c, offset);
	reading.value = cursor_u64(&c);
	reading.known = !c.failed;
	return reading;
}

static struct procfs_reading read_kib(struct bytes in, uint64_t offset)
{
	struct procfs_reading reading = read_u64(in, offset);

	if (!mul_fits_u64(reading.value, 1024, &reading.value))
		reading.value = UINT64_MAX;
	return reading;
}

void procfs_taskstats_values_parse(struct bytes in, struct procfs_taskstats_values *ret)
{
	struct cursor c = cursor_over(in);
	struct procfs_taskstats_values values = { .version = cursor_u16(&c) };
	bool interleaved = values.version == INTERLEAVED_VERSION;

	for (int i = 0; i < PROCFS_N_TASKSTATS_DELAYS; i++) {
		const struct delay_place *place = &(interleaved ? interleaved_places : places)[i];
		struct procfs_taskstats_delay *delay = &values.delays[i];

		if (values.version < place->since)
			continue;
		delay->count = read_u64(in, place->count);
		delay->total_ns = read_u64(in, place->total);
		if (values.version < EXTREMES_SINCE)
			continue;
		delay->max_ns = read_u64(in, place->max);
		delay->min_ns = read_u64(in, place->min);
	}
	if (values.version >= TGID_SINCE) {
		cursor_seek(&c, interleaved ? INTERLEAVED_TGID : TGID);
		values.tgid.value = cursor_u32(&c);
		values.tgid.known = values.tgid.value != 0;
	}
	if (values.version >= HIWATER_SINCE) {
		values.hiwater_rss_bytes = read_kib(in, interleaved ? INTERLEAVED_HIWATER_RSS
								    : HIWATER_RSS);
		values.hiwater_vm_bytes = read_kib(in, interleaved ? INTERLEAVED_HIWATER_VM
								   : HIWATER_VM);
	}
	*ret = values;
}

/* What an attribute of that type holds; at is NULL when there is none. */
static struct bytes find_attribute(struct bytes in, uint16_t type)
{
	struct cursor c = cursor_over(in);

	while (cursor_left(&c) >= NLA_HDRLEN) {
		uint16_t n = cursor_u16(&c), found = cursor_u16(&c) & NLA_TYPE_MASK;
		const uint8_t *value;

		if (n < NLA_HDRLEN)
			break;
		value = cursor_take(&c, n - NLA_HDRLEN);
		if (value && found == type)
			return (struct bytes){ value, n - NLA_HDRLEN };
		cursor_seek(&c, (uint64_t)NLA_ALIGN(c.offset));
	}
	return (struct bytes){ NULL, 0 };
}

/* A netlink message: its header, and what is behind it. */
struct message {
	uint16_t type;
	uint32_t seq;
	struct bytes payload;
};

/* False when there is less than the header says; seq holds as soon as it is there. */
static bool open_message(struct bytes datagram, struct message *ret)
{
	struct cursor c = cursor_over(datagram);
	uint32_t n = cursor_u32(&c);

	ret->type = cursor_u16(&c);
	cursor_u16(&c); /* flags */
	ret->seq = cursor_u32(&c);
	cursor_u32(&c); /* port */
	if (c.failed || n < NLMSG_HDRLEN || n > datagram.n)
		return false;
	ret->payload = (struct bytes){ datagram.at + NLMSG_HDRLEN, n - NLMSG_HDRLEN };
	return true;
}

/* The errno of an NLMSG_ERROR; 0 for an acknowledgement or nonsense. */
static int message_errno(struct bytes payload)
{
	struct cursor c = cursor_over(payload);
	int64_t code = (int32_t)cursor_u32(&c);

	return code < 0 && code > INT32_MIN ? (int)-code : 0;
}

/* What is behind the header of generic netlink, when it is this command. */
static bool open_command(struct bytes payload, uint8_t command, struct bytes *ret)
{
	struct cursor c = cursor_over(payload);
	bool fits = cursor_u8(&c) == command;

	if (!cursor_take(&c, GENL_HDRLEN - 1))
		return false;
	*ret = (struct bytes){ payload.at + GENL_HDRLEN, payload.n - GENL_HDRLEN };
	return fits;
}

void procfs_taskstats_reply_parse(struct bytes datagram, uint16_t family,
				  struct procfs_taskstats_reply *ret)
{
	struct message message = { 0 };
	struct bytes attributes, aggregate, pid, stats;
	struct cursor c;

	*ret = (struct procfs_taskstats_reply){ .kind = PROCFS_TASKSTATS_REPLY_SHORT };
	if (!open_message(datagram, &message)) {
		ret->seq = message.seq;
		return;
	}
	ret->seq = message.seq;
	ret->kind = PROCFS_TASKSTATS_REPLY_FOREIGN;
	if (message.type == NLMSG_ERROR) {
		ret->errnum = message_errno(message.payload);
		if (ret->errnum)
			ret->kind = PROCFS_TASKSTATS_REPLY_ERRNO;
		return;
	}
	if (message.type != family ||
	    !open_command(message.payload, TASKSTATS_CMD_NEW, &attributes))
		return;
	aggregate = find_attribute(attributes, TASKSTATS_TYPE_AGGR_PID);
	pid = find_attribute(aggregate, TASKSTATS_TYPE_PID);
	c = cursor_over(pid);
	ret->tid = cursor_u32(&c);
	ret->kind = PROCFS_TASKSTATS_REPLY_NO_PID;
	if (c.failed)
		return;
	stats = find_attribute(aggregate, TASKSTATS_TYPE_STATS);
	ret->kind = PROCFS_TASKSTATS_REPLY_NO_STATS;
	if (!stats.at)
		return;
	procfs_taskstats_values_parse(stats, &ret->values);
	ret->kind = PROCFS_TASKSTATS_REPLY_VALUES;
}

bool procfs_taskstats_family_parse(struct bytes datagram, uint32_t seq, uint16_t *ret,
				   int *ret_errnum)
{
	struct message message;
	struct bytes attributes, id;
	struct cursor c;
	uint16_t family;

	*ret_errnum = EBADMSG;
	if (!open_message(datagram, &message) || message.seq != seq)
		return false;
	if (message.type == NLMSG_ERROR && message_errno(message.payload))
		*ret_errnum = message_errno(message.payload);
	if (message.type != GENL_ID_CTRL ||
	    !open_command(message.payload, CTRL_CMD_NEWFAMILY, &attributes))
		return false;
	id = find_attribute(attributes, CTRL_ATTR_FAMILY_ID);
	c = cursor_over(id);
	family = cursor_u16(&c);
	/* Lower numbers are netlink's own messages. */
	if (c.failed || family < GENL_MIN_ID)
		return false;
	*ret = family;
	*ret_errnum = 0;
	return true;
}
