// SPDX-License-Identifier: GPL-2.0-or-later
/* The loop as an ordinary process, spoken to over a socketpair; tests/vm has the real one. */
#include "agent/agent.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/io.h"
#include "heard.h"
#include "scratch.h"
#include "wire/message.h"

enum { SESSION = 77 };

struct served {
	pid_t pid;
	int fd; /* our end; does not block */
	struct wire_sender sender;
	struct strbuf pending;
	struct heard heard;
};

static void served_begin_as(struct served *s, const char *root, bool owns_machine)
{
	int pair[2], room = 4 << 20;

	memset(s, 0, sizeof(*s));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair),
			 0);
	/* As roomy as a virtio queue; without the right to it the tests say less, but hold. */
	setsockopt(pair[1], SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room));
	s->pid = fork();
	assert_true(s->pid >= 0);
	if (s->pid == 0) {
		struct agent_config config = {
			.in = pair[1],
			.out = pair[1],
			.root = root,
			.proc = root,
			.sysfs = "/sys",
			.cgroup_root = "/nowhere",
			.owns_machine = owns_machine,
		};
		enum agent_end end = AGENT_END_INPUT;
		struct error *err;

		close(pair[0]);
		err = agent_serve(&config, &end);
		if (err)
			fprintf(stderr, "agent_serve: %s\n", error_message(err));
		_exit(err ? 1 : 40 + (int)end);
	}
	close(pair[1]);
	s->fd = pair[0];
	heard_begin(&s->heard);
	wire_receiver_begin(&s->heard.receiver, SESSION);
	wire_sender_begin(&s->sender, SESSION);
}

static void served_begin(struct served *s, const char *root)
{
	served_begin_as(s, root, false);
}

static void send_frame(struct served *s, enum wire_type type, uint32_t channel, const void *payload,
		       size_t n)
{
	assert_success(wire_send_append(&s->sender, type, channel, 0, payload, n, &s->pending));
}

static void send_buf(struct served *s, enum wire_type type, uint32_t channel,
		     struct strbuf *payload)
{
	send_frame(s, type, channel, payload->at, payload->n);
	strbuf_deinit(payload);
}

/* Sends and receives whatever can be; false when the agent is gone. */
static bool exchange(struct served *s)
{
	static char buffer[1 << 16];
	struct pollfd wait = { .fd = s->fd,
			       .events = (short)(POLLIN | (s->pending.n ? POLLOUT : 0)) };
	ssize_t n;

	assert_true(poll(&wait, 1, -1) > 0);
	if (wait.revents & POLLOUT) {
		n = write(s->fd, s->pending.at, s->pending.n);
		if (n > 0) {
			memmove(s->pending.at, s->pending.at + n, s->pending.n - (size_t)n);
			s->pending.n -= (size_t)n;
		}
	}
	if (!(wait.revents & (POLLIN | POLLHUP)))
		return true;
	n = read(s->fd, buffer, sizeof(buffer));
	if (n <= 0)
		return false;
	wire_receiver_feed(&s->heard.receiver, buffer, (size_t)n);
	heard_listen(&s->heard);
	return true;
}

static unsigned int times_heard(const struct served *s, enum wire_type type)
{
	unsigned int n = 0;

	for (size_t i = 0; i < s->heard.n; i++)
		n += s->heard.types[i] == type;
	return n;
}

static void until(struct served *s, enum wire_type type, unsigned int times)
{
	while (times_heard(s, type) < times)
		assert_true(exchange(s));
}

static void hello(struct served *s, uint32_t heartbeat_ms)
{
	struct wire_hello message = { .protocol = WIRE_PROTOCOL, .heartbeat_ms = heartbeat_ms };
	struct strbuf payload = STRBUF_INIT;

	wire_hello_encode(&message, &payload);
	send_buf(s, WIRE_HELLO, 0, &payload);
}

static void run(struct served *s, uint32_t channel, const char *script, uint32_t flags)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct wire_run message = { .argv = argv, .flags = flags };
	struct strbuf payload = STRBUF_INIT;

	wire_run_encode(&message, &payload);
	send_buf(s, WIRE_RUN, channel, &payload);
}

static int served_end(struct served *s)
{
	int status = 0;

	close(s->fd);
	assert_int_equal(waitpid(s->pid, &status, 0), s->pid);
	strbuf_deinit(&s->pending);
	heard_end(&s->heard);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void commands_run_and_the_end_of_the_stream_ends_the_work(void **state)
{
	struct served s;

	served_begin(&s, *state);
	hello(&s, 0);
	run(&s, 1, "echo out; echo err >&2; exit 3", 0);
	until(&s, WIRE_EXITED, 1);
	assert_string_equal(strbuf_str(&s.heard.stdout_bytes), "out\n");
	assert_string_equal(strbuf_str(&s.heard.stderr_bytes), "err\n");
	assert_int_equal(s.heard.exited.value, 3);
	assert_int_equal(s.heard.types[0], WIRE_READY);
	assert_int_equal(served_end(&s), 40 + AGENT_END_INPUT);
}

static void power_off_says_goodbye_last(void **state)
{
	struct served s;

	served_begin(&s, *state);
	hello(&s, 0);
	run(&s, 1, "sleep 1000", 0);
	send_frame(&s, WIRE_POWER_OFF, 0, NULL, 0);
	while (exchange(&s))
		;
	assert_int_equal(s.heard.types[s.heard.n - 1], WIRE_BYE);
	assert_int_equal(served_end(&s), 40 + AGENT_END_POWER_OFF);
}

static void a_measurement_is_answered_while_heartbeats_go_on(void **state)
{
	struct wire_measure message = { .phase_ms = 20 };
	struct strbuf payload = STRBUF_INIT;
	struct served s;

	served_begin(&s, *state);
	hello(&s, 5);
	until(&s, WIRE_READY, 1);
	wire_measure_encode(&message, &payload);
	send_buf(&s, WIRE_MEASURE, 9, &payload);
	until(&s, WIRE_MEASURED, 1);
	/* Ten phases of 20 ms: a loop that waited for them would have been silent. */
	assert_true(times_heard(&s, WIRE_HEARTBEAT) > 0);
	assert_int_equal(times_heard(&s, WIRE_FAILED), 0);
	/* The channel is free again. */
	run(&s, 9, "exit 3", 0);
	until(&s, WIRE_EXITED, 1);
	assert_int_equal(s.heard.exited.value, 3);
	assert_int_equal(served_end(&s), 40 + AGENT_END_INPUT);
}

static void two_commands_run_side_by_side(void **state)
{
	_cleanup_free_ char *fifo = xasprintf("%s/fifo", (char *)*state);
	_cleanup_free_ char *first = xasprintf("cat %s >&2", fifo);
	_cleanup_free_ char *second = xasprintf("echo over > %s", fifo);
	struct served s;

	/* Neither can end without the other. */
	assert_int_equal(mkfifo(fifo, 0600), 0);
	served_begin(&s, *state);
	hello(&s, 0);
	run(&s, 1, first, 0);
	until(&s, WIRE_STARTED, 1);
	run(&s, 2, second, 0);
	until(&s, WIRE_EXITED, 2);
	assert_string_equal(strbuf_str(&s.heard.stderr_bytes), "over\n");
	assert_int_equal(served_end(&s), 40);
}

static void a_megabyte_goes_through_and_back(void **state)
{
	static char data[1 << 20];
	size_t sent = 0;
	struct served s;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (char)(i * 31 + i / 4096);
	served_begin(&s, *state);
	hello(&s, 0);
	run(&s, 1, "exec cat", WIRE_RUN_STDIN);
	while (sent < sizeof(data)) {
		size_t n = s.heard.window_bytes - sent;

		if (n > sizeof(data) - sent)
			n = sizeof(data) - sent;
		if (n)
			send_frame(&s, WIRE_STDIN, 1, data + sent, n);
		sent += n;
		if (!n || s.pending.n)
			assert_true(exchange(&s));
	}
	send_frame(&s, WIRE_STDIN_END, 1, NULL, 0);
	until(&s, WIRE_EXITED, 1);
	assert_int_equal(s.heard.stdout_bytes.n, sizeof(data));
	assert_memory_equal(s.heard.stdout_bytes.at, data, sizeof(data));
	assert_int_equal(served_end(&s), 40);
}

static void output_the_host_does_not_read_blocks_the_program(void **state)
{
	_cleanup_free_ char *script = xasprintf("head -c 20000000 /dev/zero; touch %s/done",
						(char *)*state);
	struct served s;

	served_begin(&s, *state);
	hello(&s, 0);
	run(&s, 1, script, 0);
	until(&s, WIRE_STARTED, 1);
	/* We do not read for a while; the agent must not swallow it all. */
	usleep(300000);
	assert_false(scratch_has(*state, "done"));
	until(&s, WIRE_EXITED, 1);
	assert_int_equal(s.heard.stdout_bytes.n, 20000000);
	assert_int_equal(served_end(&s), 40);
}

/* 'Z' once it waits to be reaped. */
static char state_of(pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/stat", pid);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *bracket;

	error_free(io_read_file(path, 4096, &text));
	bracket = strrchr(strbuf_str(&text), ')');
	return bracket ? bracket[2] : '?';
}

static void commands_that_exit_together_all_deliver_their_output(void **state)
{
	enum { COMMANDS = 12, LAST_WORDS = 60000 };
	_cleanup_free_ char *gate = xasprintf("%s/gate", (char *)*state);
	_cleanup_free_ char *script = xasprintf("read x < %s; exec head -c %d /dev/zero", gate,
						LAST_WORDS);
	struct served s;
	int fd;

	assert_int_equal(mkfifo(gate, 0600), 0);
	fd = open(gate, O_RDWR | O_CLOEXEC);
	served_begin(&s, *state);
	hello(&s, 0);
	for (uint32_t i = 0; i < COMMANDS; i++)
		run(&s, i + 1, script, 0);
	until(&s, WIRE_STARTED, COMMANDS);
	/* All end while the agent looks away; together they say more than it queues. */
	assert_int_equal(kill(s.pid, SIGSTOP), 0);
	for (int i = 0; i < COMMANDS; i++)
		assert_int_equal(write(fd, "\n", 1), 1);
	for (size_t i = 0; i < COMMANDS; i++)
		while (state_of(s.heard.pids[i]) != 'Z')
			usleep(1000);
	assert_int_equal(kill(s.pid, SIGCONT), 0);
	until(&s, WIRE_EXITED, COMMANDS);
	assert_int_equal(s.heard.stdout_bytes.n, COMMANDS * LAST_WORDS);
	close(fd);
	assert_int_equal(served_end(&s), 40);
}

static void a_host_that_leaves_in_the_middle_is_an_ordinary_end(void **state)
{
	struct served s;

	served_begin(&s, *state);
	hello(&s, 0);
	run(&s, 1, "exec yes", 0);
	until(&s, WIRE_STDOUT, 1);
	assert_int_equal(served_end(&s), 40);
}

static void heartbeats_are_sent_during_a_transfer(void **state)
{
	static char data[WIRE_PAYLOAD_MAX];
	static const char root[] = "/in";
	struct served s;

	served_begin(&s, *state);
	hello(&s, 1);
	send_frame(&s, WIRE_PUT, 2, root, sizeof(root));
	/* One file without an end. */
	strbuf_clear(&s.heard.stdout_bytes);
	snprintf(data, sizeof(data), "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s",
		 1, 0100644, 0, 0, 1, 0, 0x7fffffff, 0, 0, 0, 0, 2, 0, "f");
	for (int i = 0; i < 200 && times_heard(&s, WIRE_HEARTBEAT) < 3; i++) {
		send_frame(&s, WIRE_PUT_DATA, 2, data, sizeof(data));
		while (s.pending.n)
			assert_true(exchange(&s));
	}
	until(&s, WIRE_HEARTBEAT, 3);
	assert_int_equal(times_heard(&s, WIRE_FAILED), 0);
	assert_int_equal(served_end(&s), 40);
}

static void damage_fails_the_session_and_hello_begins_another(void **state)
{
	struct served s;

	served_begin(&s, *state);
	hello(&s, 0);
	until(&s, WIRE_READY, 1);
	strbuf_append(&s.pending, "not a frame, and long enough to be taken for a header of one");
	run(&s, 1, "echo never", 0);
	until(&s, WIRE_FAILED, 1);
	assert_string_equal(s.heard.failed_tag, "wire-magic");
	wire_sender_begin(&s.sender, SESSION + 1);
	wire_receiver_begin(&s.heard.receiver, SESSION + 1);
	hello(&s, 0);
	run(&s, 1, "echo again", 0);
	until(&s, WIRE_EXITED, 1);
	assert_string_equal(strbuf_str(&s.heard.stdout_bytes), "again\n");
	assert_int_equal(s.heard.ready.generation, 2);
	assert_int_equal(served_end(&s), 40);
}

static void settle(struct served *s, uint32_t channel)
{
	struct strbuf payload = STRBUF_INIT;

	wire_settle_encode(&(struct wire_settle){ 60000, 10, 100 }, &payload);
	send_buf(s, WIRE_SETTLE, channel, &payload);
}

/* A /proc of one idle CPU. */
static void stage_proc(const char *root)
{
	_cleanup_free_ char *stat = xasprintf("%s/stat", root);
	_cleanup_free_ char *schedstat = xasprintf("%s/schedstat", root);

	assert_success(io_replace_file(stat, "procs_running 1\n", 16));
	assert_success(io_replace_file(schedstat, "version 17\ncpu0 0 0 0 0 0 0 1\n", 30));
}

static void idle_cpus_are_waited_for_beside_other_work(void **state)
{
	struct served s;

	stage_proc(*state);
	served_begin(&s, *state);
	hello(&s, 0);
	settle(&s, 1);
	settle(&s, 2);
	run(&s, 3, "echo meanwhile", 0);
	until(&s, WIRE_FAILED, 1);
	assert_string_equal(s.heard.failed_tag, "agent-limit");
	until(&s, WIRE_EXITED, 1);
	until(&s, WIRE_SETTLED, 1);
	assert_true(s.heard.settled.waited_ns >= 3 * 10 * UINT64_C(1000000));
	/* The channel and the place are free again. */
	settle(&s, 1);
	until(&s, WIRE_SETTLED, 2);
	assert_int_equal(served_end(&s), 40);
}

static struct strbuf sunk;

static void sink(const void *bytes, size_t n)
{
	strbuf_append_bytes(&sunk, bytes, n);
}

/* Given in pieces of so many bytes, each with the word that more will come. */
static struct strbuf mail;
static size_t mail_given, mail_piece;

static struct bytes source(bool *more)
{
	size_t left = mail.n - mail_given;
	size_t n = left < mail_piece ? left : mail_piece;
	struct bytes bytes = { (const uint8_t *)mail.at + mail_given, n };

	/* Asked when nothing can come any more. */
	assert_true(n > 0);
	mail_given += n;
	*more = n < left;
	return bytes;
}

static void serve_mail(struct served *s, const char *root, size_t piece)
{
	struct agent_config config = {
		.input = AGENT_INPUT_MAILBOX,
		.in = -1,
		.out = -1,
		.source = source,
		.sink = sink,
		.root = root,
		.proc = root,
		.sysfs = "/sys",
		.cgroup_root = "/nowhere",
	};
	enum agent_end end = AGENT_END_INPUT;

	mail = s->pending;
	mail_given = 0;
	mail_piece = piece;
	assert_success(agent_serve(&config, &end));
	strbuf_deinit(&mail);
	assert_int_equal(end, AGENT_END_POWER_OFF);
	heard_begin(&s->heard);
	strbuf_append_bytes(&s->heard.out.pending, sunk.at, sunk.n);
	heard_listen(&s->heard);
	strbuf_deinit(&sunk);
}

static void mail_is_done_in_order_however_it_is_cut(void **state)
{
	static const size_t pieces[] = { SIZE_MAX, 100, 7 };

	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		struct served s = { .fd = -1 }; /* only its sender is used */

		hello(&s, 0);
		run(&s, 1, "sleep 0.2; cat; echo first >&2", WIRE_RUN_STDIN);
		send_frame(&s, WIRE_STDIN, 1, "given", 5);
		send_frame(&s, WIRE_STDIN_END, 1, NULL, 0);
		stage_proc(*state);
		settle(&s, 3);
		send_frame(&s, WIRE_GET_TOPOLOGY, 2, NULL, 0);
		settle(&s, 3);
		send_frame(&s, WIRE_POWER_OFF, 0, NULL, 0);
		serve_mail(&s, *state, pieces[i]);
		assert_int_equal(s.heard.types[s.heard.n - 1], WIRE_BYE);
		assert_int_equal(s.heard.types[s.heard.n - 2], WIRE_SETTLED);
		assert_int_equal(s.heard.types[s.heard.n - 3], WIRE_TOPOLOGY);
		assert_int_equal(s.heard.types[s.heard.n - 4], WIRE_SETTLED);
		assert_int_equal(s.heard.types[s.heard.n - 5], WIRE_EXITED);
		assert_string_equal(strbuf_str(&s.heard.stdout_bytes), "given");
		assert_string_equal(strbuf_str(&s.heard.stderr_bytes), "first\n");
		heard_end(&s.heard);
	}
}

static void serve_limited(const char *script, uint32_t ms, const char *root, struct served *s)
{
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;

	*s = (struct served){ .fd = -1 };
	hello(s, 0);
	run(s, 1, script, 0);
	wire_limit_encode(&(struct wire_limit){ .ms = ms }, &payload);
	send_frame(s, WIRE_LIMIT, 1, payload.at, payload.n);
	send_frame(s, WIRE_POWER_OFF, 0, NULL, 0);
	serve_mail(s, root, SIZE_MAX);
}

static void a_command_is_killed_when_its_time_is_over(void **state)
{
	struct served s;

	serve_limited("sleep 60", 50, *state, &s);
	assert_int_equal(s.heard.exited.how, WIRE_END_TIMED_OUT);
	assert_int_equal(s.heard.exited.value, SIGKILL);
	heard_end(&s.heard);
	serve_limited("exit 3", 60000, *state, &s);
	assert_int_equal(s.heard.exited.how, WIRE_END_EXITED);
	assert_int_equal(s.heard.exited.value, 3);
	heard_end(&s.heard);
}

/* What busybox's poweroff, halt and reboot send to the first process. */
static void poweroff_and_reboot_signals_end_the_agent_without_bye(void **state)
{
	static const struct {
		int signal;
		enum agent_end end;
	} rows[] = {
		{ SIGUSR2, AGENT_END_GUEST_OFF },
		{ SIGUSR1, AGENT_END_GUEST_OFF },
		{ SIGTERM, AGENT_END_GUEST_REBOOT },
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		sigset_t set, old;
		struct served s;

		/* Nothing is lost that comes before it has begun. */
		sigemptyset(&set);
		sigaddset(&set, rows[i].signal);
		sigprocmask(SIG_BLOCK, &set, &old);
		served_begin_as(&s, *state, true);
		assert_int_equal(kill(s.pid, rows[i].signal), 0);
		while (exchange(&s))
			;
		/* The host did not ask for it, and hears no goodbye. */
		assert_int_equal(times_heard(&s, WIRE_BYE), 0);
		assert_int_equal(served_end(&s), 40 + (int)rows[i].end);
		sigprocmask(SIG_SETMASK, &old, NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(commands_run_and_the_end_of_the_stream_ends_the_work),
		scratch_test(power_off_says_goodbye_last),
		scratch_test(poweroff_and_reboot_signals_end_the_agent_without_bye),
		scratch_test(a_measurement_is_answered_while_heartbeats_go_on),
		scratch_test(two_commands_run_side_by_side),
		scratch_test(a_megabyte_goes_through_and_back),
		scratch_test(output_the_host_does_not_read_blocks_the_program),
		scratch_test(commands_that_exit_together_all_deliver_their_output),
		scratch_test(a_host_that_leaves_in_the_middle_is_an_ordinary_end),
		scratch_test(heartbeats_are_sent_during_a_transfer),
		scratch_test(damage_fails_the_session_and_hello_begins_another),
		scratch_test(idle_cpus_are_waited_for_beside_other_work),
		scratch_test(mail_is_done_in_order_however_it_is_cut),
		scratch_test(a_command_is_killed_when_its_time_is_over),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
