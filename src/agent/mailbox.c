// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/mailbox.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "agent/agent.h"
#include "agent/machine.h"
#include "base/alloc.h"
#include "base/io.h"

enum { ID_BYTES = 64 };

static struct {
	struct wire_mailbox *head;
	const uint8_t *in;
	uint8_t *out;
	uint32_t out_n; /* of our output that the host has not taken for certain */
} mailbox;

#if defined(__x86_64__)
/*
 * The jump makes it the last instruction of a block of QEMU's: where the machine is stopped while
 * it is held, it stops before what the host answers is read.
 */
#define MARK(which) \
	__asm__ volatile(".byte 0x0f, 0x1f, 0x80\n.long %c0\njmp 1f\n1:" : : "i"(which) : "memory")
#else
#define MARK(which) __asm__ volatile("" : : "i"(which) : "memory")
#endif

/* "0x1af4\n" */
static long read_id(const char *directory, const char *device, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s/%s", directory, device, name);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	error_free(io_read_file(path, ID_BYTES, &text));
	return strtol(strbuf_str(&text), NULL, 16);
}

static struct error *map(const char *directory, const char *device)
{
	_cleanup_free_ char *enable = xasprintf("%s/%s/enable", directory, device);
	_cleanup_free_ char *path = xasprintf("%s/%s/resource2", directory, device);
	_cleanup_close_ int fd = -1;
	void *at;

	if (agent_machine_write(enable, "1"))
		return agent_error(AGENT_SYSTEM, errno, "%s", enable);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return agent_error(AGENT_SYSTEM, errno, "%s", path);
	at = mmap(NULL, WIRE_MAILBOX_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return agent_error(AGENT_SYSTEM, errno, "%s", path);
	mailbox.head = at;
	mailbox.in = (const uint8_t *)at + WIRE_MAILBOX_IN_AT;
	mailbox.out = (uint8_t *)at + WIRE_MAILBOX_OUT_AT;
	return NULL;
}

struct error *agent_mailbox_open(const char *sysfs)
{
	_cleanup_free_ char *directory = xasprintf("%s/bus/pci/devices", sysfs);
	_cleanup_dir_ DIR *dir = opendir(directory);
	struct dirent *entry;

	if (!dir)
		return agent_error(AGENT_SYSTEM, errno, "%s", directory);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' &&
		    read_id(directory, entry->d_name, "vendor") == WIRE_MAILBOX_PCI_VENDOR &&
		    read_id(directory, entry->d_name, "device") == WIRE_MAILBOX_PCI_DEVICE)
			return map(directory, entry->d_name);
	return agent_error(AGENT_SYSTEM, ENODEV, "no PCI device with memory shared with the host");
}

/* Every page of ours stays as it is while the machine is held; the host changes only the mailbox.
 */
static void wait_for(enum wire_mailbox_ask what)
{
	mailbox.head->asks = what;
	MARK(WIRE_MARK_WAIT);
}

/* A machine that was stopped and resumed while it was held may come back without an answer. */
static void wait_for_room(void)
{
	do
		wait_for(WIRE_MAILBOX_ASK_ROOM);
	while (mailbox.head->out_n != 0);
	mailbox.out_n = 0;
}

void agent_mailbox_write(const void *bytes, size_t n)
{
	const uint8_t *at = bytes;

	while (n) {
		size_t room = WIRE_MAILBOX_OUT_BYTES - mailbox.out_n;
		size_t here = n < room ? n : room;

		if (room == 0) {
			wait_for_room();
			continue;
		}
		memcpy(mailbox.out + mailbox.out_n, at, here);
		mailbox.out_n += (uint32_t)here;
		__atomic_store_n(&mailbox.head->out_n, mailbox.out_n, __ATOMIC_RELEASE);
		at += here;
		n -= here;
	}
	MARK(WIRE_MARK_TELL);
}

struct bytes agent_mailbox_read(bool *more)
{
	static uint8_t input[WIRE_MAILBOX_IN_BYTES];
	size_t n;

	while (mailbox.head->in_n == 0)
		wait_for(WIRE_MAILBOX_ASK_INPUT);
	mailbox.out_n = 0;
	n = mailbox.head->in_n;
	n = n < sizeof(input) ? n : sizeof(input);
	memcpy(input, mailbox.in, n);
	*more = mailbox.head->in_more != 0;
	mailbox.head->in_n = 0;
	return (struct bytes){ input, n };
}
