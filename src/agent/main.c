// SPDX-License-Identifier: GPL-2.0-or-later
/* PID 1 of the guest. It never ends: it turns the machine off. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>

#include "agent/machine.h"
#include "agent/agent.h"
#include "base/alloc.h"
#include "base/io.h"

enum { CMDLINE_BYTES = 64 * 1024, PORT_TRIES = 500, PORT_WAIT_US = 10000 };

/* One line on the console; then there is nothing left to do here. */
__attribute__((noreturn)) static void die(struct error *err)
{
	fprintf(stderr, "ktstr-agent: fatal: [%s] %s\n", error_tag(err), error_message(err));
	fflush(stderr);
	for (;;) {
		agent_machine_power_off();
		sleep(1);
	}
}

/* An initramfs without /dev/console starts us with nothing open. */
static void open_console(void)
{
	int fd = open("/dev/console", O_RDWR | O_NOCTTY);

	if (fd < 0)
		fd = open("/dev/null", O_RDWR);
	for (int i = 0; i < 3; i++)
		if (fd != i)
			dup2(fd, i);
	if (fd > 2)
		close(fd);
}

static struct error *open_port(int *ret)
{
	_cleanup_free_ char *name = NULL, *path = NULL;
	struct error *err = NULL;
	int fd;

	/* The name comes in a message of its own, some time after the device. */
	for (int i = 0; i < PORT_TRIES; i++) {
		error_free(err);
		err = agent_port_find("/sys", AGENT_PORT_NAME, &name);
		if (!err)
			break;
		usleep(PORT_WAIT_US);
	}
	if (err)
		return err;
	path = xasprintf("/dev/%s", name);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return agent_error(AGENT_SYSTEM, errno, "%s", path);
	*ret = fd;
	return NULL;
}

int main(void)
{
	_cleanup_strbuf_ struct strbuf log = STRBUF_INIT, cmdline = STRBUF_INIT;
	struct agent_config config = {
		.root = "/",
		.proc = "/proc",
		.sysfs = "/sys",
		.cgroup_root = "/sys/fs/cgroup",
		.owns_machine = true,
	};
	enum agent_end end;
	struct error *err;

	if (getpid() != 1) {
		fprintf(stderr, "ktstr-agent: fatal: this is the first process of a guest\n");
		return 2;
	}
	agent_setup_machine(&log);
	open_console();
	error_free(io_read_file("/proc/cmdline", CMDLINE_BYTES, &cmdline));
	config.boot_log = strbuf_str(&log);
	if (agent_setup_cmdline_has(strbuf_str(&cmdline), "ktstr.mailbox")) {
		config.input = AGENT_INPUT_MAILBOX;
		config.in = config.out = -1;
		config.source = agent_mailbox_read;
		config.sink = agent_mailbox_write;
		err = agent_mailbox_open("/sys");
	} else {
		config.input = AGENT_INPUT_PORT;
		err = open_port(&config.in);
		config.out = config.in;
	}
	if (!err)
		err = agent_serve(&config, &end);
	if (err)
		die(err);
	if (end == AGENT_END_GUEST_REBOOT)
		agent_machine_reboot();
	agent_machine_power_off();
	die(agent_error(AGENT_SYSTEM, 0, "the machine does not turn off"));
}
