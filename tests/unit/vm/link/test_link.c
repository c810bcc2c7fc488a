// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/state.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "unit.h"

enum { SESSION = 0x1234567 };

/* Our end under test, and the guest's end played by hand. */
struct pair {
	struct vm_link link;
	int guest;
	struct wire_sender sender;
	struct wire_receiver receiver;
	struct strbuf out; /* of the guest */
};

static int make_pair(void **state)
{
	struct pair *p = xnew(struct pair);
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return -1;
	vm_link_init(&p->link, fds[0], NULL);
	p->guest = fds[1];
	wire_receiver_init(&p->receiver, WIRE_GUEST);
	vm_link_begin(&p->link, SESSION);
	wire_sender_begin(&p->sender, SESSION);
	*state = p;
	return 0;
}

static int free_pair(void **state)
{
	struct pair *p = *state;

	vm_link_deinit(&p->link);
	if (p->guest >= 0)
		close(p->guest);
	wire_receiver_deinit(&p->receiver);
	strbuf_deinit(&p->out);
	free(p);
	return 0;
}

static void guest_says(struct pair *p, enum wire_type type, const void *payload, size_t n)
{
	assert_success(wire_send_append(&p->sender, type, 1, 0, payload, n, &p->out));
}

/* Writes at most `most` bytes of what the guest wants to say; false when nothing went. */
static bool guest_writes(struct pair *p, size_t most)
{
	size_t n = p->out.n < most ? p->out.n : most;
	ssize_t done = send(p->guest, p->out.at, n, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (done <= 0)
		return false;
	memmove(p->out.at, p->out.at + done, p->out.n - (size_t)done);
	p->out.n -= (size_t)done;
	return true;
}

static size_t guest_reads(struct pair *p)
{
	static char buf[65536];
	ssize_t n = recv(p->guest, buf, sizeof(buf), MSG_DONTWAIT);

	if (n <= 0)
		return 0;
	wire_receiver_feed(&p->receiver, buf, (size_t)n);
	return (size_t)n;
}

static bool take(struct pair *p, struct wire_frame *frame)
{
	bool got = false;

	assert_success(vm_link_take(&p->link, frame, &got));
	return got;
}

static void frames_go_both_ways(void **state)
{
	struct pair *p = *state;
	struct wire_frame frame;
	bool got;

	assert_int_equal(vm_link_events(&p->link), POLLIN);
	assert_success(vm_link_send(&p->link, WIRE_HELLO, 0, "12345", 5));
	assert_success(vm_link_send(&p->link, WIRE_STDIN, 9, "abc", 3));
	assert_int_equal(vm_link_backlog(&p->link), 2 * WIRE_HEADER_BYTES + 8);
	assert_int_equal(vm_link_events(&p->link), POLLIN | POLLOUT);
	assert_success(vm_link_pump(&p->link));
	assert_int_equal(vm_link_backlog(&p->link), 0);
	assert_int_equal(p->link.bytes_out, 2 * WIRE_HEADER_BYTES + 8);
	guest_reads(p);
	assert_success(wire_receiver_take(&p->receiver, &frame, &got));
	assert_true(got && frame.type == WIRE_HELLO && frame.sequence == 0);
	assert_success(wire_receiver_take(&p->receiver, &frame, &got));
	assert_true(got && frame.type == WIRE_STDIN && frame.channel == 9 && frame.sequence == 1);
	assert_memory_equal(frame.payload.at, "abc", 3);
	guest_says(p, WIRE_LOG, "hello", 5);
	assert_true(guest_writes(p, SIZE_MAX));
	assert_false(take(p, &frame));
	assert_success(vm_link_pump(&p->link));
	assert_true(take(p, &frame));
	assert_int_equal(frame.type, WIRE_LOG);
	assert_memory_equal(frame.payload.at, "hello", 5);
	assert_false(take(p, &frame));
	assert_int_equal(p->link.bytes_in, WIRE_HEADER_BYTES + 5);
	assert_false(p->link.closed);
}

static void bytes_that_come_one_by_one_make_a_frame(void **state)
{
	struct pair *p = *state;
	struct wire_frame frame;

	guest_says(p, WIRE_STDOUT, "payload", 7);
	guest_says(p, WIRE_BYE, NULL, 0);
	for (int i = 0; i < WIRE_HEADER_BYTES + 6; i++) {
		assert_true(guest_writes(p, 1));
		assert_success(vm_link_pump(&p->link));
		assert_false(take(p, &frame));
	}
	assert_true(guest_writes(p, 1));
	assert_success(vm_link_pump(&p->link));
	assert_true(take(p, &frame));
	assert_memory_equal(frame.payload.at, "payload", 7);
	assert_true(guest_writes(p, SIZE_MAX));
	assert_success(vm_link_pump(&p->link));
	assert_true(take(p, &frame));
	assert_int_equal(frame.type, WIRE_BYE);
}

/*
 * A guest that reads slowly: everything arrives in order, and what was sent does not stay in
 * memory for as long as something waits.
 */
static void a_queue_that_never_empties_does_not_grow(void **state)
{
	static char payload[WIRE_PAYLOAD_MAX];
	struct pair *p = *state;
	uint64_t sent = 0, received = 0;
	size_t most = 0;

	assert_success(vm_link_send(&p->link, WIRE_HELLO, 0, NULL, 0));
	for (int i = 0; i < 200; i++) {
		while (vm_link_backlog(&p->link) < 2 * WIRE_PAYLOAD_MAX) {
			memset(payload, (int)(sent & 0xff), sizeof(payload));
			assert_success(
				vm_link_send(&p->link, WIRE_PUT_DATA, 1, payload, sizeof(payload)));
			sent++;
		}
		assert_success(vm_link_pump(&p->link));
		assert_true(vm_link_backlog(&p->link) > 0);
		most = p->link.out.n > most ? p->link.out.n : most;
		guest_reads(p);
		for (;;) {
			struct wire_frame frame;
			bool got;

			assert_success(wire_receiver_take(&p->receiver, &frame, &got));
			if (!got)
				break;
			if (frame.type == WIRE_HELLO)
				continue;
			assert_int_equal(frame.payload.at[0], received & 0xff);
			assert_int_equal(frame.payload.at[WIRE_PAYLOAD_MAX - 1], received & 0xff);
			received++;
		}
	}
	assert_true(received > 30);
	assert_true(most < 8 * WIRE_PAYLOAD_MAX);
}

/* However much a guest writes, one call takes in a bounded part of it. */
static void a_flood_is_taken_in_bounded_parts(void **state)
{
	static char payload[WIRE_PAYLOAD_MAX];
	struct pair *p = *state;
	uint64_t frames = 0, wanted = 64;
	struct wire_frame frame;

	for (uint64_t i = 0; i < wanted; i++)
		guest_says(p, WIRE_STDOUT, payload, sizeof(payload));
	while (frames < wanted) {
		uint64_t before = p->link.bytes_in;

		while (guest_writes(p, SIZE_MAX))
			;
		assert_success(vm_link_pump(&p->link));
		assert_true(p->link.bytes_in - before <= (1 << 20) + (64 << 10));
		while (take(p, &frame))
			frames++;
		assert_true(p->link.receiver.buffer.n < 4 << 20);
	}
	assert_false(take(p, &frame));
}

static void frames_received_before_the_end_are_delivered(void **state)
{
	struct pair *p = *state;
	struct wire_frame frame;

	guest_says(p, WIRE_LOG, "last words", 10);
	assert_true(guest_writes(p, SIZE_MAX));
	close(take_fd(p->guest));
	assert_success(vm_link_send(&p->link, WIRE_GET_TOPOLOGY, 1, NULL, 0));
	assert_success(vm_link_pump(&p->link));
	assert_true(p->link.closed);
	assert_true(take(p, &frame));
	assert_memory_equal(frame.payload.at, "last words", 10);
	assert_false(take(p, &frame));
	/* Again is fine, and no signal ends us. */
	assert_success(vm_link_pump(&p->link));
	assert_true(p->link.closed);
}

static void an_incomplete_frame_before_the_end_is_dropped(void **state)
{
	struct pair *p = *state;
	struct wire_frame frame;

	guest_says(p, WIRE_LOG, "half", 4);
	assert_true(guest_writes(p, WIRE_HEADER_BYTES + 2));
	close(take_fd(p->guest));
	assert_success(vm_link_pump(&p->link));
	assert_true(p->link.closed);
	assert_false(take(p, &frame));
}

static void frames_of_another_session_are_dropped(void **state)
{
	struct pair *p = *state;
	struct wire_frame frame;

	wire_sender_begin(&p->sender, SESSION - 1);
	guest_says(p, WIRE_HEARTBEAT, "old", 3);
	guest_says(p, WIRE_STDOUT, "old", 3);
	wire_sender_begin(&p->sender, SESSION);
	guest_says(p, WIRE_LOG, "new", 3);
	assert_true(guest_writes(p, SIZE_MAX));
	assert_success(vm_link_pump(&p->link));
	assert_true(take(p, &frame));
	assert_int_equal(frame.type, WIRE_LOG);
	assert_memory_equal(frame.payload.at, "new", 3);
	assert_false(take(p, &frame));
}

static void a_new_session_begins_at_zero(void **state)
{
	struct pair *p = *state;
	struct wire_frame frame;

	guest_says(p, WIRE_LOG, "one", 3);
	assert_true(guest_writes(p, SIZE_MAX));
	assert_success(vm_link_pump(&p->link));
	assert_true(take(p, &frame));
	vm_link_begin(&p->link, SESSION + 1);
	guest_says(p, WIRE_LOG, "late", 4);
	wire_sender_begin(&p->sender, SESSION + 1);
	guest_says(p, WIRE_READY, "two", 3);
	assert_true(guest_writes(p, SIZE_MAX));
	assert_success(vm_link_pump(&p->link));
	assert_true(take(p, &frame));
	assert_true(frame.type == WIRE_READY && frame.sequence == 0);
}

/* One bit anywhere in a frame is noticed; nothing wrong is ever handed out. */
static void any_flipped_bit_is_an_error(void **state)
{
	struct pair *p = *state;

	for (size_t bit = 0; bit < 8 * (WIRE_HEADER_BYTES + 4); bit++) {
		struct error *err = NULL;
		struct wire_frame frame;
		bool got = false;

		vm_link_begin(&p->link, SESSION);
		wire_sender_begin(&p->sender, SESSION);
		wire_receiver_deinit(&p->link.receiver);
		wire_receiver_init(&p->link.receiver, WIRE_HOST);
		vm_link_begin(&p->link, SESSION);
		guest_says(p, WIRE_LOG, "text", 4);
		/* Enough behind it that a wrong length finds its bytes. */
		for (int i = 0; i < 3; i++)
			guest_says(p, WIRE_LOG, "more", 4);
		p->out.at[bit / 8] ^= (char)(1 << bit % 8);
		assert_true(guest_writes(p, SIZE_MAX));
		assert_success(vm_link_pump(&p->link));
		err = vm_link_take(&p->link, &frame, &got);
		if (!err)
			fail_msg("bit %zu went unnoticed", bit);
		assert_string_equal(error_tag(err), "agent");
		error_free(err);
	}
}

/* docs/PROTOCOL.md: a guest restored from a snapshot goes on in the middle of a frame. */
static void the_rest_of_a_cut_frame_is_skipped_before_the_first(void **state)
{
	struct pair *p = *state;
	struct wire_frame frame;
	bool got;

	wire_sender_begin(&p->sender, SESSION - 1);
	guest_says(p, WIRE_STDOUT, "of the template", 15);
	memmove(p->out.at, p->out.at + 20, p->out.n - 20);
	p->out.n -= 20;
	wire_sender_begin(&p->sender, SESSION);
	guest_says(p, WIRE_READY, "new", 3);
	assert_true(guest_writes(p, SIZE_MAX));
	assert_success(vm_link_pump(&p->link));
	assert_true(take(p, &frame));
	assert_int_equal(frame.type, WIRE_READY);
	/* From now on it is the end. */
	assert_int_equal(write(p->guest, "noise", 5), 5);
	guest_says(p, WIRE_LOG, "text", 4);
	assert_true(guest_writes(p, SIZE_MAX));
	assert_success(vm_link_pump(&p->link));
	assert_error_tag(vm_link_take(&p->link, &frame, &got), "agent");
}

static void noise_without_a_frame_is_an_error_after_a_frames_length(void **state)
{
	static char noise[4096];
	struct pair *p = *state;
	struct error *err = NULL;
	struct wire_frame frame;
	size_t sent = 0;
	bool got;

	while (!err && sent < 4 * WIRE_PAYLOAD_MAX) {
		assert_int_equal(write(p->guest, noise, sizeof(noise)), sizeof(noise));
		sent += sizeof(noise);
		assert_success(vm_link_pump(&p->link));
		err = vm_link_take(&p->link, &frame, &got);
	}
	assert_error_tag(err, "agent");
	assert_true(sent > WIRE_PAYLOAD_MAX);
}

/* Who waits for something else takes no frames meanwhile. */
static void frames_that_are_not_taken_are_not_read(void **state)
{
	static char payload[WIRE_PAYLOAD_MAX];
	struct pair *p = *state;
	struct wire_frame frame;
	uint64_t frames = 0;

	for (int i = 0; i < 32; i++)
		guest_says(p, WIRE_STDOUT, payload, sizeof(payload));
	for (int i = 0; i < 1000; i++) {
		guest_writes(p, SIZE_MAX);
		assert_success(vm_link_pump(&p->link));
		assert_true(p->link.receiver.buffer.n < 2 << 20);
	}
	assert_true(p->out.n > 0);
	while (frames < 32) {
		while (take(p, &frame))
			frames++;
		guest_writes(p, SIZE_MAX);
		assert_success(vm_link_pump(&p->link));
	}
}

static void a_missing_frame_is_an_error(void **state)
{
	struct pair *p = *state;
	struct wire_frame frame;
	bool got;

	guest_says(p, WIRE_LOG, "one", 3);
	p->out.n = 0;
	guest_says(p, WIRE_LOG, "two", 3);
	assert_true(guest_writes(p, SIZE_MAX));
	assert_success(vm_link_pump(&p->link));
	assert_error_tag(vm_link_take(&p->link, &frame, &got), "agent");
}

static void a_frame_type_of_the_host_is_refused(void **state)
{
	struct pair *p = *state;
	struct wire_frame frame;
	bool got;

	guest_says(p, WIRE_RUN, "x", 1);
	assert_true(guest_writes(p, SIZE_MAX));
	assert_success(vm_link_pump(&p->link));
	assert_error_tag(vm_link_take(&p->link, &frame, &got), "agent");
}

static void too_much_for_one_frame_is_refused(void **state)
{
	static char payload[WIRE_PAYLOAD_MAX + 1];
	struct pair *p = *state;

	assert_error_tag(vm_link_send(&p->link, WIRE_STDIN, 1, payload, sizeof(payload)),
			 "wire-length");
	assert_int_equal(vm_link_backlog(&p->link), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define WITH_PAIR(name) cmocka_unit_test_setup_teardown(name, make_pair, free_pair)
		WITH_PAIR(frames_go_both_ways),
		WITH_PAIR(bytes_that_come_one_by_one_make_a_frame),
		WITH_PAIR(a_queue_that_never_empties_does_not_grow),
		WITH_PAIR(a_flood_is_taken_in_bounded_parts),
		WITH_PAIR(frames_received_before_the_end_are_delivered),
		WITH_PAIR(an_incomplete_frame_before_the_end_is_dropped),
		WITH_PAIR(frames_of_another_session_are_dropped),
		WITH_PAIR(a_new_session_begins_at_zero),
		WITH_PAIR(any_flipped_bit_is_an_error),
		WITH_PAIR(the_rest_of_a_cut_frame_is_skipped_before_the_first),
		WITH_PAIR(noise_without_a_frame_is_an_error_after_a_frames_length),
		WITH_PAIR(frames_that_are_not_taken_are_not_read),
		WITH_PAIR(a_missing_frame_is_an_error),
		WITH_PAIR(a_frame_type_of_the_host_is_refused),
		WITH_PAIR(too_much_for_one_frame_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
