/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One line of QEMU's machine protocol, taken apart. */
#ifndef KTSTR_VM_QEMU_QMP_MESSAGE_H
#define KTSTR_VM_QEMU_QMP_MESSAGE_H

#include "base/error.h"
#include "json/doc.h"

enum qmp_message_kind {
	QMP_GREETING,
	QMP_RETURN,
	QMP_ERROR,
	QMP_EVENT,
};

struct qmp_message {
	enum qmp_message_kind kind;
	struct json_doc *doc; /* owns what the members below borrow */
	/* Answers: which command; 0 when QEMU named none. */
	uint64_t id;
	const struct json_value *value; /* what was returned, or the event's data; may be NULL */
	char *name;			/* the event, or the error's class */
	char *text;			/* the error's description */
};

/* Not JSON, or not a message of the protocol: VM_QMP. */
struct error *qmp_message_parse(const char *line, size_t n, struct qmp_message *ret) MUST_CHECK;
void qmp_message_deinit(struct qmp_message *message);

#define _cleanup_qmp_message_ __attribute__((cleanup(qmp_message_deinit)))

#endif
