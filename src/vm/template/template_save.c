// SPDX-License-Identifier: LGPL-2.1-or-later
/* The first guest of its kind: booted, stopped, written to the cache. */
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "vm/state.h"

enum {
	/* Work that boot left behind (RCU callbacks, deferred frees) is done once, here. */
	SETTLE_MS = 300,
};

static struct error *save_ram(const struct vm *vm, const char *dir)
{
	for (unsigned int i = 0; i < vm->topology.nodes; i++) {
		_cleanup_free_ char *path = xasprintf("%s/ram.%u", dir, i);
		_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		struct error *err;
		uint64_t bytes;

		if (fd < 0)
			return vm_error(VM_TEMPLATE, errno, "cannot create %s", path);
		err = vm_ram_copy_sparse(vm->ram_fds[i], fd, path, &bytes);
		if (err)
			return err;
	}
	return NULL;
}

/* Stopped and written; the proof is what its clones must be able to repeat. */
static struct error *save(struct vm *vm, const char *dir, const struct cancel *cancel,
			  struct vm_template_proof *ret)
{
	_cleanup_free_ char *state = xasprintf("%s/state", dir);
	struct error *err;

	if (!cancel_sleep(cancel, SETTLE_MS * NS_PER_MS))
		return cancel_error(cancel, "saving a template");
	err = vm_freeze(vm);
	if (err)
		return err;
	/*
	 * The guest told its topology after it was asked, so its clock has not gone on by more than
	 * our time since the question. When the answer, or READY, was seen says nothing: we may
	 * have been stopped.
	 */
	*ret = vm_clone_proof(vm, vm->told_guest_ns + clock_monotonic_ns() - vm->asked_ns);
	err = vm_state_save(vm, state, cancel);
	return err ? err : save_ram(vm, dir);
}

struct error *vm_clone_make_template(struct vm_template_draft *draft, struct vm *vm,
				     const struct vm_spec *spec, const struct strbuf *initramfs,
				     const struct cancel *cancel, struct vm_template **ret)
{
	_cleanup_strbuf_ struct strbuf arguments = STRBUF_INIT;
	struct vm_machine_plan plan = vm_clone_plan(vm);
	uint8_t nonce[WIRE_NONCE_BYTES];
	struct vm_template_proof proof;
	struct error *err;

	if (getrandom(nonce, sizeof(nonce), 0) != sizeof(nonce))
		return vm_error(VM_TEMPLATE, errno, "cannot get random bytes for a nonce");
	vm_boot_format_args(&spec->topology, false, spec->kernel_args, &arguments);
	plan.kernel_path = vm_boot_image(spec->kernel);
	plan.kernel_args = strbuf_str(&arguments);
	err = vm_boot_make_files(vm, initramfs);
	if (!err)
		err = vm_open_run_folder(vm);
	if (!err)
		err = vm_boot_until_ready(vm, &plan, nonce, 0, cancel);
	if (!err && memcmp(vm->ready.nonce, nonce, sizeof(nonce)) != 0)
		err = vm_error(VM_AGENT, 0, "the agent did not keep the nonce");
	if (!err)
		err = vm_template_draft_make_folder(draft);
	if (!err)
		err = vm_template_draft_explain(draft, save(vm, draft->dir, cancel, &proof));
	if (err)
		return error_wrap(err, "making a template");
	vm_kill(vm);
	return vm_template_draft_finish(draft, &proof, vm->topology.nodes, ret);
}
