// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/qemu/qmp.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "json/writer.h"

/* The registers of 252 CPUs are half a megabyte of text. */
enum {
	QMP_LINE_LIMIT = 16 << 20,
	/* A request to cancel does not always interrupt poll(). */
	SLICE_MS = 100,
};

struct vm_qmp {
	int fd;
	vm_qmp_event_fn on_event;
	void *context;
	const struct cancel *cancel;
	struct strbuf in;
	size_t scanned; /* bytes of `in` that hold no end of line */
	uint64_t last_id;
	bool greeted, negotiated;
	/* The answer that is waited for, once it is here. */
	bool answered;
	struct vm_qmp_message answer;
};

struct vm_qmp *vm_qmp_new(int fd, vm_qmp_event_fn on_event, void *context)
{
	struct vm_qmp *qmp = xnew(struct vm_qmp);

	qmp->fd = fd;
	qmp->on_event = on_event;
	qmp->context = context;
	return qmp;
}

struct error *vm_qmp_connect(const char *path, uint64_t wait_ns, struct vm_qmp **ret)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timeval wait = { .tv_sec = (time_t)(wait_ns / NS_PER_SEC),
				.tv_usec = (suseconds_t)(wait_ns % NS_PER_SEC / 1000) };
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return base_error(BASE_IO, errno, "making a socket");
	if (strlen(path) >= sizeof(address.sun_path))
		return base_error(BASE_LIMIT, 0, "%s is too long for a socket", path);
	strcpy(address.sun_path, path);
	/* Others may be in the line before us. */
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		return base_error(BASE_IO, errno, "connecting to the monitor %s", path);
	*ret = vm_qmp_new(take_fd(fd), NULL, NULL);
	return NULL;
}

void vm_qmp_free(struct vm_qmp *qmp)
{
	if (!qmp)
		return;
	close(qmp->fd);
	strbuf_deinit(&qmp->in);
	vm_qmp_message_deinit(&qmp->answer);
	free(qmp);
}

void vm_qmp_heed(struct vm_qmp *qmp, const struct cancel *cancel)
{
	qmp->cancel = cancel;
}

int vm_qmp_fd(const struct vm_qmp *qmp)
{
	return qmp->fd;
}

static struct error *take_line(struct vm_qmp *qmp, const char *line, size_t n)
{
	_cleanup_vm_qmp_message_ struct vm_qmp_message message = { 0 };
	struct error *err = vm_qmp_message_parse(line, n, &message);

	if (err)
		return err;
	switch (message.kind) {
	case VM_QMP_GREETING:
		qmp->greeted = true;
		break;
	case VM_QMP_EVENT:
		if (qmp->on_event)
			qmp->on_event(qmp->context, &message);
		break;
	case VM_QMP_RETURN:
	case VM_QMP_ERROR:
		/* An answer that came after we had given up on it. */
		if (message.id != qmp->last_id)
			break;
		vm_qmp_message_deinit(&qmp->answer);
		qmp->answer = message;
		qmp->answered = true;
		message = (struct vm_qmp_message){ 0 };
		break;
	}
	return NULL;
}

static struct error *take_lines(struct vm_qmp *qmp)
{
	struct error *err = NULL;
	size_t start = 0;
	char *end;

	while (!err && (end = memchr(qmp->in.at + qmp->scanned, '\n', qmp->in.n - qmp->scanned))) {
		size_t n = (size_t)(end - qmp->in.at) - start;

		err = take_line(qmp, qmp->in.at + start, n);
		start += n + 1;
		qmp->scanned = start;
	}
	memmove(qmp->in.at, qmp->in.at + start, qmp->in.n - start);
	qmp->in.n -= start;
	qmp->scanned = qmp->in.n;
	if (!err && qmp->in.n > QMP_LINE_LIMIT)
		err = vm_error(VM_QMP, 0, "a line of the monitor is longer than %d bytes",
			       QMP_LINE_LIMIT);
	return err;
}

struct error *vm_qmp_pump(struct vm_qmp *qmp)
{
	char buf[16384];

	for (;;) {
		ssize_t n = recv(qmp->fd, buf, sizeof(buf), MSG_DONTWAIT);
		struct error *err;

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return NULL;
		if (n < 0 && errno != ECONNRESET)
			return vm_error(VM_QMP, errno, "cannot read QEMU's monitor");
		if (n <= 0)
			return vm_error(VM_QMP, EPIPE, "QEMU closed its monitor");
		strbuf_append_bytes(&qmp->in, buf, (size_t)n);
		err = take_lines(qmp);
		if (err)
			return err;
	}
}

static struct error *send_all(struct vm_qmp *qmp, const struct strbuf *line)
{
	size_t done = 0;

	while (done < line->n) {
		ssize_t n = send(qmp->fd, line->at + done, line->n - done, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return vm_error(VM_QMP, errno, "cannot write to QEMU's monitor");
		done += (size_t)n;
	}
	return NULL;
}

static struct error *wait_until(struct vm_qmp *qmp, const bool *flag, const char *what,
				uint64_t deadline_ns)
{
	while (!*flag) {
		struct pollfd p = { .fd = qmp->fd, .events = POLLIN };
		uint64_t now = clock_monotonic_ns();
		struct error *err = cancel_error(qmp->cancel, what);
		uint64_t left_ms;

		if (err)
			return err;
		if (now >= deadline_ns)
			return vm_error(VM_QMP, ETIMEDOUT, "no answer to %s", what);
		left_ms = (deadline_ns - now) / NS_PER_MS + 1;
		poll(&p, 1, left_ms < SLICE_MS ? (int)left_ms : SLICE_MS);
		err = vm_qmp_pump(qmp);
		/* What came before the end of the line counts. */
		if (err && !*flag)
			return error_wrap(err, "%s", what);
		error_free(err);
	}
	return NULL;
}

static struct error *ask(struct vm_qmp *qmp, const char *command, const char *arguments,
			 uint64_t deadline_ns)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	struct error *err;

	qmp->last_id++;
	qmp->answered = false;
	strbuf_appendf(&line, "{\"execute\":\"%s\"", command);
	if (arguments)
		strbuf_appendf(&line, ",\"arguments\":%s", arguments);
	strbuf_appendf(&line, ",\"id\":%llu}\n", (unsigned long long)qmp->last_id);
	err = send_all(qmp, &line);
	if (err)
		return err;
	err = wait_until(qmp, &qmp->answered, command, deadline_ns);
	if (err)
		return err;
	if (qmp->answer.kind == VM_QMP_ERROR)
		return vm_error(VM_QMP, 0, "%s: %s", command, qmp->answer.text);
	return NULL;
}

struct error *vm_qmp_execute(struct vm_qmp *qmp, const char *command, const char *arguments,
			     uint64_t timeout_ns, struct vm_qmp_message *ret)
{
	uint64_t deadline_ns = clock_monotonic_ns() + timeout_ns;
	struct error *err;

	if (!qmp->negotiated) {
		err = wait_until(qmp, &qmp->greeted, "QEMU's greeting", deadline_ns);
		if (!err)
			err = ask(qmp, "qmp_capabilities", NULL, deadline_ns);
		if (err)
			return err;
		qmp->negotiated = true;
	}
	err = ask(qmp, command, arguments, deadline_ns);
	if (err || !ret)
		return err;
	*ret = qmp->answer;
	qmp->answer = (struct vm_qmp_message){ 0 };
	return NULL;
}

char *vm_qmp_argument(const char *name, const char *value)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct json_writer w = json_writer_to(&text, JSON_COMPACT);

	json_begin_object(&w);
	json_add_string(&w, name, value);
	json_end_object(&w);
	return strbuf_take(&text);
}

struct error *vm_qmp_human(struct vm_qmp *qmp, const char *command_line, uint64_t timeout_ns,
			   struct strbuf *into)
{
	_cleanup_vm_qmp_message_ struct vm_qmp_message answer = { 0 };
	_cleanup_free_ char *arguments = vm_qmp_argument("command-line", command_line);
	struct json_text text;
	struct error *err;

	err = vm_qmp_execute(qmp, "human-monitor-command", arguments, timeout_ns, &answer);
	if (err)
		return err;
	text = json_string(answer.value);
	if (!text.at)
		return vm_error(VM_QMP, 0, "%s: no text came back", command_line);
	strbuf_append_bytes(into, text.at, text.n);
	return NULL;
}
