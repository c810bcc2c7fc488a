// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/inspect/freeze.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/clock.h"
#include "vm/qmp.h"

enum { ANSWER_WAIT_SEC = 30 };

static struct error *connect_to(const char *path, int *ret)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return base_error(BASE_IO, errno, "making a socket");
	if (strlen(path) >= sizeof(address.sun_path))
		return base_error(BASE_LIMIT, 0, "%s is too long for a socket", path);
	strcpy(address.sun_path, path);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		return base_error(BASE_IO, errno, "connecting to the monitor %s", path);
	*ret = take_fd(fd);
	return NULL;
}

static struct error *stop(struct freeze *f)
{
	_cleanup_qmp_message_ struct qmp_message status = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const uint64_t wait = ANSWER_WAIT_SEC * NS_PER_SEC;
	bool running = true;
	struct error *err = qmp_execute(f->qmp, "query-status", NULL, wait, &status);

	if (err)
		return err;
	/* What does not say that it stands still is stopped: that harms no one. */
	if (!status.value || !json_get_bool(json_find(status.value, "running"), &running) ||
	    running) {
		err = qmp_execute(f->qmp, "stop", NULL, wait, NULL);
		if (err)
			return err;
		f->stopped = true;
	}
	err = qmp_human(f->qmp, "info registers -a", wait, &text);
	return err ? err : vm_registers_parse(strbuf_str(&text), text.n, &f->registers);
}

struct error *freeze_begin(const char *monitor_socket, struct freeze *ret)
{
	struct freeze f = FREEZE_NONE;
	struct error *err;
	int fd;

	err = connect_to(monitor_socket, &fd);
	if (err)
		return err;
	f.qmp = qmp_new(fd, NULL, NULL);
	err = stop(&f);
	if (err) {
		freeze_end(&f);
		return error_wrap(err, "freezing the guest");
	}
	*ret = f;
	return NULL;
}

void freeze_end(struct freeze *f)
{
	if (!f->qmp)
		return;
	if (f->stopped)
		error_free(qmp_execute(f->qmp, "cont", NULL, ANSWER_WAIT_SEC * NS_PER_SEC, NULL));
	qmp_free(f->qmp);
	vm_register_list_deinit(&f->registers);
	*f = FREEZE_NONE;
}
