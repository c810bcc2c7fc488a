/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * QEMU's monitor over a connected socket. Commands are answered in order; events
 * that come in between are handed to the listener. Not thread-safe.
 */
#ifndef KTSTR_VM_QEMU_QMP_H
#define KTSTR_VM_QEMU_QMP_H

#include "base/cancel.h"
#include "base/strbuf.h"
#include "vm/qemu/qmp_message.h"

struct vm_qmp;

typedef void (*vm_qmp_event_fn)(void *context, const struct vm_qmp_message *event);

/* Takes the socket over. Says nothing yet: QEMU may not even run. */
struct vm_qmp *vm_qmp_new(int fd, vm_qmp_event_fn on_event, void *context);
/* The monitor that listens at a path. Does not wait longer than that for its turn. */
struct error *vm_qmp_connect(const char *path, uint64_t wait_ns, struct vm_qmp **ret) MUST_CHECK;
void vm_qmp_free(struct vm_qmp *qmp);
DEFINE_CLEANUP(vm_qmp, struct vm_qmp *, NULL, vm_qmp_free);
#define _cleanup_vm_qmp_ _cleanup_(cleanup_vm_qmp)

/* From now on a wait also ends when this is requested, with BASE_CANCELLED. NULL: none. Kept. */
void vm_qmp_heed(struct vm_qmp *qmp, const struct cancel *cancel);

/*
 * Sends {"execute": command, "arguments": arguments} and waits for its answer. `arguments` is
 * the text of a JSON object or NULL. *ret may be NULL when the answer does not matter. The first
 * command waits for the greeting and negotiates. An error of QEMU is VM_QMP with its words; silence
 * past the deadline is VM_QMP with ETIMEDOUT, a closed monitor VM_QMP with EPIPE.
 */
struct error *vm_qmp_execute(struct vm_qmp *qmp, const char *command, const char *arguments,
			     uint64_t timeout_ns, struct vm_qmp_message *ret) MUST_CHECK;
/* A human monitor command; appends its text. */
struct error *vm_qmp_human(struct vm_qmp *qmp, const char *command_line, uint64_t timeout_ns,
			   struct strbuf *into) MUST_CHECK;
/* For poll(): readable means call vm_qmp_pump(). */
int vm_qmp_fd(const struct vm_qmp *qmp);
/* Takes in what has arrived and hands events out; never waits. VM_QMP with EPIPE when closed. */
struct error *vm_qmp_pump(struct vm_qmp *qmp) MUST_CHECK;

#endif
