// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/qemu/machine_args.h"

#include "vm/error.h"

#define MIB (UINT64_C(1) << 20)

/* The limit of the newest q35 of each version, from QEMU's own history. */
static unsigned int most_cpus(const struct vm_qemu_version *version)
{
	if (vm_qemu_version_at_least(version, 9, 0))
		return 4096;
	return vm_qemu_version_at_least(version, 8, 1) ? 1024 : 288;
}

uint64_t vm_qemu_node_bytes(const struct topo *t, uint64_t memory_bytes, unsigned int node)
{
	uint64_t each = memory_bytes / t->nodes / MIB * MIB;

	if (t->has_memory)
		return t->memory_bytes[node];
	/* What does not divide is given to the first node, where the kernel's own pages are. */
	return node == 0 ? memory_bytes - each * (t->nodes - 1) : each;
}

static unsigned int bits_for(unsigned int count)
{
	return count <= 1 ? 0 : 32 - (unsigned int)__builtin_clz(count - 1);
}

unsigned int vm_qemu_max_apic_id(const struct topo *t)
{
	unsigned int dies = topo_llcs_per_node(t);
	unsigned int id = t->nodes - 1;

	id = id << bits_for(dies) | (dies - 1);
	id = id << bits_for(t->cores) | (t->cores - 1);
	return id << bits_for(t->threads) | (t->threads - 1);
}

bool vm_qemu_needs_x2apic(const struct topo *t)
{
	/* 255 is the broadcast address of an xAPIC. */
	return vm_qemu_max_apic_id(t) >= 255;
}

const char *vm_qemu_topology_bios(const struct topo *t)
{
	return vm_qemu_needs_x2apic(t) ? NULL : "qboot.rom";
}

const char *vm_qemu_topology_kernel_args(const struct topo *t)
{
	/* Remapped interrupts are wanted, remapped DMA would only cost time. */
	return vm_qemu_needs_x2apic(t) ? "intel_iommu=off" : "";
}

static struct error *check_cpus(const struct vm_machine_plan *plan)
{
	const struct topo *t = &plan->topology;
	unsigned int most = most_cpus(&plan->qemu->version);

	if (topo_cpus(t) > most)
		return vm_error(VM_QEMU_MISSING, 0, "%u CPUs, QEMU %s has at most %u", topo_cpus(t),
				plan->qemu->version.text, most);
	/* The local APIC of TCG knows x2APIC since 9.0. */
	if (vm_qemu_needs_x2apic(t) && plan->accel->kind == VM_ACCEL_TCG &&
	    !vm_qemu_version_at_least(&plan->qemu->version, 9, 0))
		return vm_error(VM_QEMU_MISSING, 0,
				"APIC ids up to %u need x2APIC, which QEMU %s has only with KVM; "
				"QEMU 9.0 or newer has it everywhere",
				vm_qemu_max_apic_id(t), plan->qemu->version.text);
	return NULL;
}

static struct error *check_memory(const struct vm_machine_plan *plan)
{
	const struct topo *t = &plan->topology;
	uint64_t told = topo_memory_bytes(t);

	if (t->has_memory && plan->memory_bytes && plan->memory_bytes != told)
		return vm_error(VM_QEMU_FAILED, 0,
				"%llu MiB of memory were asked for, but the nodes have %llu MiB",
				(unsigned long long)(plan->memory_bytes / MIB),
				(unsigned long long)(told / MIB));
	if (!t->has_memory && (plan->memory_bytes % MIB || plan->memory_bytes / MIB < t->nodes))
		return vm_error(
			VM_QEMU_FAILED, 0,
			"%llu bytes of memory are not a whole number of MiB for each of %u nodes",
			(unsigned long long)plan->memory_bytes, t->nodes);
	return NULL;
}

static void add_node(const struct vm_machine_plan *plan, unsigned int node, struct vm_argv *argv)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;
	const struct topo *t = &plan->topology;

	if (plan->ram_paths)
		vm_argv_append_value(&path, plan->ram_paths[node]);
	else
		strbuf_appendf(&path, "/proc/self/fd/%u", VM_MACHINE_FD_RAM + node);
	vm_argv_option(
		argv, "-object", "memory-backend-file,id=ram%u,size=%llu,mem-path=%s,%s", node,
		(unsigned long long)vm_qemu_node_bytes(t, plan->memory_bytes, node),
		strbuf_str(&path), /* A clone writes little of it; all of it need not be free. */
		!plan->ram_private ? "share=on" : "share=off,reserve=off");
	vm_argv_option(argv, "-numa", "node,nodeid=%u,memdev=ram%u", node, node);
	vm_argv_option(argv, "-numa", "cpu,node-id=%u,socket-id=%u", node, node);
}

struct error *vm_qemu_topology_args(const struct vm_machine_plan *plan, struct vm_argv *argv)
{
	const struct topo *t = &plan->topology;
	bool x2apic = vm_qemu_needs_x2apic(t);
	/* KVM's own interrupt controller cannot remap: the IO-APIC has to be QEMU's. */
	bool split = x2apic && plan->accel->kind == VM_ACCEL_KVM;
	struct error *err = topo_check(t);
	uint64_t total = t->has_memory ? topo_memory_bytes(t) : plan->memory_bytes;

	if (!err)
		err = check_cpus(plan);
	if (!err)
		err = check_memory(plan);
	if (err)
		return error_wrap(err, "arguments of QEMU");
	vm_argv_option(argv, "-machine", "q35%s", split ? ",kernel-irqchip=split" : "");
	vm_argv_option(argv, "-cpu", "%s%s%s", plan->accel->qemu_cpu, x2apic ? ",+x2apic" : "",
		       plan->clock == VM_CLOCK_VIRTUAL ? ",-rdrand,-rdseed" : "");
	vm_argv_option(argv, "-smp", "%u,sockets=%u,dies=%u,cores=%u,threads=%u", topo_cpus(t),
		       t->nodes, topo_llcs_per_node(t), t->cores, t->threads);
	vm_argv_option(argv, "-m", "%lluM", (unsigned long long)(total / MIB));
	for (unsigned int node = 0; node < t->nodes; node++)
		add_node(plan, node, argv);
	for (unsigned int i = 0; i < t->nodes; i++)
		for (unsigned int j = 0; j < t->nodes; j++)
			if (i != j)
				vm_argv_option(argv, "-numa", "dist,src=%u,dst=%u,val=%u", i, j,
					       topo_distance(t, i, j));
	if (x2apic)
		vm_argv_option(argv, "-device", "intel-iommu,intremap=on,eim=on");
	return NULL;
}
