// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/taskstats.h"

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/alloc.h"

enum {
	/* An answer of version 17 has 732 bytes. */
	ANSWER_BYTES = 2048,
	/* All answers of a batch, with what the kernel adds to each. */
	RECEIVE_BUFFER_BYTES = PROCFS_TASKSTATS_BATCH * 2 * ANSWER_BYTES,
	/* Asking one thread alone and losing its answer. */
	OVERRUNS_ALONE = 3,
	/* Unexpected datagrams in a row. */
	STRAY_DATAGRAMS = 4096,
};

/* errnum of a query without an answer. */
enum { PENDING = EINPROGRESS };

struct procfs_taskstats_buffers {
	uint8_t bytes[PROCFS_TASKSTATS_BATCH][ANSWER_BYTES];
	struct sockaddr_nl from[PROCFS_TASKSTATS_BATCH];
	struct iovec parts[PROCFS_TASKSTATS_BATCH];
	struct mmsghdr messages[PROCFS_TASKSTATS_BATCH];
};

struct request {
	struct nlmsghdr header;
	struct genlmsghdr command;
	struct nlattr attribute;
	uint32_t tid;
};
_Static_assert(sizeof(struct request) == 28, "the kernel reads 28 bytes");

struct family_request {
	struct nlmsghdr header;
	struct genlmsghdr command;
	struct nlattr attribute;
	char name[12]; /* with padding */
};
_Static_assert(sizeof(struct family_request) == 36, "header, command, one attribute");

static bool wait_readable(struct procfs_taskstats_client *client)
{
	struct pollfd pollfd = { .fd = client->fd, .events = POLLIN };
	int ready;

	do
		ready = poll(&pollfd, 1, client->timeout_ms);
	while (ready < 0 && errno == EINTR);
	/* Later queries do not wait again for a kernel that does not answer. */
	if (ready == 0)
		client->timeout_ms = 0;
	return ready > 0;
}

static struct error *find_family(struct procfs_taskstats_client *client)
{
	struct family_request request = {
		.header = { sizeof(request), GENL_ID_CTRL, NLM_F_REQUEST, ++client->last_seq, 0 },
		.command = { CTRL_CMD_GETFAMILY, 1, 0 },
		.attribute = { NLA_HDRLEN + sizeof(TASKSTATS_GENL_NAME), CTRL_ATTR_FAMILY_NAME },
		.name = TASKSTATS_GENL_NAME,
	};
	uint8_t answer[8192];
	int errnum = 0;
	ssize_t n;

	if (send(client->fd, &request, sizeof(request), 0) < 0)
		return base_error(BASE_IO, errno, "asking for the taskstats family");
	if (!wait_readable(client))
		return base_error(BASE_IO, ETIMEDOUT, "asking for the taskstats family");
	n = recv(client->fd, answer, sizeof(answer), MSG_DONTWAIT);
	if (n < 0)
		return base_error(BASE_IO, errno, "no answer about the taskstats family");
	if (procfs_taskstats_family_parse((struct bytes){ answer, (size_t)n }, client->last_seq,
					  &client->family, &errnum))
		return NULL;
	if (errnum == ENOENT)
		return base_error(BASE_ABSENT, 0, "this kernel has no taskstats");
	return base_error(BASE_IO, errnum, "the answer about the taskstats family");
}

struct error *procfs_taskstats_open_fd(int fd, struct procfs_taskstats_client *ret)
{
	struct procfs_taskstats_client client = {
		.fd = fd,
		.at_once = PROCFS_TASKSTATS_BATCH,
		.timeout_ms = PROCFS_TASKSTATS_TIMEOUT_MS,
	};
	struct error *err = find_family(&client);

	if (err) {
		close(fd);
		return err;
	}
	client.buffers = xnew(struct procfs_taskstats_buffers);
	*ret = client;
	return NULL;
}

struct error *procfs_taskstats_open(struct procfs_taskstats_client *ret)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	struct sockaddr_nl ours = { .nl_family = AF_NETLINK };
	int bytes = RECEIVE_BUFFER_BYTES;

	if (fd < 0)
		return base_error(BASE_IO, errno, "opening generic netlink");
	if (bind(fd, (struct sockaddr *)&ours, sizeof(ours)) < 0) {
		_cleanup_close_ int closed = fd;

		return base_error(BASE_IO, errno, "binding generic netlink");
	}
	/* What it refuses is made up for by asking fewer at once. */
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	return procfs_taskstats_open_fd(fd, ret);
}

void procfs_taskstats_close(struct procfs_taskstats_client *client)
{
	if (client->buffers && client->fd >= 0)
		close(client->fd);
	free(client->buffers);
	client->buffers = NULL;
	client->fd = -1;
}

/* Gives every unanswered thread its errno. */
static void give_up(struct procfs_taskstats_answer *answers, size_t n, int errnum)
{
	for (size_t i = 0; i < n; i++)
		if (answers[i].errnum == PENDING)
			answers[i].errnum = errnum;
}

/* The threads still pending, in one send; their numbers follow each other by index. */
static bool send_requests(struct procfs_taskstats_client *client, const uint32_t *tids, size_t n,
			  struct procfs_taskstats_answer *answers, size_t *ret_asked)
{
	struct request requests[PROCFS_TASKSTATS_BATCH];
	size_t asked = 0;
	ssize_t sent;

	for (size_t i = 0; i < n; i++)
		if (answers[i].errnum == PENDING)
			requests[asked++] = (struct request){
				.header = { sizeof(*requests), client->family, NLM_F_REQUEST,
					    client->last_seq + 1 + (uint32_t)i, 0 },
				.command = { TASKSTATS_CMD_GET, TASKSTATS_GENL_VERSION, 0 },
				.attribute = { NLA_HDRLEN + sizeof(uint32_t),
					       TASKSTATS_CMD_ATTR_PID },
				.tid = tids[i],
			};
	*ret_asked = asked;
	if (!asked)
		return true;
	do
		sent = send(client->fd, requests, asked * sizeof(*requests), 0);
	while (sent < 0 && errno == EINTR);
	return sent >= 0;
}

/* True when it answered a pending query. */
static bool take_datagram(struct procfs_taskstats_client *client, struct bytes datagram,
			  const uint32_t *tids, size_t n, struct procfs_taskstats_answer *answers)
{
	struct procfs_taskstats_reply reply;
	struct procfs_taskstats_answer *answer;
	uint32_t index;

	procfs_taskstats_reply_parse(datagram, client->family, &reply);
	/* A late answer to an earlier query has another sequence number. */
	index = reply.seq - client->last_seq - 1;
	if (index >= n || answers[index].errnum != PENDING)
		return false;
	answer = &answers[index];
	if (reply.kind == PROCFS_TASKSTATS_REPLY_VALUES && reply.tid == tids[index])
		*answer = (struct procfs_taskstats_answer){ .ok = true, .values = reply.values };
	else
		answer->errnum = reply.kind == PROCFS_TASKSTATS_REPLY_ERRNO &&
						 reply.errnum != PENDING
					 ? reply.errnum
					 : EBADMSG;
	return true;
}

static int receive(struct procfs_taskstats_client *client)
{
	struct procfs_taskstats_buffers *b = client->buffers;

	for (size_t i = 0; i < PROCFS_TASKSTATS_BATCH; i++) {
		b->parts[i] = (struct iovec){ b->bytes[i], ANSWER_BYTES };
		b->messages[i].msg_hdr = (struct msghdr){
			.msg_name = &b->from[i],
			.msg_namelen = sizeof(b->from[i]),
			.msg_iov = &b->parts[i],
			.msg_iovlen = 1,
		};
	}
	return recvmmsg(client->fd, b->messages, PROCFS_TASKSTATS_BATCH, MSG_DONTWAIT, NULL);
}

/* Only the kernel answers, and it has port 0. */
static bool is_from_kernel(const struct msghdr *header)
{
	const struct sockaddr_nl *from = header->msg_name;

	return header->msg_namelen < sizeof(*from) || from->nl_pid == 0;
}

/* True when answers were lost for lack of buffer space: pending queries must be repeated. */
static bool ask_batch(struct procfs_taskstats_client *client, const uint32_t *tids, size_t n,
		      struct procfs_taskstats_answer *answers)
{
	size_t left, strays = 0;
	bool overrun = false;

	if (!send_requests(client, tids, n, answers, &left)) {
		give_up(answers, n, errno);
		left = 0;
	}
	while (left && strays < STRAY_DATAGRAMS) {
		int got = receive(client);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == ENOBUFS) {
			/* Reported once; earlier datagrams are still in the queue. */
			overrun = true;
			continue;
		}
		if (got < 0 && errno == EAGAIN && !overrun && wait_readable(client))
			continue;
		if (got < 0 && (errno != EAGAIN || !overrun))
			give_up(answers, n, errno == EAGAIN ? ETIMEDOUT : errno);
		if (got < 0)
			break;
		for (int i = 0; i < got; i++) {
			const struct mmsghdr *message = &client->buffers->messages[i];
			struct bytes datagram = { client->buffers->bytes[i], message->msg_len };
			bool answered = is_from_kernel(&message->msg_hdr) &&
					take_datagram(client, datagram, tids, n, answers);

			left -= answered;
			strays += !answered;
		}
	}
	client->last_seq += (uint32_t)n;
	if (!overrun)
		give_up(answers, n, ETIMEDOUT);
	return left > 0 && overrun;
}

void procfs_taskstats_ask(struct procfs_taskstats_client *client, const uint32_t *tids, size_t n,
			  struct procfs_taskstats_answer *answers)
{
	int alone = 0;

	for (size_t i = 0; i < n; i++)
		answers[i] = (struct procfs_taskstats_answer){ .errnum = PENDING };
	for (size_t done = 0; done < n;) {
		size_t m = n - done < client->at_once ? n - done : client->at_once;

		if (!ask_batch(client, tids + done, m, answers + done)) {
			done += m;
			alone = 0;
		} else if (m > 1) {
			client->at_once = m / 2;
		} else if (++alone == OVERRUNS_ALONE) {
			give_up(answers + done, 1, ENOBUFS);
		}
	}
}
