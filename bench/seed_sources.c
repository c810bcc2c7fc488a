// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `ktstr` itself, in which a seed decides only what $SEED_SOURCES names, any of "random", "starts"
 * and "turns": random bytes of the guest, starts of workers, ends of turns of CPUs. The others are
 * those of the seed 1.
 *
 * The linker puts us between the rooms (--wrap): what is measured knows nothing of it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "vm/link/exec.h"
#include "wire/report.h"

enum { OTHER_SEED = 1, ENV_LIMIT = 16 };

/* Guests are started and run by one thread each, one after the other. */
static _Thread_local uint64_t asked_seed;

static uint64_t seed_of(const char *source)
{
	const char *sources = getenv("SEED_SOURCES");

	return sources && strstr(sources, source) ? asked_seed : OTHER_SEED;
}

struct error *__real_vm_start(const struct vm_spec *spec, const struct cancel *cancel,
			      struct vm **ret);
struct error *__wrap_vm_start(const struct vm_spec *spec, const struct cancel *cancel,
			      struct vm **ret);
struct error *__wrap_vm_start(const struct vm_spec *spec, const struct cancel *cancel,
			      struct vm **ret)
{
	struct vm_spec ours = *spec;

	asked_seed = spec->seed;
	ours.seed = seed_of("turns");
	ours.random_seed = seed_of("random");
	return __real_vm_start(&ours, cancel, ret);
}

struct error *__real_vm_exec(struct vm *vm, const struct vm_command *command,
			     const struct cancel *cancel, struct vm_end *ret);
struct error *__wrap_vm_exec(struct vm *vm, const struct vm_command *command,
			     const struct cancel *cancel, struct vm_end *ret);
struct error *__wrap_vm_exec(struct vm *vm, const struct vm_command *command,
			     const struct cancel *cancel, struct vm_end *ret)
{
	_cleanup_free_ char *starts = xasprintf(WIRE_SEED_ENV "=%" PRIu64, seed_of("starts"));
	const char *env[ENV_LIMIT + 1] = { NULL };
	struct vm_command ours = *command;

	for (size_t i = 0; command->env && command->env[i] && i < ENV_LIMIT; i++)
		env[i] = strncmp(command->env[i], WIRE_SEED_ENV "=", strlen(WIRE_SEED_ENV "="))
				 ? command->env[i]
				 : starts;
	ours.env = command->env ? env : NULL;
	return __real_vm_exec(vm, &ours, cancel, ret);
}
