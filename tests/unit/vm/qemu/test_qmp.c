// SPDX-License-Identifier: GPL-2.0-or-later
/* A written peer for what QEMU rarely does, and QEMU itself for what it does. */
#include "vm/qemu/qmp.h"

#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/spawn.h"
#include "unit.h"

struct seen {
	int events;
	char last[64];
};

static void on_event(void *context, const struct vm_qmp_message *event)
{
	struct seen *seen = context;

	seen->events++;
	snprintf(seen->last, sizeof(seen->last), "%s", event->name);
}

/* Says its first line at once and each other one after it has read a command. */
struct peer {
	pthread_t thread;
	int fd;
	const char *const *lines;
	struct strbuf heard;
};

static void *peer_main(void *arg)
{
	struct peer *peer = arg;
	char c;

	for (size_t i = 0; peer->lines[i]; i++) {
		while (i > 0 && read(peer->fd, &c, 1) == 1) {
			strbuf_append_char(&peer->heard, c);
			if (c == '\n')
				break;
		}
		if (write(peer->fd, peer->lines[i], strlen(peer->lines[i])) < 0)
			break;
	}
	return NULL;
}

static struct vm_qmp *peer_start(struct peer *peer, struct seen *seen, const char *const *lines)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	*peer = (struct peer){ .fd = pair[1], .lines = lines };
	assert_int_equal(pthread_create(&peer->thread, NULL, peer_main, peer), 0);
	return vm_qmp_new(pair[0], on_event, seen);
}

static void peer_end(struct peer *peer)
{
	pthread_join(peer->thread, NULL);
	close(peer->fd);
	strbuf_deinit(&peer->heard);
}

#define GREETING   "{\"QMP\": {}}\r\n"
#define NEGOTIATED "{\"return\": {}, \"id\": 1}\r\n"

static void events_between_answers_reach_the_listener(void **state UNUSED)
{
	static const char *const lines[] = { GREETING, NEGOTIATED,
					     "{\"event\": \"STOP\"}\n{\"return\": 5, \"id\": 2}\n",
					     NULL };
	_cleanup_vm_qmp_message_ struct vm_qmp_message answer = { 0 };
	_cleanup_vm_qmp_ struct vm_qmp *qmp = NULL;
	struct seen seen = { 0 };
	struct peer peer;

	qmp = peer_start(&peer, &seen, lines);
	assert_success(vm_qmp_execute(qmp, "query-x", "{\"a\":1}", NS_PER_SEC, &answer));
	assert_int_equal(answer.kind, VM_QMP_RETURN);
	assert_int_equal(seen.events, 1);
	assert_string_equal(seen.last, "STOP");
	pthread_join(peer.thread, NULL);
	assert_string_equal(strbuf_str(&peer.heard),
			    "{\"execute\":\"qmp_capabilities\",\"id\":1}\n"
			    "{\"execute\":\"query-x\",\"arguments\":{\"a\":1},\"id\":2}\n");
	strbuf_deinit(&peer.heard);
	close(peer.fd);
}

static void late_answer_to_another_command_is_not_ours(void **state UNUSED)
{
	static const char *const lines[] = {
		GREETING, NEGOTIATED, "{\"return\": 4, \"id\": 1}\n{\"return\": 5, \"id\": 2}\n",
		NULL
	};
	_cleanup_vm_qmp_message_ struct vm_qmp_message answer = { 0 };
	_cleanup_vm_qmp_ struct vm_qmp *qmp = NULL;
	struct seen seen = { 0 };
	uint64_t value = 0;
	struct peer peer;

	qmp = peer_start(&peer, &seen, lines);
	assert_success(vm_qmp_execute(qmp, "query-x", NULL, NS_PER_SEC, &answer));
	assert_true(json_get_u64(answer.value, &value));
	assert_int_equal(value, 5);
	peer_end(&peer);
}

static void a_qmp_refusal_quotes_qemu(void **state UNUSED)
{
	static const char *const lines[] = {
		GREETING, NEGOTIATED,
		"{\"error\": {\"class\": \"G\", \"desc\": \"not now\"}, \"id\": 2}\n", NULL
	};
	_cleanup_vm_qmp_ struct vm_qmp *qmp = NULL;
	struct seen seen = { 0 };
	struct error *err;
	struct peer peer;

	qmp = peer_start(&peer, &seen, lines);
	err = vm_qmp_execute(qmp, "cont", NULL, NS_PER_SEC, NULL);
	assert_non_null(err);
	assert_contains(error_message(err), "cont: not now");
	error_free(err);
	peer_end(&peer);
}

static void a_qmp_timeout_differs_from_a_closed_monitor(void **state UNUSED)
{
	static const char *const nothing[] = { NULL };
	_cleanup_vm_qmp_ struct vm_qmp *silent = NULL, *gone = NULL;
	struct seen seen = { 0 };
	struct peer peer, dead;
	struct error *err;

	silent = peer_start(&peer, &seen, nothing);
	err = vm_qmp_execute(silent, "cont", NULL, 20 * NS_PER_MS, NULL);
	assert_int_equal(error_errno(err), ETIMEDOUT);
	error_free(err);
	peer_end(&peer);
	gone = peer_start(&dead, &seen, nothing);
	peer_end(&dead);
	err = vm_qmp_execute(gone, "cont", NULL, NS_PER_SEC, NULL);
	assert_int_equal(error_errno(err), EPIPE);
	error_free(err);
}

static void *cancel_soon(void *arg)
{
	usleep(20000);
	cancel_request(arg);
	return NULL;
}

/* Without it the wait would end with ETIMEDOUT, a minute later. */
static void silence_can_be_cancelled(void **state UNUSED)
{
	static const char *const nothing[] = { NULL };
	static const char *const greeting[] = { GREETING, NULL };
	const char *const *lines[] = { nothing, greeting };

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		_cleanup_vm_qmp_ struct vm_qmp *qmp = NULL;
		struct cancel cancel = { 0 };
		struct seen seen = { 0 };
		struct peer peer;
		pthread_t thread;

		qmp = peer_start(&peer, &seen, lines[i]);
		vm_qmp_heed(qmp, &cancel);
		assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &cancel), 0);
		assert_error_tag(vm_qmp_execute(qmp, "cont", NULL, 60 * NS_PER_SEC, NULL),
				 "cancelled");
		pthread_join(thread, NULL);
		vm_qmp_heed(qmp, NULL);
		assert_error_tag(vm_qmp_execute(qmp, "cont", NULL, 20 * NS_PER_MS, NULL), "qmp");
		peer_end(&peer);
	}
}

static void real_qemu_answers_and_says_farewell(void **state UNUSED)
{
	const char *const argv[] = { "qemu-system-x86_64",
				     "-M",
				     "none",
				     "-nodefaults",
				     "-display",
				     "none",
				     "-chardev",
				     "socket,id=q,fd=9",
				     "-mon",
				     "chardev=q,mode=control",
				     NULL };
	_cleanup_vm_qmp_message_ struct vm_qmp_message answer = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_close_ int pidfd = -1;
	_cleanup_vm_qmp_ struct vm_qmp *qmp = NULL;
	struct seen seen = { 0 };
	int pair[2], status;
	struct error *err;
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	err = spawn_child(
		&(struct spawn_request){ .argv = argv,
					 .fds = (struct spawn_fd[]){ { pair[1], 9 }, { 2, 2 } },
					 .n_fds = 2 },
		&pid, &pidfd);
	skip_unless(!err, "no qemu-system-x86_64 here");
	close(pair[1]);
	qmp = vm_qmp_new(pair[0], on_event, &seen);
	assert_success(vm_qmp_execute(qmp, "query-status", NULL, 20 * NS_PER_SEC, &answer));
	assert_non_null(json_find(answer.value, "running"));
	assert_success(vm_qmp_human(qmp, "info version", 20 * NS_PER_SEC, &text));
	assert_true(strbuf_str(&text)[0] >= '0' && strbuf_str(&text)[0] <= '9');
	assert_success(vm_qmp_execute(qmp, "quit", NULL, 20 * NS_PER_SEC, NULL));
	assert_success(spawn_wait(pid, &status));
	error_free(vm_qmp_pump(qmp));
	assert_string_equal(seen.last, "SHUTDOWN");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_between_answers_reach_the_listener),
		cmocka_unit_test(late_answer_to_another_command_is_not_ours),
		cmocka_unit_test(a_qmp_refusal_quotes_qemu),
		cmocka_unit_test(a_qmp_timeout_differs_from_a_closed_monitor),
		cmocka_unit_test(silence_can_be_cancelled),
		cmocka_unit_test(real_qemu_answers_and_says_farewell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
