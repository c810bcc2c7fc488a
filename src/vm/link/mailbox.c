// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/link/mailbox.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "vm/error.h"

/* Made by tools/embed. */
extern const uint8_t ktstr_plugin_start[], ktstr_plugin_end[];

struct bytes vm_plugin_image(void)
{
	return (struct bytes){ ktstr_plugin_start,
			       (size_t)(ktstr_plugin_end - ktstr_plugin_start) };
}

static struct error *map(struct vm_mailbox *m, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat st;
	void *at;

	if (fd < 0 || fstat(fd, &st) < 0)
		return vm_error(VM_QEMU_FAILED, errno, "cannot open the mailbox, %s", path);
	if (st.st_size != WIRE_MAILBOX_BYTES)
		return vm_error(VM_QEMU_FAILED, 0, "the mailbox has %lld bytes, not %d",
				(long long)st.st_size, WIRE_MAILBOX_BYTES);
	at = mmap(NULL, WIRE_MAILBOX_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return vm_error(VM_QEMU_FAILED, errno, "cannot map the mailbox");
	m->head = at;
	return NULL;
}

struct error *vm_mailbox_find(struct vm_mailbox *m, pid_t qemu)
{
	static const char wanted[] = "/memfd:" VM_MAILBOX_BACKEND;
	_cleanup_free_ char *directory = xasprintf("/proc/%d/fd", qemu);
	_cleanup_dir_ DIR *dir = opendir(directory);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		_cleanup_free_ char *path = xasprintf("%s/%s", directory, entry->d_name);
		char target[sizeof(wanted)];
		ssize_t n = readlink(path, target, sizeof(target));

		if (n >= (ssize_t)sizeof(wanted) - 1 &&
		    memcmp(target, wanted, sizeof(wanted) - 1) == 0)
			return map(m, path);
	}
	return vm_error(VM_QEMU_FAILED, 0, "QEMU has no memory for the mailbox");
}

struct error *vm_plugin_file(int *ret_fd)
{
	_cleanup_close_ int fd = memfd_create("ktstr-plugin", MFD_CLOEXEC);
	struct bytes image = vm_plugin_image();
	struct error *err;

	if (fd < 0)
		return vm_error(VM_QEMU_FAILED, errno, "cannot create a file for the plugin");
	err = io_write_all(fd, "the plugin", image.at, image.n);
	if (!err)
		*ret_fd = take_fd(fd);
	return err;
}

struct error *vm_mailbox_new(struct vm_mailbox **ret)
{
	struct vm_mailbox *m = xnew(struct vm_mailbox);
	struct error *err;

	m->plugin_fd = -1;
	m->ring = VM_RING_NONE;
	err = vm_plugin_file(&m->plugin_fd);
	if (!err)
		err = vm_ring_open(&m->ring);
	if (err) {
		vm_mailbox_free(m);
		return err;
	}
	*ret = m;
	return NULL;
}

void vm_mailbox_free(struct vm_mailbox *m)
{
	if (!m)
		return;
	if (m->head)
		munmap(m->head, WIRE_MAILBOX_BYTES);
	cleanup_fd(&m->plugin_fd);
	vm_ring_close(&m->ring);
	free(m);
}

void vm_mailbox_hear(struct vm_mailbox *m, const char *bytes, size_t n)
{
	m->held |= memchr(bytes, WIRE_HOLD_WAITS, n) != NULL;
	m->hangs |= memchr(bytes, WIRE_HOLD_HANGS, n) != NULL;
	m->ring.full |= memchr(bytes, WIRE_HOLD_FULL, n) != NULL;
}

struct error *vm_mailbox_take(struct vm_mailbox *m, struct bytes *ret)
{
	uint32_t n = __atomic_load_n(&m->head->out_n, __ATOMIC_ACQUIRE);

	if (n > WIRE_MAILBOX_OUT_BYTES || n < m->taken)
		return vm_error(VM_AGENT, 0,
				"the mailbox has %u bytes of output, but %u were taken", n,
				m->taken);
	*ret = (struct bytes){ (const uint8_t *)m->head + WIRE_MAILBOX_OUT_AT + m->taken,
			       n - m->taken };
	m->taken = n;
	return NULL;
}

struct error *vm_mailbox_settle_hold(struct vm_mailbox *m, bool *ret_go)
{
	uint32_t asks = __atomic_load_n(&m->head->asks, __ATOMIC_ACQUIRE);

	*ret_go = false;
	if (!m->held)
		return NULL;
	if (asks != WIRE_MAILBOX_ASK_INPUT && asks != WIRE_MAILBOX_ASK_ROOM)
		return vm_error(VM_AGENT, 0, "the mailbox has an unknown request, %u", asks);
	m->head->out_n = m->taken = 0;
	/* A machine that was stopped and went on may wait again before it has read what is there.
	 */
	m->wants_input = asks == WIRE_MAILBOX_ASK_INPUT && m->head->in_n == 0;
	*ret_go = !m->wants_input;
	m->held = m->wants_input;
	return NULL;
}

size_t vm_mailbox_put(struct vm_mailbox *m, const void *bytes, size_t n)
{
	size_t here = n < WIRE_MAILBOX_IN_BYTES ? n : WIRE_MAILBOX_IN_BYTES;

	memcpy((uint8_t *)m->head + WIRE_MAILBOX_IN_AT, bytes, here);
	m->head->in_n = (uint32_t)here;
	m->head->in_more = here < n;
	m->held = m->wants_input = false;
	return here;
}
