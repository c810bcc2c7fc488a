// SPDX-License-Identifier: GPL-2.0-or-later
/* A guest and a QEMU played by hand: what real ones seldom do. */
#include <pthread.h>

#include "base/spawn.h"
#include "play.h"

static struct error *wait_a_moment(struct play *play, enum vm_event *event)
{
	struct wire_frame frame;

	return vm_wait(play->vm, NULL, 0, clock_monotonic_ns() + NS_PER_MS, NULL, event, &frame);
}

/* It beats on and ignores all else: who waits for an answer would wait for ever. */
static void a_failed_frame_on_channel_0_is_an_error(void **state)
{
	struct play *play = *state;
	enum vm_event event;
	struct error *err;

	play_failed(play, 3, "wire-gap", "frame 7 is missing");
	assert_success(wait_a_moment(play, &event));
	assert_int_equal(event, VM_EVENT_FRAME);
	play_failed(play, 0, "wire-gap", "frame 7 is missing");
	err = wait_a_moment(play, &event);
	assert_string_equal(error_tag(err), "agent");
	assert_contains(error_message(err), "[wire-gap] frame 7 is missing");
	error_free(err);
}

/* QEMU: its greeting, then one answer for each command. */
struct monitor {
	int fd;
	const char *event; /* before the last answer */
	const char *status;
};

static void *monitor_main(void *arg)
{
	const struct monitor *monitor = arg;
	_cleanup_free_ char *answer = xasprintf("%s{\"return\":{\"status\":\"%s\"},\"id\":2}\n",
						monitor->event, monitor->status);
	const char *const lines[] = { "{\"QMP\":{}}\n", "{\"return\":{},\"id\":1}\n", answer };

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		char c = 0;

		while (i > 0 && c != '\n' && read(monitor->fd, &c, 1) == 1)
			;
		if (send(monitor->fd, lines[i], strlen(lines[i]), MSG_NOSIGNAL) < 0)
			break;
	}
	return NULL;
}

static struct error *wait_in_silence(struct play *play, const char *said, const char *status,
				     enum vm_event *event)
{
	struct monitor monitor = { play->qemu, said, status };
	struct error *err;
	pthread_t thread;

	play->vm->heard_ns = clock_monotonic_ns() - 30 * NS_PER_SEC;
	assert_int_equal(pthread_create(&thread, NULL, monitor_main, &monitor), 0);
	err = wait_a_moment(play, event);
	/* One that was not asked must not wait for ever. */
	shutdown(play->qemu, SHUT_RDWR);
	pthread_join(thread, NULL);
	return err;
}

static void silence_of_a_running_guest_is_a_hang(void **state)
{
	enum vm_event event;

	assert_error_tag(wait_in_silence(*state, "", "running", &event), "guest-hang");
}

/* The caller did something else for a while; the guest beat, and nobody took it in. */
static void heartbeats_queued_while_not_listening_count(void **state)
{
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;
	struct play *play = *state;
	enum vm_event event;

	wire_heartbeat_encode(&(struct wire_heartbeat){ .count = 1 }, &payload);
	play_frame(play, WIRE_HEARTBEAT, 0, &payload);
	assert_success(wait_in_silence(play, "", "running", &event));
	assert_int_equal(event, VM_EVENT_DEADLINE);
}

static void a_guest_that_others_froze_does_not_hang(void **state)
{
	struct play *play = *state;
	enum vm_event event;

	assert_success(wait_in_silence(play, "", "paused", &event));
	assert_int_equal(event, VM_EVENT_DEADLINE);
	/* And may be silent for as long again. */
	assert_true(clock_monotonic_ns() - play->vm->heard_ns < 10 * NS_PER_SEC);
}

static void a_guest_that_others_just_thawed_does_not_hang(void **state)
{
	enum vm_event event;

	assert_success(wait_in_silence(*state, "{\"event\":\"RESUME\"}\n", "running", &event));
	assert_int_equal(event, VM_EVENT_DEADLINE);
}

static void time_the_host_kept_the_guest_waiting_is_not_silence(void **state UNUSED)
{
	static const struct {
		unsigned int silent_sec, waited_sec;
		bool is_hang;
	} rows[] = {
		{ 19, 0, false },  { 20, 0, true },    { 20, 1, false },     { 40, 20, true },
		{ 40, 21, false }, /* more than the time that went by: several threads starve */
		{ 40, 40, false }, { 40, 400, false }, { 199, 9999, false }, { 200, 9999, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (vm_silence_is_hang(rows[i].silent_sec * NS_PER_SEC,
				       rows[i].waited_sec * NS_PER_SEC,
				       20 * NS_PER_SEC) != rows[i].is_hang)
			fail_msg("silent for %u s, %u s of them waiting", rows[i].silent_sec,
				 rows[i].waited_sec);
}

static void silence_has_its_limit(void **state UNUSED)
{
	assert_true(vm_silence_limit_ns(BEAT_MS, 0) == 20 * NS_PER_SEC);
	/* Twenty beats, where that is longer. */
	assert_true(vm_silence_limit_ns(5000, 0) == 100 * NS_PER_SEC);
	assert_true(vm_silence_limit_ns(BEAT_MS, 75 * NS_PER_SEC) == 75 * NS_PER_SEC);
	assert_true(vm_silence_limit_ns(5000, 75 * NS_PER_SEC) == 100 * NS_PER_SEC);
}

/* A scheduler that starves everybody is the kernel's to end, which takes longer than 20 s. */
static void a_guest_that_may_be_silent_does_not_hang(void **state)
{
	struct play *play = *state;
	enum vm_event event;

	play->vm->patience_ns = 75 * NS_PER_SEC;
	assert_success(wait_in_silence(play, "", "running", &event));
	assert_int_equal(event, VM_EVENT_DEADLINE);
}

/* What failed because QEMU is gone is told as its end. */
static void a_dead_qemu_is_the_reason(void **state)
{
	const char *const argv[] = { "sh", "-c", "kill -9 $$", NULL };
	struct play *play = *state;
	struct pollfd end = { .events = POLLIN };
	struct error *err;

	assert_null(vm_explain_if_ended(play->vm, NULL, "looking"));
	assert_error_tag(vm_explain_if_ended(play->vm, vm_error(VM_CLONE, 0, "x"), "looking"),
			 "clone-proof");
	assert_success(spawn_child(&(struct spawn_request){ .argv = argv }, &play->vm->pid,
				   &play->vm->pidfd));
	end.fd = play->vm->pidfd;
	assert_int_equal(poll(&end, 1, 60000), 1);
	assert_null(vm_explain_if_ended(play->vm, NULL, "looking"));
	err = vm_explain_if_ended(play->vm, vm_error(VM_CLONE, 0, "x"), "looking");
	assert_contains(error_message(err), "looking: QEMU was ended by signal 9");
	assert_error_tag(err, "qemu-killed");
	/* The monitor closed with it. */
	err = vm_explain_monitor(play->vm, vm_error(VM_QMP, EPIPE, "x"), "asking");
	assert_error_tag(err, "qemu-killed");
	assert_error_tag(vm_explain_monitor(play->vm, vm_error(VM_QMP, ETIMEDOUT, "x"), "asking"),
			 "qmp");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		played(a_failed_frame_on_channel_0_is_an_error),
		played(silence_of_a_running_guest_is_a_hang),
		played(heartbeats_queued_while_not_listening_count),
		played(a_guest_that_others_froze_does_not_hang),
		played(a_guest_that_others_just_thawed_does_not_hang),
		played(a_dead_qemu_is_the_reason),
		played(a_guest_that_may_be_silent_does_not_hang),
		cmocka_unit_test(time_the_host_kept_the_guest_waiting_is_not_silence),
		cmocka_unit_test(silence_has_its_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
