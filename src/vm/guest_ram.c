// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/state.h"

#include <fcntl.h>
#include <string.h>
#include <sys/un.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "procfs/task.h"

/* docs/PROTOCOL.md: what stands at the start of the page with the nonce. */
#define IDENTITY_MAGIC "KTSTRID1"
struct identity {
	char magic[8];
	uint8_t nonce[WIRE_NONCE_BYTES];
	uint32_t generation;
	uint32_t reserved;
};
_Static_assert(sizeof(struct identity) == 32, "as docs/PROTOCOL.md has it");

static struct error *layout_of(const struct vm *vm, struct physmap_layout *ret)
{
	uint64_t sizes[TOPO_LIMIT_ASKED_NODES];

	for (unsigned int i = 0; i < vm->topology.nodes; i++)
		sizes[i] = vm_qemu_node_bytes(&vm->topology, vm->memory_bytes, i);
	return physmap_from_backends(PHYSMAP_Q35, sizes, vm->topology.nodes, ret);
}

struct error *vm_guest_ram_locate(struct vm *vm)
{
	_cleanup_procfs_proc_maps_ struct procfs_maps maps = { 0 };
	struct error *err = procfs_maps_read("/proc", vm->pid, &maps);

	if (err)
		return error_recast(err, &vm_error_domain, VM_CLONE);
	for (unsigned int i = 0; i < vm->topology.nodes; i++) {
		/* The kernel shows the path with its links resolved. */
		_cleanup_free_ char *path = realpath(vm->template->ram_paths[i], NULL);

		vm->ram_addresses[i] = 0;
		for (size_t k = 0; path && k < maps.rows.n; k++) {
			const struct procfs_map *row = &maps.rows.at[k];

			if (row->file_offset == 0 && !row->shared && strcmp(row->path, path) == 0)
				vm->ram_addresses[i] = row->start;
		}
		if (vm->ram_addresses[i] == 0)
			return vm_error(VM_CLONE, 0, "QEMU has not mapped %s",
					vm->template->ram_paths[i]);
	}
	return NULL;
}

struct error *vm_physmap(const struct vm *vm, struct physmap **ret)
{
	_cleanup_physmap_layout_ struct physmap_layout layout = { 0 };
	struct error *err = layout_of(vm, &layout);

	if (err)
		return err;
	if (vm->cloned)
		return physmap_layout_bind(&layout, NULL, vm->pid, vm->ram_addresses, ret);
	return physmap_layout_bind(&layout, vm->ram_fds, 0, NULL, ret);
}

/* The map of vm_physmap() in words for other processes. */
static struct error *describe(const struct vm *vm, struct vm_run_info *info)
{
	_cleanup_physmap_layout_ struct physmap_layout layout = { 0 };
	struct error *err = layout_of(vm, &layout);

	for (size_t i = 0; !err && i < layout.ranges.n; i++) {
		const struct physmap_range *range = &layout.ranges.at[i];
		struct vm_run_ram ram = {
			.guest_address = range->start,
			.size_bytes = range->length,
			.file = vm->cloned ? xstrdup(vm->template->ram_paths[range->backend])
					   : xasprintf("/proc/%d/fd/%u", vm->pid,
						       VM_MACHINE_FD_RAM + range->backend),
			.offset_bytes = range->offset,
			.is_private = vm->cloned,
		};

		if (vm->cloned) {
			ram.pid = vm->pid;
			ram.address = vm->ram_addresses[range->backend] + range->offset;
		}
		vec_push(&info->ram, ram);
	}
	return err;
}

struct error *vm_guest_ram_check_nonce(const struct vm *vm, const struct vm_template_proof *proof)
{
	_cleanup_physmap_ struct physmap *map = NULL;
	struct identity page;
	struct error *err;

	/* A kernel that hides physical addresses leaves the proof to the agent's word. */
	if (proof->nonce_phys == 0)
		return NULL;
	err = vm_physmap(vm, &map);
	if (!err)
		err = physmap_read_exact(map, proof->nonce_phys, &page, sizeof(page));
	if (err)
		return error_recast(err, &vm_error_domain, VM_CLONE);
	if (memcmp(page.magic, IDENTITY_MAGIC, sizeof(page.magic)) != 0 ||
	    memcmp(page.nonce, proof->nonce, sizeof(page.nonce)) != 0 ||
	    page.generation != proof->generation)
		return vm_error(VM_CLONE, 0, "its RAM does not hold the template's nonce at %#llx",
				(unsigned long long)proof->nonce_phys);
	return NULL;
}

struct error *vm_open_run_dir(struct vm *vm)
{
	struct error *err = vm_run_dir_new(&vm->run_dir);

	if (err)
		return err;
	vm->console_path = vm_run_dir_file(vm->run_dir, "console.log");
	vm->console_fd = open(vm->console_path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC,
			      0600);
	if (vm->console_fd < 0)
		return vm_error(VM_QEMU_FAILED, errno, "cannot create %s", vm->console_path);
	vm->monitor_socket = vm_run_dir_file(vm->run_dir, "qmp.sock");
	/* A path that is too long for a socket costs others the monitor, not us the guest. */
	if (strlen(vm->monitor_socket) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		free(take_ptr(vm->monitor_socket));
	return NULL;
}

struct error *vm_publish(struct vm *vm)
{
	struct vm_run_info info = {
		.qemu = vm_run_process_of(vm->pid),
		.started_at_sec = clock_unix_sec(),
		.kernel_id = vm->kernel_id,
		.kernel_release = vm->kernel_release,
		.kernel_build_id = vm->kernel_build_id,
		.memory_bytes = vm->memory_bytes,
		.accel = (char *)vm->accel.name,
		.accel_reason = vm->accel.reason,
		.deterministic = vm->clock == VM_CLOCK_VIRTUAL,
		.template = vm->template_key,
		.qmp_socket = vm->monitor_socket,
		.console_log = vm->console_path,
	};
	_cleanup_strbuf_ struct strbuf topology = STRBUF_INIT;
	struct error *err;

	topo_format(&vm->topology, &topology);
	info.topology = topology.at;
	err = describe(vm, &info);
	if (!err)
		err = vm_run_dir_publish(vm->run_dir, &info);
	for (size_t i = 0; i < info.ram.n; i++)
		free(info.ram.at[i].file);
	vec_deinit(&info.ram);
	free(info.id);
	return error_wrap(err, "telling others about the guest");
}
