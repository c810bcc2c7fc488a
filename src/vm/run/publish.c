// SPDX-License-Identifier: LGPL-2.1-or-later
/* The run folder: what others can see of a guest, and where its console goes. */
#include <fcntl.h>
#include <string.h>
#include <sys/un.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "vm/state.h"

struct error *vm_open_run_folder(struct vm *vm)
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
		.template = vm->template_key,
		.qmp_socket = vm->monitor_socket,
		.console_log = vm->console_path,
	};
	_cleanup_strbuf_ struct strbuf topology = STRBUF_INIT;
	struct error *err;

	topo_format(&vm->topology, &topology);
	info.topology = topology.at;
	err = vm_guest_ram_describe(vm, &info);
	if (!err)
		err = vm_run_dir_publish(vm->run_dir, &info);
	for (size_t i = 0; i < info.ram.n; i++)
		free(info.ram.at[i].file);
	vec_deinit(&info.ram);
	free(info.id);
	return error_wrap(err, "telling others about the guest");
}
