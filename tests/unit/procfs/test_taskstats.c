// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/taskstats.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/io.h"
#include "taskstats_message.h"
#include "taskstats_structs.h"
#include "unit.h"

enum { FAMILY = 27 };

/* What the other end makes of one request. */
enum trick {
	ANSWER,
	REFUSE,	      /* EPERM */
	GONE,	      /* ESRCH */
	WRONG_THREAD, /* values of another */
	NOTHING,
	STALE_FIRST, /* an answer with an old number, then the right one */
	TWICE,
	SHORT,
};

struct fake_kernel {
	int fd;
	pthread_t thread;
	enum trick tricks[16];	 /* by the last digit of the thread in hex */
	unsigned int n_sends;	 /* datagrams with requests */
	unsigned int n_requests; /* in them */
};

static void answer_one(struct fake_kernel *kernel, const uint8_t *request)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT, stale = STRBUF_INIT;
	struct taskstats_17 stats = { .version = 16 };
	struct nlmsghdr header;
	uint32_t tid;

	memcpy(&header, request, sizeof(header));
	memcpy(&tid, request + 24, sizeof(tid));
	assert_int_equal(header.nlmsg_len, 28);
	assert_int_equal(header.nlmsg_type, FAMILY);
	assert_int_equal(header.nlmsg_flags, NLM_F_REQUEST);
	kernel->n_requests++;
	stats.cpu_count = 1000 + tid;
	switch (kernel->tricks[tid % 16]) {
	case REFUSE:
		put_error(&s, header.nlmsg_seq, -EPERM);
		break;
	case GONE:
		put_error(&s, header.nlmsg_seq, -ESRCH);
		break;
	case WRONG_THREAD:
		put_answer(&s, FAMILY, header.nlmsg_seq, tid + 1, &stats,
			   PROCFS_TASKSTATS_16_BYTES);
		break;
	case NOTHING:
		return;
	case STALE_FIRST:
		put_error(&stale, header.nlmsg_seq - 1000, -EINVAL);
		send(kernel->fd, stale.at, stale.n, 0);
		put_answer(&s, FAMILY, header.nlmsg_seq, tid, &stats, PROCFS_TASKSTATS_16_BYTES);
		break;
	case TWICE:
		put_answer(&s, FAMILY, header.nlmsg_seq, tid, &stats, PROCFS_TASKSTATS_16_BYTES);
		send(kernel->fd, s.at, s.n, 0);
		strbuf_clear(&s);
		put_error(&s, header.nlmsg_seq, -EINVAL);
		break;
	case SHORT:
		put_answer(&s, FAMILY, header.nlmsg_seq, tid, &stats, PROCFS_TASKSTATS_16_BYTES);
		s.n -= 100;
		break;
	case ANSWER:
		put_answer(&s, FAMILY, header.nlmsg_seq, tid, &stats, PROCFS_TASKSTATS_16_BYTES);
		break;
	}
	send(kernel->fd, s.at, s.n, 0);
}

static void *kernel_main(void *arg)
{
	struct fake_kernel *kernel = arg;
	uint8_t bytes[65536];
	ssize_t n;

	while ((n = recv(kernel->fd, bytes, sizeof(bytes), 0)) > 0) {
		struct nlmsghdr first;

		memcpy(&first, bytes, sizeof(first));
		if (first.nlmsg_type == GENL_ID_CTRL) {
			_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

			put_family(&s, first.nlmsg_seq, FAMILY);
			send(kernel->fd, s.at, s.n, 0);
			continue;
		}
		kernel->n_sends++;
		for (ssize_t at = 0; at + 28 <= n; at += 28)
			answer_one(kernel, bytes + at);
	}
	return NULL;
}

static void start(struct fake_kernel *kernel, struct procfs_taskstats_client *client)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	kernel->fd = ends[1];
	assert_int_equal(pthread_create(&kernel->thread, NULL, kernel_main, kernel), 0);
	assert_success(procfs_taskstats_open_fd(ends[0], client));
}

static void stop(struct fake_kernel *kernel, struct procfs_taskstats_client *client)
{
	procfs_taskstats_close(client);
	procfs_taskstats_close(client);
	pthread_join(kernel->thread, NULL);
	close(kernel->fd);
}

static void many_threads_are_asked_with_few_sends(void **state UNUSED)
{
	struct fake_kernel kernel = { 0 };
	_cleanup_free_ struct procfs_taskstats_answer *answers = xcalloc(1000, sizeof(*answers));
	struct procfs_taskstats_client client;
	uint32_t tids[1000];

	start(&kernel, &client);
	for (uint32_t i = 0; i < 1000; i++)
		tids[i] = 5000 - 3 * i;
	procfs_taskstats_ask(&client, tids, 1000, answers);
	for (size_t i = 0; i < 1000; i++) {
		assert_true(answers[i].ok);
		assert_true(answers[i].values.delays[PROCFS_TASKSTATS_CPU].count.value ==
			    1000 + tids[i]);
	}
	procfs_taskstats_ask(&client, tids, 0, answers);
	stop(&kernel, &client);
	assert_int_equal(kernel.n_requests, 1000);
	assert_int_equal(kernel.n_sends,
			 (1000 + PROCFS_TASKSTATS_BATCH - 1) / PROCFS_TASKSTATS_BATCH);
}

static void each_thread_has_its_own_answer(void **state UNUSED)
{
	struct fake_kernel kernel = { .tricks = { [1] = REFUSE,
						  [2] = GONE,
						  [3] = WRONG_THREAD,
						  [4] = STALE_FIRST,
						  [5] = TWICE,
						  [6] = SHORT } };
	static const uint32_t tids[] = { 16, 17, 18, 19, 20, 21, 22, 23, 32 };
	struct procfs_taskstats_answer answers[ARRAY_SIZE(tids)];
	struct procfs_taskstats_client client;

	start(&kernel, &client);
	for (int round = 0; round < 3; round++) {
		procfs_taskstats_ask(&client, tids, ARRAY_SIZE(tids), answers);
		assert_true(answers[0].ok);
		assert_int_equal(answers[1].errnum, EPERM);
		assert_int_equal(answers[2].errnum, ESRCH);
		assert_int_equal(answers[3].errnum, EBADMSG);
		assert_true(answers[4].ok && answers[4].errnum == 0);
		assert_true(answers[5].ok && answers[5].errnum == 0);
		assert_int_equal(answers[6].errnum, EBADMSG);
		assert_true(answers[7].ok && answers[8].ok);
		for (size_t i = 0; i < ARRAY_SIZE(tids); i++)
			assert_true(!answers[i].ok ||
				    answers[i].values.delays[0].count.value == 1000 + tids[i]);
	}
	stop(&kernel, &client);
}

static void an_answer_that_never_comes_is_not_waited_for_twice(void **state UNUSED)
{
	struct fake_kernel kernel = { .tricks = { [1] = NOTHING } };
	static const uint32_t tids[] = { 16, 17, 18 };
	struct procfs_taskstats_answer answers[ARRAY_SIZE(tids)];
	struct procfs_taskstats_client client;

	start(&kernel, &client);
	client.timeout_ms = 1000;
	procfs_taskstats_ask(&client, tids, ARRAY_SIZE(tids), answers);
	assert_true(answers[0].ok && answers[2].ok);
	assert_false(answers[1].ok);
	assert_int_equal(answers[1].errnum, ETIMEDOUT);
	assert_int_equal(client.timeout_ms, 0);
	stop(&kernel, &client);
}

static void a_socket_that_fails_is_an_error_of_each_thread(void **state UNUSED)
{
	struct fake_kernel kernel = { 0 };
	static const uint32_t tids[] = { 16, 17 };
	struct procfs_taskstats_answer answers[ARRAY_SIZE(tids)];
	struct procfs_taskstats_client client;

	start(&kernel, &client);
	shutdown(client.fd, SHUT_WR);
	signal(SIGPIPE, SIG_IGN);
	procfs_taskstats_ask(&client, tids, ARRAY_SIZE(tids), answers);
	assert_int_equal(answers[0].errnum, EPIPE);
	assert_int_equal(answers[1].errnum, EPIPE);
	stop(&kernel, &client);
}

static void missing_taskstats_are_reported(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf absent = STRBUF_INIT, refused = STRBUF_INIT;
	struct procfs_taskstats_client client;
	int ends[2];

	put_error(&absent, 1, -ENOENT);
	put_error(&refused, 1, -EPERM);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	send(ends[1], absent.at, absent.n, 0);
	assert_error_tag(procfs_taskstats_open_fd(ends[0], &client), "absent");
	close(ends[1]);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	send(ends[1], refused.at, refused.n, 0);
	assert_error_tag(procfs_taskstats_open_fd(ends[0], &client), "io");
	close(ends[1]);
}

static bool open_live(struct procfs_taskstats_client *client)
{
	static const uint32_t first = 1;
	struct procfs_taskstats_answer answer;
	_cleanup_error_ struct error *err = procfs_taskstats_open(client);

	if (err)
		return false;
	procfs_taskstats_ask(client, &first, 1, &answer);
	if (!answer.ok)
		procfs_taskstats_close(client);
	return answer.ok;
}

/* Takes 48 MiB, gives them back, and waits for its end. */
static pid_t start_child(void)
{
	int ready[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		size_t n = 48 << 20;
		char *memory = mmap(NULL, n, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		munmap(memory, n);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static uint64_t status_kib(pid_t pid, const char *key)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/status", (int)pid);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	unsigned long long value;

	assert_success(io_read_file(path, 65536, &text));
	assert_int_equal(sscanf(strstr(text.at, key) + strlen(key), " %llu", &value), 1);
	return value;
}

static void taskstats_agree_with_proc(void **state UNUSED)
{
	struct procfs_taskstats_client client;
	struct procfs_taskstats_answer answers[3];
	uint32_t tids[3];
	bool live = open_live(&client);
	pid_t pid;

	skip_unless(live, "no taskstats in this kernel, or not for us");
	pid = start_child();
	tids[0] = (uint32_t)pid;
	tids[1] = 0x3ffffff; /* beyond what pid_max can be */
	tids[2] = (uint32_t)getpid();
	procfs_taskstats_ask(&client, tids, 3, answers);
	assert_true(answers[0].ok && answers[2].ok);
	assert_int_equal(answers[1].errnum, ESRCH);
	assert_in_range(answers[0].values.version, 8, 64);
	assert_true(answers[0].values.tgid.value == (uint64_t)pid);
	if (status_kib(pid, "VmHWM:") != answers[0].values.hiwater_rss_bytes.value / 1024)
		fail_msg("VmHWM is %llu KiB, the watermark %llu bytes",
			 (unsigned long long)status_kib(pid, "VmHWM:"),
			 (unsigned long long)answers[0].values.hiwater_rss_bytes.value);
	assert_true(answers[0].values.hiwater_rss_bytes.value >= 48 << 20);
	assert_true(answers[0].values.hiwater_vm_bytes.value / 1024 == status_kib(pid, "VmPeak:"));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	procfs_taskstats_ask(&client, tids, 1, answers);
	assert_int_equal(answers[0].errnum, ESRCH);
	procfs_taskstats_close(&client);
}

static void answers_lost_for_want_of_room_are_asked_for_again(void **state UNUSED)
{
	struct procfs_taskstats_client client;
	struct procfs_taskstats_answer answers[200];
	uint32_t tids[200];
	bool live = open_live(&client);
	int bytes = 1;

	skip_unless(live, "no taskstats in this kernel, or not for us");
	/* The least the kernel lets a socket have. */
	assert_int_equal(setsockopt(client.fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)), 0);
	for (size_t i = 0; i < 200; i++)
		tids[i] = i % 10 == 9 ? 0x3ffffff : (uint32_t)getpid();
	procfs_taskstats_ask(&client, tids, 200, answers);
	for (size_t i = 0; i < 200; i++) {
		assert_int_equal(answers[i].ok, i % 10 != 9);
		assert_int_equal(answers[i].errnum, i % 10 == 9 ? ESRCH : 0);
	}
	assert_true(client.at_once < PROCFS_TASKSTATS_BATCH);
	procfs_taskstats_close(&client);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_threads_are_asked_with_few_sends),
		cmocka_unit_test(each_thread_has_its_own_answer),
		cmocka_unit_test(an_answer_that_never_comes_is_not_waited_for_twice),
		cmocka_unit_test(a_socket_that_fails_is_an_error_of_each_thread),
		cmocka_unit_test(missing_taskstats_are_reported),
		cmocka_unit_test(taskstats_agree_with_proc),
		cmocka_unit_test(answers_lost_for_want_of_room_are_asked_for_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
