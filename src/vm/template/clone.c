// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/state.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "vm/image/image.h"

/* The clock of a clone may be ahead by what QEMU needs to start it running. */
enum { CLOCK_SLACK_MS = 2000 };

struct vm_machine_plan vm_clone_plan(const struct vm *vm)
{
	return (struct vm_machine_plan){
		.qemu = vm->qemu,
		.accel = &vm->accel,
		.topology = vm->topology,
		.memory_bytes = vm->memory_bytes,
		.monitor_socket = vm->monitor_socket,
	};
}

/* A build-id stays with its kernel; without one the file itself has to do. */
static void add_kernel(const struct kernel *kernel, struct strbuf *into)
{
	enum kernel_file_kind image = kernel->bzimage_path ? KERNEL_BZIMAGE : KERNEL_VMLINUX;

	if (kernel->build_id)
		strbuf_appendf(into, "kernel %s", kernel->build_id);
	else
		strbuf_appendf(into, "kernel %s %016llx", kernel->dir,
			       (unsigned long long)kernel->files[image].hash);
	strbuf_append(into, image == KERNEL_BZIMAGE ? " bzImage\n" : " vmlinux\n");
	if (kernel->config_path)
		strbuf_appendf(into, "config %016llx\n",
			       (unsigned long long)kernel->files[KERNEL_CONFIG].hash);
}

struct error *vm_clone_key(const struct vm *vm, const struct vm_spec *spec,
			   uint64_t vm_initramfs_identity, struct strbuf *into)
{
	struct vm_machine_plan plan = vm_clone_plan(vm);

	add_kernel(spec->kernel, into);
	strbuf_append(into, "topology ");
	topo_format(&vm->topology, into);
	strbuf_appendf(into, "\nmemory %llu\nqemu %s %s\ninitramfs %016llx\narguments ",
		       (unsigned long long)vm->memory_bytes, vm->qemu->path, vm->qemu->version.text,
		       (unsigned long long)vm_initramfs_identity);
	vm_boot_format_args(&spec->topology, false, spec->kernel_args, into);
	strbuf_append(into, "\nmachine ");
	return vm_machine_args_key(&plan, into);
}

struct error *vm_clone_launch(struct vm *vm)
{
	struct vm_machine_plan plan = vm_clone_plan(vm);
	struct error *err;

	plan.ram_paths = (const char *const *)vm->template->ram_paths;
	plan.ram_private = true;
	plan.incoming = true;
	err = vm_launch(vm, &plan);
	if (!err)
		err = vm_state_load(vm, vm->template->state_path);
	if (!err)
		err = vm_explain_if_ended(vm, vm_guest_ram_locate(vm), "finding its RAM");
	if (!err)
		err = vm_publish(vm);
	return error_wrap(err, "starting a clone");
}

struct vm_template_proof vm_clone_proof(const struct vm *vm, uint64_t monotonic_limit_ns)
{
	struct vm_template_proof proof = {
		.nonce_phys = vm->ready.nonce_phys,
		.generation = vm->ready.generation,
		.monotonic_ns = vm->ready.monotonic_ns,
		.monotonic_limit_ns = monotonic_limit_ns,
	};

	memcpy(proof.nonce, vm->ready.nonce, sizeof(proof.nonce));
	return proof;
}

struct error *vm_clone_wake(struct vm *vm, const struct vm_template_proof *proof,
			    uint32_t heartbeat_ms, uint64_t start_ns, uint64_t deadline_ns,
			    const struct cancel *cancel)
{
	struct error *err = vm_thaw(vm);

	if (!err)
		err = vm_await(vm, &vm->running, "starting the CPUs", deadline_ns, cancel);
	if (!err)
		err = vm_hello(vm, NULL, heartbeat_ms);
	if (!err)
		err = vm_await_ready(vm, deadline_ns, cancel);
	return err ? err
		   : vm_clone_prove(proof, &vm->ready, topo_cpus(&vm->topology),
				    clock_monotonic_ns() - start_ns);
}

struct error *vm_clone_prove(const struct vm_template_proof *template,
			     const struct wire_ready *ready, unsigned int cpus, uint64_t running_ns)
{
	uint64_t latest = template->monotonic_limit_ns + running_ns + CLOCK_SLACK_MS * NS_PER_MS;

	if (memcmp(ready->nonce, template->nonce, sizeof(template->nonce)) != 0 ||
	    ready->nonce_phys != template->nonce_phys)
		return vm_error(VM_CLONE, 0, "its agent does not know the nonce of the template");
	if (ready->generation != template->generation + 1)
		return vm_error(
			VM_CLONE, 0,
			"its agent was greeted %u times, that of a clone is greeted %u times",
			ready->generation, template->generation + 1);
	if (ready->monotonic_ns < template->monotonic_ns || ready->monotonic_ns > latest)
		return vm_error(
			VM_CLONE, 0, "its clock shows %llu ns, between %llu and %llu was expected",
			(unsigned long long)ready->monotonic_ns,
			(unsigned long long)template->monotonic_ns, (unsigned long long)latest);
	if (ready->online_cpus != cpus)
		return vm_error(VM_CLONE, 0, "it has %u CPUs, its template had %u",
				ready->online_cpus, cpus);
	return NULL;
}
