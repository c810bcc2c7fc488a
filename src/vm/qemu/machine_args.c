// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/qemu/machine_args.h"

#include "vm/qemu/topology_args.h"

static struct error *add_topology(const struct machine_plan *plan, struct argv *argv)
{
	char by_fd[TOPO_LIMIT_ASKED_NODES][32];
	const char *paths[TOPO_LIMIT_ASKED_NODES];

	for (unsigned int i = 0; i < plan->topology.nodes; i++) {
		snprintf(by_fd[i], sizeof(by_fd[i]), "/proc/self/fd/%u", MACHINE_FD_RAM + i);
		paths[i] = plan->ram_paths ? plan->ram_paths[i] : by_fd[i];
	}
	return qemu_topology_args(
		&(struct qemu_topology){
			.topology = &plan->topology,
			.memory_bytes = plan->memory_bytes,
			.version = &plan->qemu->version,
			.accel = plan->accel,
			.ram_paths = paths,
			.share = !plan->ram_private,
			.cpu_extra = plan->deterministic ? "-rdrand,-rdseed" : NULL,
		},
		argv);
}

/* The console's file is always writable, so the guest never waits for its reader. */
static void add_console(struct argv *argv)
{
	argv_option(argv, "-chardev", "file,id=console,path=/proc/self/fd/%d,append=on",
		    MACHINE_FD_CONSOLE);
	argv_option(argv, "-device", "isa-serial,chardev=console");
}

static void add_channel(const struct machine_plan *plan, struct argv *argv)
{
	if (plan->deterministic) {
		/* Nothing that interrupts from outside: output leaves byte by byte, at once. */
		argv_option(argv, "-chardev", "file,id=debug,path=/proc/self/fd/%d,append=on",
			    MACHINE_FD_DEBUG);
		argv_option(argv, "-device", "isa-debugcon,iobase=0xe9,chardev=debug");
		return;
	}
	/*
	 * No vmgenid: qboot stops at its ACPI table, and the agent reseeds a clone's random
	 * numbers before it runs anything.
	 */
	argv_option(argv, "-chardev", "socket,id=control,fd=%d", MACHINE_FD_CONTROL);
	argv_option(argv, "-device", "virtio-serial-pci,id=serial,max_ports=4");
	argv_option(argv, "-device", "virtserialport,chardev=control,name=ktstr.ctl,id=port");
}

static void add_monitors(const struct machine_plan *plan, struct argv *argv)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	argv_option(argv, "-chardev", "socket,id=monitor,fd=%d", MACHINE_FD_QMP);
	argv_option(argv, "-mon", "chardev=monitor,mode=control");
	if (!plan->monitor_socket)
		return;
	argv_append_value(&path, plan->monitor_socket);
	argv_option(argv, "-chardev", "socket,id=others,path=%s,server=on,wait=off",
		    strbuf_str(&path));
	argv_option(argv, "-mon", "chardev=others,mode=control");
}

static void add_content(const struct machine_plan *plan, struct argv *argv)
{
	/* Where the state comes from is said through the monitor. */
	if (plan->incoming) {
		argv_option(argv, "-incoming", "defer");
		argv_add(argv, "-S");
		return;
	}
	argv_option(argv, "-kernel", "%s", plan->kernel_path);
	argv_option(argv, "-initrd", "/proc/self/fd/%d", MACHINE_FD_INITRD);
	argv_option(argv, "-append", "%s", plan->kernel_args);
}

static void add_machine(const struct machine_plan *plan, struct argv *argv)
{
	const char *bios = qemu_topology_bios(&plan->topology);

	argv_option(argv, "-accel", "%s", plan->accel->qemu_accel);
	if (bios)
		argv_option(argv, "-bios", "%s", bios);
	argv_add(argv, "-nodefaults");
	argv_add(argv, "-no-user-config");
	argv_option(argv, "-display", "none");
	argv_add(argv, "-no-reboot");
	if (plan->deterministic) {
		/* QEMU's own random numbers, should a device ask for any. */
		argv_option(argv, "-seed", "1");
		argv_option(argv, "-icount", "shift=%u,sleep=off", plan->icount_shift);
		argv_option(argv, "-rtc", "base=2026-01-01T00:00:00,clock=vm");
	} else {
		/* A guest that ended stays to be looked at. */
		argv_option(argv, "-action", "shutdown=pause,panic=pause");
	}
}

struct error *machine_args(const struct machine_plan *plan, struct argv *ret)
{
	_cleanup_argv_ struct argv argv = { 0 };
	struct error *err;

	argv_add(&argv, plan->qemu->path);
	add_machine(plan, &argv);
	err = add_topology(plan, &argv);
	if (err)
		return err;
	add_console(&argv);
	add_channel(plan, &argv);
	add_monitors(plan, &argv);
	add_content(plan, &argv);
	*ret = argv;
	argv = (struct argv){ 0 };
	return NULL;
}

struct error *machine_args_key(const struct machine_plan *plan, struct strbuf *into)
{
	struct machine_plan shared = *plan;
	_cleanup_argv_ struct argv argv = { 0 };
	struct error *err;

	shared.ram_paths = NULL;
	shared.ram_private = false;
	add_machine(&shared, &argv);
	err = add_topology(&shared, &argv);
	if (err)
		return err;
	add_console(&argv);
	add_channel(&shared, &argv);
	argv_format(&argv, into);
	return NULL;
}
