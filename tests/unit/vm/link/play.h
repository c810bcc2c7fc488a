/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine whose agent and QEMU are played by hand: each is the other end of a socket. */
#ifndef KTSTR_TESTS_VM_LINK_PLAY_H
#define KTSTR_TESTS_VM_LINK_PLAY_H

#include <sys/socket.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "unit.h"
#include "vm/state.h"

enum { SESSION = 77, BEAT_MS = 1000 };

struct play {
	struct vm *vm;
	int guest, qemu;
	struct wire_sender sender;
};

static inline int play_begin(void **state)
{
	static const struct kernel kernel;
	struct play *play = xnew(struct play);
	int control[2], monitor[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, monitor) < 0)
		return -1;
	play->vm = vm_new(&(struct vm_spec){ .kernel = &kernel, .topology = TOPO_DEFAULT });
	vm_link_init(&play->vm->link, control[0], NULL);
	vm_link_begin(&play->vm->link, SESSION);
	play->vm->console_path = xstrdup("/nonexistent/console.log");
	play->vm->qmp = vm_qmp_new(monitor[0], vm_on_event, play->vm);
	play->vm->heard_ns = clock_monotonic_ns();
	play->vm->heartbeat_ms = BEAT_MS;
	wire_sender_begin(&play->sender, SESSION);
	play->guest = control[1];
	play->qemu = monitor[1];
	*state = play;
	return 0;
}

static inline int play_end(void **state)
{
	struct play *play = *state;

	vm_free(play->vm);
	close(play->guest);
	close(play->qemu);
	free(play);
	return 0;
}

/* Waits in the socket until it is listened to. */
static inline void play_frame(struct play *play, enum wire_type type, uint32_t channel,
			      const struct strbuf *payload)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	assert_success(
		wire_send_append(&play->sender, type, channel, 0, payload->at, payload->n, &out));
	assert_int_equal(write(play->guest, out.at, out.n), (ssize_t)out.n);
}

static inline void play_failed(struct play *play, uint32_t channel, const char *tag,
			       const char *text)
{
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;

	wire_failed_encode(&(struct wire_failed){ tag, text }, &payload);
	play_frame(play, WIRE_FAILED, channel, &payload);
}

#define played(name) cmocka_unit_test_setup_teardown(name, play_begin, play_end)

#endif
