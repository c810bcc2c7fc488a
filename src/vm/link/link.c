// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/state.h"

#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/hash.h"

/* What is taken in before frames are handed out: a guest that floods us must not fill our memory.
 */
enum {
	PUMP_LIMIT = 1 << 20,
	VM_LIMIT_FRAME_NOTES = 1 << 20,
	/* Moved to the front of the queue when so much before it is gone. */
	SENT_LIMIT = 1 << 20,
	/* A snapshot may have been taken in the middle of a frame, but not of more. */
	SKIPPED_LIMIT = WIRE_HEADER_BYTES + WIRE_PAYLOAD_MAX,
};

void vm_link_init(struct vm_link *link, int fd, struct vm_mailbox *mailbox)
{
	*link = (struct vm_link){ .fd = fd, .mailbox = mailbox, .digest = HASH_INIT };
	wire_receiver_init(&link->receiver, WIRE_HOST);
}

void vm_link_deinit(struct vm_link *link)
{
	if (link->fd >= 0)
		close(link->fd);
	wire_receiver_deinit(&link->receiver);
	strbuf_deinit(&link->out);
	vm_mailbox_free(link->mailbox);
	vec_deinit(&link->notes);
	*link = (struct vm_link){ .fd = -1 };
}

void vm_link_begin(struct vm_link *link, uint32_t session)
{
	link->settled = false;
	link->skipped_before = link->receiver.skipped_bytes;
	wire_sender_begin(&link->sender, session);
	wire_receiver_begin(&link->receiver, session);
}

struct error *vm_link_send(struct vm_link *link, enum wire_type type, uint32_t channel,
			   const void *payload, size_t n)
{
	/* The host's time would be one more thing that differs between two runs. */
	uint64_t now_ns = link->mailbox ? 0 : clock_monotonic_ns();

	return wire_send_append(&link->sender, type, channel, now_ns, payload, n, &link->out);
}

size_t vm_link_backlog(const struct vm_link *link)
{
	return link->out.n - link->out_done;
}

bool vm_link_is_due(const struct vm_link *link)
{
	return link->mailbox && link->mailbox->wants_input && vm_link_backlog(link) > 0;
}

bool vm_link_is_stuck(const struct vm_link *link)
{
	return link->mailbox && link->mailbox->wants_input && vm_link_backlog(link) == 0;
}

short vm_link_events(const struct vm_link *link)
{
	if (link->mailbox)
		return POLLIN;
	return vm_link_backlog(link) ? POLLIN | POLLOUT : POLLIN;
}

/* A queue that is refilled before it is empty must not keep all that ever went through it. */
static void forget_sent(struct vm_link *link)
{
	size_t left = vm_link_backlog(link);

	if (left && link->out_done < SENT_LIMIT)
		return;
	if (left)
		memmove(link->out.at, link->out.at + link->out_done, left);
	link->out.n = left;
	link->out_done = 0;
}

static struct error *pump_out(struct vm_link *link)
{
	while (vm_link_backlog(link)) {
		ssize_t n = send(link->fd, link->out.at + link->out_done, vm_link_backlog(link),
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0 && (errno == EPIPE || errno == ECONNRESET)) {
			link->closed = true;
			return NULL;
		}
		if (n < 0)
			return vm_error(VM_AGENT, errno, "cannot write to the agent's channel");
		link->out_done += (size_t)n;
		link->bytes_out += (uint64_t)n;
	}
	forget_sent(link);
	return NULL;
}

static struct error *pump_in(struct vm_link *link)
{
	/* More than the longest frame: what is left was not taken, and waits in the socket. */
	size_t taken = link->receiver.buffer.n - link->receiver.taken;
	char buf[65536];

	while (taken < PUMP_LIMIT) {
		ssize_t n = recv(link->fd, buf, sizeof(buf), MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return NULL;
		if (n == 0 || (n < 0 && errno == ECONNRESET)) {
			link->closed = true;
			return NULL;
		}
		if (n < 0)
			return vm_error(VM_AGENT, errno, "cannot read the agent's channel");
		wire_receiver_feed(&link->receiver, buf, (size_t)n);
		link->bytes_in += (uint64_t)n;
		taken += (size_t)n;
	}
	return NULL;
}

static struct error *pump_socket(struct vm_link *link)
{
	struct error *err = pump_out(link);

	return err ? err : pump_in(link);
}

static struct error *let_go(struct vm_link *link)
{
	const uint8_t go[] = { WIRE_HOLD_GO, link->mailbox->silence_s };

	if (send(link->fd, go, sizeof(go), MSG_NOSIGNAL) == sizeof(go))
		return NULL;
	if (errno != EPIPE && errno != ECONNRESET)
		return vm_error(VM_QEMU_FAILED, errno, "cannot write to the plugin");
	link->closed = true;
	return NULL;
}

static struct error *put_mail(struct vm_link *link)
{
	size_t n = vm_mailbox_put(link->mailbox, link->out.at + link->out_done,
				  vm_link_backlog(link));

	link->out_done += n;
	link->bytes_out += n;
	forget_sent(link);
	return let_go(link);
}

/* Before the guest's frames: what they tell has happened by then. */
static struct error *take_events(struct vm_link *link)
{
	struct vm_ring *ring = &link->mailbox->ring;
	struct error *err = vm_ring_drain(ring);

	if (err || !ring->full)
		return err;
	ring->full = false;
	return let_go(link);
}

static struct error *pump_mail(struct vm_link *link)
{
	struct bytes output;
	struct error *err;
	char buf[4096];
	ssize_t n;
	bool go;

	if (vm_link_is_due(link))
		return put_mail(link);
	/* Once: a guest that tells all the time must not keep us here. */
	n = recv(link->fd, buf, sizeof(buf), MSG_DONTWAIT);
	if (n > 0)
		vm_mailbox_hear(link->mailbox, buf, (size_t)n);
	link->closed |= n == 0 || (n < 0 && errno == ECONNRESET);
	err = take_events(link);
	if (err)
		return err;
	if (!link->mailbox->head)
		return NULL;
	/* What was not taken from the receiver waits in the mailbox, and the guest with it. */
	if (link->receiver.buffer.n - link->receiver.taken >= PUMP_LIMIT)
		return NULL;
	err = vm_mailbox_take(link->mailbox, &output);
	if (err)
		return err;
	wire_receiver_feed(&link->receiver, output.at, output.n);
	link->bytes_in += output.n;
	err = vm_mailbox_settle_hold(link->mailbox, &go);
	return !err && go ? let_go(link) : err;
}

struct error *vm_link_pump(struct vm_link *link)
{
	if (link->mailbox)
		return pump_mail(link);
	return pump_socket(link);
}

static bool is_out_of_step(const struct error *err)
{
	static const enum wire_error_kind kinds[] = { WIRE_BAD_MAGIC, WIRE_BAD_VERSION,
						      WIRE_BAD_HEADER, WIRE_BAD_LENGTH,
						      WIRE_BAD_PAYLOAD };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (error_is(err, &wire_error_domain, (int)kinds[i]))
			return true;
	return false;
}

static void write_down(struct vm_link *link, const struct wire_frame *frame)
{
	struct vm_frame_note note = {
		.time_ns = frame->time_ns,
		.hash = hash_bytes(HASH_INIT, frame->payload.at, frame->payload.n),
		.type = frame->type,
		.channel = frame->channel,
		.n = (uint32_t)frame->payload.n,
	};
	const uint64_t words[] = { note.time_ns, note.hash, note.type, note.channel, note.n };

	link->last_ns = frame->time_ns;
	link->digest = hash_bytes(link->digest, words, sizeof(words));
	if (link->notes.n < VM_LIMIT_FRAME_NOTES)
		vec_push(&link->notes, note);
}

struct error *vm_link_take(struct vm_link *link, struct wire_frame *ret, bool *ret_got)
{
	struct error *err = wire_receiver_take(&link->receiver, ret, ret_got);

	/* The receiver reports the error once and then looks for the next header. */
	if (err && !link->settled && is_out_of_step(err)) {
		error_free(err);
		err = wire_receiver_take(&link->receiver, ret, ret_got);
	}
	/* Loss and disorder are the end: what follows cannot be trusted. */
	if (err)
		return error_recast(err, &vm_error_domain, VM_AGENT);
	if (!link->settled && link->receiver.skipped_bytes - link->skipped_before > SKIPPED_LIMIT)
		return vm_error(VM_AGENT, 0, "%d bytes without a frame", SKIPPED_LIMIT);
	link->settled |= *ret_got;
	if (*ret_got && link->mailbox)
		write_down(link, ret);
	return NULL;
}
