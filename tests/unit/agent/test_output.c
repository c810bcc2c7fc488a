// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"

#include <signal.h>
#include <sys/socket.h>

#include "base/alloc.h"
#include "unit.h"
#include "wire/message.h"

static struct wire_frame next(struct wire_receiver *receiver)
{
	struct wire_frame frame;
	bool got = false;

	assert_success(wire_receiver_take(receiver, &frame, &got));
	assert_true(got);
	return frame;
}

static void begin(struct agent_output *out, int pair[2], struct wire_receiver *receiver)
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair),
			 0);
	*out = (struct agent_output){ .fd = pair[0] };
	wire_sender_begin(&out->sender, 3);
	wire_receiver_init(receiver, WIRE_HOST);
	wire_receiver_begin(receiver, 3);
}

static void end(struct agent_output *out, int pair[2], struct wire_receiver *receiver)
{
	close(pair[0]);
	close(pair[1]);
	agent_output_deinit(out);
	wire_receiver_deinit(receiver);
}

static size_t pump(int fd, struct wire_receiver *receiver)
{
	static char buffer[100000];
	ssize_t n = read(fd, buffer, sizeof(buffer));

	if (n <= 0)
		return 0;
	wire_receiver_feed(receiver, buffer, (size_t)n);
	return (size_t)n;
}

static void frames_the_port_cannot_take_are_queued_in_order(void **state UNUSED)
{
	_cleanup_free_ char *data = xcalloc(1, WIRE_PAYLOAD_MAX);
	struct wire_receiver receiver;
	struct agent_output out;
	int pair[2];
	unsigned int frames = 0;

	begin(&out, pair, &receiver);
	for (unsigned int i = 0; i < 8; i++) {
		memset(data, 'a' + (int)i, WIRE_PAYLOAD_MAX);
		agent_output_send(&out, WIRE_STDOUT, i, data, WIRE_PAYLOAD_MAX);
	}
	assert_success(agent_output_flush(&out));
	assert_true(agent_output_unsent(&out) > 0);
	while (pump(pair[1], &receiver)) {
		struct wire_frame frame;
		bool got = true;

		for (;;) {
			assert_success(wire_receiver_take(&receiver, &frame, &got));
			if (!got)
				break;
			assert_int_equal(frame.channel, frames);
			assert_int_equal(frame.payload.at[0], 'a' + frames);
			assert_int_equal(frame.payload.at[WIRE_PAYLOAD_MAX - 1], 'a' + frames);
			frames++;
		}
		assert_success(agent_output_flush(&out));
	}
	assert_int_equal(frames, 8);
	assert_int_equal(agent_output_unsent(&out), 0);
	end(&out, pair, &receiver);
}

static void a_host_that_does_not_read_is_given_up(void **state UNUSED)
{
	_cleanup_free_ char *data = xcalloc(1, WIRE_PAYLOAD_MAX);
	struct wire_receiver receiver;
	struct agent_output out;
	int pair[2];

	begin(&out, pair, &receiver);
	for (int i = 0; i < 8; i++)
		agent_output_send(&out, WIRE_STDOUT, 1, data, WIRE_PAYLOAD_MAX);
	assert_error_tag(agent_output_drain(&out, 1), "agent-system");
	end(&out, pair, &receiver);
}

static void a_failed_frame_carries_channel_tag_and_message(void **state UNUSED)
{
	struct wire_receiver receiver;
	struct wire_frame frame;
	struct wire_failed failed;
	struct agent_output out;
	int pair[2];

	begin(&out, pair, &receiver);
	agent_output_fail(&out, 9, agent_error(AGENT_PUT, ENOSPC, "writing x"));
	agent_output_log(&out, 0, "%d mounts", 3);
	assert_success(agent_output_drain(&out, 1000));
	pump(pair[1], &receiver);
	frame = next(&receiver);
	assert_int_equal(frame.type, WIRE_FAILED);
	assert_int_equal(frame.channel, 9);
	assert_success(wire_failed_decode(frame.payload, &failed));
	assert_string_equal(failed.tag, "agent-put");
	assert_string_equal(failed.text, "writing x: No space left on device");
	frame = next(&receiver);
	assert_int_equal(frame.type, WIRE_LOG);
	assert_memory_equal(frame.payload.at, "3 mounts", 8);
	end(&out, pair, &receiver);
}

static void a_channel_that_is_gone_is_an_error(void **state UNUSED)
{
	struct wire_receiver receiver;
	struct agent_output out;
	int pair[2];

	begin(&out, pair, &receiver);
	signal(SIGPIPE, SIG_IGN);
	shutdown(pair[0], SHUT_WR);
	agent_output_send(&out, WIRE_BYE, 0, NULL, 0);
	assert_error_tag(agent_output_flush(&out), "agent-system");
	end(&out, pair, &receiver);
}

static struct strbuf sunk;

static void sink(const void *bytes, size_t n)
{
	strbuf_append_bytes(&sunk, bytes, n);
}

static void a_sink_receives_every_frame_without_queueing(void **state UNUSED)
{
	struct agent_output out = { .fd = -1, .sink = sink };

	agent_output_send(&out, WIRE_BYE, 0, NULL, 0);
	agent_output_send(&out, WIRE_LOG, 0, "x", 1);
	assert_success(agent_output_drain(&out, 0));
	assert_int_equal(sunk.n, 2 * WIRE_HEADER_BYTES + 1);
	strbuf_deinit(&sunk);
	agent_output_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_the_port_cannot_take_are_queued_in_order),
		cmocka_unit_test(a_host_that_does_not_read_is_given_up),
		cmocka_unit_test(a_failed_frame_carries_channel_tag_and_message),
		cmocka_unit_test(a_channel_that_is_gone_is_an_error),
		cmocka_unit_test(a_sink_receives_every_frame_without_queueing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
