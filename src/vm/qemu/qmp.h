/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * QEMU's monitor over a connected socket. Commands are answered in order; events
 * that come in between are handed to the listener. Not thread-safe.
 */
#ifndef KTSTR_VM_QEMU_QMP_H
#define KTSTR_VM_QEMU_QMP_H

#include "base/cancel.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "json/doc.h"
#include "physmap/registers.h"
#include "vm/error.h"

/* One line of QEMU's machine protocol, taken apart. */

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
/* {"name": "value"}, for a command of one argument. The caller owns the string. */
char *vm_qmp_argument(const char *name, const char *value) MUST_CHECK;
/* A human monitor command; appends its text. */
struct error *vm_qmp_human(struct vm_qmp *qmp, const char *command_line, uint64_t timeout_ns,
			   struct strbuf *into) MUST_CHECK;
/* For poll(): readable means call vm_qmp_pump(). */
int vm_qmp_fd(const struct vm_qmp *qmp);
/* Takes in what has arrived and hands events out; never waits. VM_QMP with EPIPE when closed. */
struct error *vm_qmp_pump(struct vm_qmp *qmp) MUST_CHECK;

/* Registers of a vCPU, as QEMU's monitor prints them. */

/* One row per register: the member and QEMU's names for it in long and in other modes. */
#define VM_REGISTERS(X)         \
	X(rax, "RAX", "EAX")    \
	X(rbx, "RBX", "EBX")    \
	X(rcx, "RCX", "ECX")    \
	X(rdx, "RDX", "EDX")    \
	X(rsi, "RSI", "ESI")    \
	X(rdi, "RDI", "EDI")    \
	X(rbp, "RBP", "EBP")    \
	X(rsp, "RSP", "ESP")    \
	X(r8, "R8", NULL)       \
	X(r9, "R9", NULL)       \
	X(r10, "R10", NULL)     \
	X(r11, "R11", NULL)     \
	X(r12, "R12", NULL)     \
	X(r13, "R13", NULL)     \
	X(r14, "R14", NULL)     \
	X(r15, "R15", NULL)     \
	X(rip, "RIP", "EIP")    \
	X(rflags, "RFL", "EFL") \
	X(cr0, "CR0", NULL)     \
	X(cr2, "CR2", NULL)     \
	X(cr3, "CR3", NULL)     \
	X(cr4, "CR4", NULL)     \
	X(efer, "EFER", NULL)

struct vm_register_list {
	VEC(struct physmap_registers) cpus; /* by number; without long mode r8 to r15 are 0 */
};
void vm_register_list_deinit(struct vm_register_list *list);
#define _cleanup_vm_register_list_ __attribute__((cleanup(vm_register_list_deinit)))

/* What `info registers -a` printed. A CPU without one of its registers is VM_QMP. */
struct error *vm_registers_parse(const char *text, size_t n,
				 struct vm_register_list *ret) MUST_CHECK;

#endif
