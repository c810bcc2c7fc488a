/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One line of QEMU's machine protocol, taken apart. */
#ifndef KTSTR_VM_QEMU_QMP_MESSAGE_H
#define KTSTR_VM_QEMU_QMP_MESSAGE_H

#include "base/error.h"
#include "json/doc.h"

enum vm_qmp_message_kind {
	VM_QMP_GREETING,
	VM_QMP_RETURN,
	VM_QMP_ERROR,
	VM_QMP_EVENT,
};

struct vm_qmp_message {
	enum vm_qmp_message_kind kind;
	struct json_doc *doc; /* owns what the members below borrow */
	/* Answers: which command; 0 when QEMU named none. */
	uint64_t id;
	const struct json_value *value; /* what was returned, or the event's data; may be NULL */
	char *name;			/* the event, or the error's class */
	char *text;			/* the error's description */
};

/* Not JSON, or not a message of the protocol: VM_QMP. */
struct error *vm_qmp_message_parse(const char *line, size_t n,
				   struct vm_qmp_message *ret) MUST_CHECK;
void vm_qmp_message_deinit(struct vm_qmp_message *message);

#define _cleanup_vm_qmp_message_ __attribute__((cleanup(vm_qmp_message_deinit)))

#endif
