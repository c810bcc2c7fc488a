// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/qemu/machine_args.h"

#include "vm/link/mailbox.h"

/* The console's file is always writable, so the guest never waits for its reader. */
static void add_console(struct vm_argv *argv)
{
	vm_argv_option(argv, "-chardev", "file,id=console,path=/proc/self/fd/%d,append=on",
		       VM_MACHINE_FD_CONSOLE);
	vm_argv_option(argv, "-device", "isa-serial,chardev=console");
}

static void add_channel(const struct vm_machine_plan *plan, struct vm_argv *argv)
{
	if (plan->clock == VM_CLOCK_VIRTUAL) {
		/* Nothing that interrupts from outside. A master's memory is migrated. */
		vm_argv_option(argv, "-object", VM_MAILBOX_BACKEND ",id=mail,size=%d,share=on",
			       WIRE_MAILBOX_BYTES);
		vm_argv_option(argv, "-device", "ivshmem-plain,memdev=mail,master=on");
		return;
	}
	/*
	 * No vmgenid: qboot stops at its ACPI table, and the agent reseeds a clone's random
	 * numbers before it runs anything.
	 */
	vm_argv_option(argv, "-chardev", "socket,id=control,fd=%d", VM_MACHINE_FD_CONTROL);
	vm_argv_option(argv, "-device", "virtio-serial-pci,id=serial,max_ports=4");
	vm_argv_option(argv, "-device", "virtserialport,chardev=control,name=ktstr.ctl,id=port");
}

static void add_monitors(const struct vm_machine_plan *plan, struct vm_argv *argv)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	vm_argv_option(argv, "-chardev", "socket,id=monitor,fd=%d", VM_MACHINE_FD_QMP);
	vm_argv_option(argv, "-mon", "chardev=monitor,mode=control");
	if (!plan->monitor_socket)
		return;
	vm_argv_append_value(&path, plan->monitor_socket);
	vm_argv_option(argv, "-chardev", "socket,id=others,path=%s,server=on,wait=off",
		       strbuf_str(&path));
	vm_argv_option(argv, "-mon", "chardev=others,mode=control");
}

static void add_content(const struct vm_machine_plan *plan, struct vm_argv *argv)
{
	/* The source of the state is given through the monitor. */
	if (plan->incoming) {
		vm_argv_option(argv, "-incoming", "defer");
		vm_argv_add(argv, "-S");
		return;
	}
	vm_argv_option(argv, "-kernel", "%s", plan->kernel_path);
	vm_argv_option(argv, "-initrd", "/proc/self/fd/%d", VM_MACHINE_FD_INITRD);
	vm_argv_option(argv, "-append", "%s", plan->kernel_args);
}

static void add_machine(const struct vm_machine_plan *plan, struct vm_argv *argv)
{
	const char *bios = vm_qemu_topology_bios(&plan->topology);

	vm_argv_option(argv, "-accel", "%s", plan->accel->qemu_accel);
	if (bios)
		vm_argv_option(argv, "-bios", "%s", bios);
	vm_argv_add(argv, "-nodefaults");
	vm_argv_add(argv, "-no-user-config");
	vm_argv_option(argv, "-display", "none");
	vm_argv_add(argv, "-no-reboot");
	if (plan->clock == VM_CLOCK_VIRTUAL) {
		vm_argv_option(argv, "-icount", "shift=%u,sleep=off", plan->icount_shift);
		vm_argv_option(argv, "-rtc", "base=2026-01-01T00:00:00,clock=vm");
	}
	/* A guest that ended stays to be looked at. */
	vm_argv_option(argv, "-action", "shutdown=pause,panic=pause");
}

/* What may differ between a template and its clones. */
static void add_seed(const struct vm_machine_plan *plan, struct vm_argv *argv)
{
	if (plan->clock != VM_CLOCK_VIRTUAL)
		return;
	/* QEMU's own random numbers, should a device ask for any. */
	vm_argv_option(argv, "-seed", "%llu", (unsigned long long)plan->seed);
	vm_argv_option(argv, "-plugin",
		       "/proc/self/fd/%d,seed=%llu,turn=%u,cpus=%u,fd=%d,shift=%u,ring=%d",
		       VM_MACHINE_FD_PLUGIN, (unsigned long long)plan->seed,
		       vm_speed_turn(plan->icount_shift), topo_cpus(&plan->topology),
		       VM_MACHINE_FD_CONTROL, plan->icount_shift, VM_MACHINE_FD_RING);
}

struct error *vm_machine_args(const struct vm_machine_plan *plan, struct vm_argv *ret)
{
	_cleanup_vm_argv_ struct vm_argv argv = { 0 };
	struct error *err;

	vm_argv_add(&argv, plan->qemu->path);
	add_machine(plan, &argv);
	err = vm_qemu_topology_args(plan, &argv);
	if (err)
		return err;
	add_console(&argv);
	add_channel(plan, &argv);
	add_seed(plan, &argv);
	add_monitors(plan, &argv);
	add_content(plan, &argv);
	*ret = argv;
	argv = (struct vm_argv){ 0 };
	return NULL;
}

struct error *vm_machine_args_key(const struct vm_machine_plan *plan, struct strbuf *into)
{
	struct vm_machine_plan shared = *plan;
	_cleanup_vm_argv_ struct vm_argv argv = { 0 };
	struct error *err;

	shared.ram_paths = NULL;
	shared.ram_private = false;
	add_machine(&shared, &argv);
	err = vm_qemu_topology_args(&shared, &argv);
	if (err)
		return err;
	add_console(&argv);
	add_channel(&shared, &argv);
	vm_argv_format(&argv, into);
	return NULL;
}
