// SPDX-License-Identifier: LGPL-2.1-or-later
/* Archives into the guest. */
#include "base/clock.h"
#include "vm/link/exec.h"
#include "vm/state.h"
#include "wire/crc32c.h"

enum {
	BACKLOG_LIMIT = 2 << 20,
	/* Unpacking is quick; a guest that says nothing for so long has a problem. */
	ANSWER_SEC = 120,
	/* Much shorter than the guest needs for what is queued. */
	DRAIN_MS = 5,
};

struct transfer {
	struct vm *vm;
	uint32_t channel;
	uint64_t bytes;
	uint32_t crc;
	bool done;
	uint64_t files;
};

/* Takes what the guest says; waits for it, or for a moment in which the queue drains. */
static struct error *listen_to(struct transfer *t, bool wait, const struct cancel *cancel)
{
	uint64_t deadline_ns = clock_monotonic_ns() +
			       (wait ? ANSWER_SEC * NS_PER_SEC : DRAIN_MS * NS_PER_MS);
	struct wire_put_done done;
	struct wire_frame frame;
	enum vm_event event;
	struct error *err;

	err = vm_wait(t->vm, NULL, 0, deadline_ns, cancel, &event, &frame);
	if (err)
		return err;
	if (event == VM_EVENT_DEADLINE)
		return wait ? vm_error(VM_HANG, 0, "the guest stopped unpacking") : NULL;
	if (frame.channel != t->channel)
		return NULL;
	switch (frame.type) {
	case WIRE_PUT_DONE:
		err = wire_put_done_decode(frame.payload, &done);
		if (err)
			return err;
		t->files = done.files;
		t->done = true;
		return NULL;
	case WIRE_FAILED:
		return vm_failed(frame.payload);
	default:
		return vm_error(VM_AGENT, 0, "an archive was answered with %s",
				wire_type_word(frame.type));
	}
}

static struct error *send_archive(struct transfer *t, struct bytes piece,
				  const struct cancel *cancel)
{
	struct error *err = NULL;

	t->crc = wire_crc32c(t->crc, piece.at, piece.n);
	t->bytes += piece.n;
	for (size_t at = 0; !err && at < piece.n;) {
		size_t left = piece.n - at;
		size_t n = left < WIRE_PAYLOAD_MAX ? left : WIRE_PAYLOAD_MAX;

		err = vm_link_send(&t->vm->link, WIRE_PUT_DATA, t->channel, piece.at + at, n);
		at += n;
		/* The guest may refuse in the middle: then the rest need not go. */
		while (!err && vm_link_backlog(&t->vm->link) > BACKLOG_LIMIT)
			err = listen_to(t, false, cancel);
	}
	return err;
}

struct error *vm_put_bytes(struct vm *vm, const char *root, const void *archive, size_t n,
			   const struct cancel *cancel, uint64_t *ret_files)
{
	struct transfer t = { .vm = vm, .channel = ++vm->last_channel };
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;
	struct error *err;

	wire_put_encode(&(struct wire_put){ .root = root }, &payload);
	err = vm_link_send(&vm->link, WIRE_PUT, t.channel, payload.at, payload.n);
	if (!err)
		err = send_archive(&t, (struct bytes){ archive, n }, cancel);
	if (!err) {
		strbuf_clear(&payload);
		wire_put_end_encode(&(struct wire_put_end){ .bytes = t.bytes, .crc = t.crc },
				    &payload);
		err = vm_link_send(&vm->link, WIRE_PUT_END, t.channel, payload.at, payload.n);
	}
	while (!err && !t.done)
		err = listen_to(&t, true, cancel);
	if (err)
		return error_wrap(err, "sending files");
	if (ret_files)
		*ret_files = t.files;
	return NULL;
}
