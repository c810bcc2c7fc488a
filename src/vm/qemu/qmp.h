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

struct qmp;

typedef void (*qmp_event_fn)(void *context, const struct qmp_message *event);

/* Takes the socket over. Says nothing yet: QEMU may not even run. */
struct qmp *qmp_new(int fd, qmp_event_fn on_event, void *context);
/* The monitor that listens at a path. Does not wait longer than that for its turn. */
struct error *qmp_connect(const char *path, uint64_t wait_ns, struct qmp **ret) MUST_CHECK;
void qmp_free(struct qmp *qmp);
DEFINE_CLEANUP(vm_qmp, struct qmp *, NULL, qmp_free);
#define _cleanup_qmp_ _cleanup_(cleanup_vm_qmp)

/* From now on a wait also ends when this is requested, with BASE_CANCELLED. NULL: none. Kept. */
void qmp_heed(struct qmp *qmp, const struct cancel *cancel);

/*
 * Sends {"execute": command, "arguments": arguments} and waits for its answer. `arguments` is
 * the text of a JSON object or NULL. *ret may be NULL when the answer does not matter. The first
 * command waits for the greeting and negotiates. An error of QEMU is VM_QMP with its words; silence
 * past the deadline is VM_QMP with ETIMEDOUT, a closed monitor VM_QMP with EPIPE.
 */
struct error *qmp_execute(struct qmp *qmp, const char *command, const char *arguments,
			  uint64_t timeout_ns, struct qmp_message *ret) MUST_CHECK;
/* A human monitor command; appends its text. */
struct error *qmp_human(struct qmp *qmp, const char *command_line, uint64_t timeout_ns,
			struct strbuf *into) MUST_CHECK;
/* For poll(): readable means call qmp_pump(). */
int qmp_fd(const struct qmp *qmp);
/* Takes in what has arrived and hands events out; never waits. VM_QMP with EPIPE when closed. */
struct error *qmp_pump(struct qmp *qmp) MUST_CHECK;

#endif
