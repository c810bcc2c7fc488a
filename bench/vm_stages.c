// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Usage: vm_stages BEGAN_NS TOPOLOGY MEMORY_MIB
 *
 * One clone from a template, one command, the end, as `ktstr shell --exec true` has it, and
 * how long each step took: a JSON object on stdout. BEGAN_NS is CLOCK_MONOTONIC before this
 * program was started; "ended" is the same clock at its end, for the one who reaps it.
 *
 * The linker puts us between the room's files (--wrap): the library is measured as it is, and
 * nothing in it knows.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "vm/link/exec.h"
#include "vm/image/image.h"
#include "vm/state.h"

enum { MARKS_LIMIT = 64 };

static struct {
	char name[48];
	uint64_t ns;
} marks[MARKS_LIMIT];
static size_t n_marks;
static uint64_t last_ns;

/* What has passed since the last mark was for this. */
static void mark(const char *name)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (n_marks < MARKS_LIMIT) {
		snprintf(marks[n_marks].name, sizeof(marks[n_marks].name), "%s", name);
		marks[n_marks++].ns = now_ns - last_ns;
	}
	last_ns = clock_monotonic_ns();
}

/* Each is the library's own function, and a mark when it returns. */
#define BETWEEN(name, label, params, args)              \
	struct error *__real_##name params;             \
	struct error *__wrap_##name params;             \
	struct error *__wrap_##name params              \
	{                                               \
		struct error *err = __real_##name args; \
                                                        \
		mark(label);                            \
		return err;                             \
	}

BETWEEN(vm_qemu_binary_find, "find QEMU", (struct vm_qemu_binary * *ret), (ret))
BETWEEN(vm_initramfs_build, "initramfs",
	(const struct vm_initramfs_options *options, struct strbuf *into), (options, into))
BETWEEN(vm_template_open, "open template", (const char *key, struct vm_template **ret), (key, ret))
BETWEEN(vm_open_run_dir, "run directory", (struct vm * vm), (vm))
BETWEEN(vm_launch, "fork and exec", (struct vm * vm, const struct vm_machine_plan *plan),
	(vm, plan))
BETWEEN(vm_qmp_execute,
	strcmp(command, "migrate-set-capabilities") == 0 ? "QEMU to greeting" : command,
	(struct vm_qmp * qmp, const char *command, const char *arguments, uint64_t timeout_ns,
	 struct vm_qmp_message *ret),
	(qmp, command, arguments, timeout_ns, ret))
BETWEEN(vm_publish, "publish", (struct vm * vm), (vm))
BETWEEN(vm_await, doing,
	(struct vm * vm, const bool *flag, const char *doing, uint64_t deadline_ns,
	 const struct cancel *cancel),
	(vm, flag, doing, deadline_ns, cancel))
BETWEEN(vm_await_ready, "hello to READY",
	(struct vm * vm, uint64_t deadline_ns, const struct cancel *cancel),
	(vm, deadline_ns, cancel))

static struct error *one_shot(const char *topology, const char *memory_mib)
{
	static const char *const argv[] = { "sh", "-c", "true", NULL };
	struct vm_command command = { .argv = argv, .stdin_fd = -1 };
	struct vm_spec spec = { .memory_bytes = strtoull(memory_mib, NULL, 10) << 20 };
	_cleanup_kernel_ struct kernel *kernel = NULL;
	_cleanup_vm_ struct vm *vm = NULL;
	struct vm_end end;
	struct error *err;

	err = topo_parse(topology, &spec.topology);
	if (!err)
		err = kernel_resolve(NULL, &kernel);
	mark("find kernel");
	spec.kernel = kernel;
	if (!err)
		err = vm_start(&spec, NULL, &vm);
	if (!err)
		err = vm_exec(vm, &command, NULL, &end);
	mark("first command");
	if (err)
		return err;
	if (!vm_facts(vm).cloned || end.how != WIRE_END_EXITED || end.value != 0)
		return vm_error(VM_AGENT, 0, "not a clone that said true");
	vm_free(take_ptr(vm));
	mark("end of QEMU");
	return NULL;
}

int main(int argc, char **argv)
{
	_cleanup_error_ struct error *err = NULL;

	if (argc != 4) {
		fputs("usage: vm_stages BEGAN_NS TOPOLOGY MEMORY_MIB\n", stderr);
		return 2;
	}
	last_ns = strtoull(argv[1], NULL, 10);
	mark("process start");
	err = one_shot(argv[2], argv[3]);
	if (err) {
		fprintf(stderr, "vm_stages: %s\n", error_message(err));
		return 1;
	}
	printf("{\"stages\": [");
	for (size_t i = 0; i < n_marks; i++)
		printf("%s[\"%s\", %" PRIu64 "]", i ? ", " : "", marks[i].name, marks[i].ns);
	printf("], \"ended\": %" PRIu64 "}\n", last_ns);
	return 0;
}
