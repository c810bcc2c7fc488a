// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/state.h"

#include <string.h>
#include <fcntl.h>
#include <sys/random.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "vm/image/image.h"
#include "vm/link/settle.h"

enum {
	/* The clock of a clone may be ahead by what QEMU needs to start it running. */
	CLOCK_SLACK_MS = 2000,
	QMP_WAIT_SEC = 60,
	SAVE_WAIT_SEC = 120,
	POLL_MS = 5,
};

/* Before 8.2 QEMU knew no files; a shell command does, if the path lets it. */
static struct error *move(struct vm *vm, const char *command, const char *shell_verb,
			  const char *path)
{
	static const char capability[] =
		"{\"capabilities\":[{\"capability\":\"x-ignore-shared\",\"state\":true},"
		"{\"capability\":\"events\",\"state\":true}]}";
	_cleanup_free_ char *uri = NULL, *arguments = NULL;
	struct error *err;

	if (vm_qemu_version_at_least(&vm->qemu->version, 8, 2))
		uri = xasprintf("file:%s", path);
	else if (!strpbrk(path, "'\\"))
		uri = xasprintf("exec:%s '%s'", shell_verb, path);
	else
		return vm_error(VM_TEMPLATE, 0, "QEMU %s cannot use %s: a quote in the path",
				vm->qemu->version.text, path);
	arguments = vm_qmp_argument("uri", uri);
	err = vm_qmp_execute(vm->qmp, "migrate-set-capabilities", capability,
			     QMP_WAIT_SEC * NS_PER_SEC, NULL);
	if (!err)
		err = vm_qmp_execute(vm->qmp, command, arguments, QMP_WAIT_SEC * NS_PER_SEC, NULL);
	return vm_explain_monitor(vm, err, command);
}

/*
 * Begins to load; QEMU does the rest while we go on. A state that does not fit ends QEMU. Told to
 * run while it loads, QEMU may forget it: wait for vm->loaded.
 */
static struct error *load_state(struct vm *vm, const char *path)
{
	struct error *err = NULL;

	/*
	 * QEMU announces a guest that arrived to the network, on timers of the host's clock, also
	 * when there is no network; and any timer ends the turn of a CPU.
	 */
	if (vm->clock == VM_CLOCK_VIRTUAL)
		err = vm_qmp_execute(vm->qmp, "migrate-set-parameters", "{\"announce-rounds\":0}",
				     QMP_WAIT_SEC * NS_PER_SEC, NULL);
	if (!err && vm->link.mailbox)
		err = vm_mailbox_find(vm->link.mailbox, vm->pid);
	return err ? vm_explain_monitor(vm, err, "starting QEMU")
		   : move(vm, "migrate-incoming", "cat", path);
}

/* The guest stands still. Returns when the file is complete. */
static struct error *save_state(struct vm *vm, const char *path, const struct cancel *cancel)
{
	uint64_t deadline_ns = clock_monotonic_ns() + SAVE_WAIT_SEC * NS_PER_SEC;
	struct error *err = move(vm, "migrate", "cat >", path);

	while (!err) {
		_cleanup_vm_qmp_message_ struct vm_qmp_message answer = { 0 };
		struct json_text status, words;

		err = vm_qmp_execute(vm->qmp, "query-migrate", NULL, QMP_WAIT_SEC * NS_PER_SEC,
				     &answer);
		if (err)
			return vm_explain_monitor(vm, err, "saving the guest");
		status = json_string(json_find(answer.value, "status"));
		if (json_text_is(status, "completed"))
			return NULL;
		words = json_string(json_find(answer.value, "error-desc"));
		if (json_text_is(status, "failed"))
			return vm_error(VM_TEMPLATE, 0, "QEMU could not save the guest: %.*s",
					(int)words.n, words.at ? words.at : "");
		if (clock_monotonic_ns() > deadline_ns)
			return vm_error(VM_TEMPLATE, 0, "QEMU did not save the guest in %d s",
					SAVE_WAIT_SEC);
		if (!cancel_sleep(cancel, POLL_MS * NS_PER_MS))
			err = cancel_error(cancel, "saving a template");
	}
	return err;
}

struct vm_machine_plan vm_clone_plan(const struct vm *vm)
{
	return (struct vm_machine_plan){
		.qemu = vm->qemu,
		.accel = &vm->accel,
		.topology = vm->topology,
		.memory_bytes = vm->memory_bytes,
		.monitor_socket = vm->monitor_socket,
		.clock = vm->clock,
		.icount_shift = vm->speed.shift,
		.seed = vm->seed,
	};
}

/* A build-id stays with its kernel; without one the file itself has to do. */
static void add_kernel(const struct kernel *kernel, enum vm_clock_kind clock, struct strbuf *into)
{
	enum kernel_file_kind image = kernel->bzimage_path && clock == VM_CLOCK_REAL
					      ? KERNEL_BZIMAGE
					      : KERNEL_VMLINUX;

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

/* It decides how the CPUs took turns while the template booted. */
static void add_plugin(unsigned int shift, struct strbuf *into)
{
	struct bytes image = vm_plugin_image();

	strbuf_appendf(into, "\nplugin %016llx turn %u",
		       (unsigned long long)hash_bytes(HASH_INIT, image.at, image.n),
		       vm_speed_turn(shift));
}

struct error *vm_clone_key(const struct vm *vm, const struct vm_spec *spec,
			   uint64_t vm_initramfs_identity, struct strbuf *into)
{
	struct vm_machine_plan plan = vm_clone_plan(vm);

	add_kernel(spec->kernel, spec->clock, into);
	strbuf_append(into, "topology ");
	topo_format(&vm->topology, into);
	strbuf_appendf(into, "\nmemory %llu\nqemu %s %s\ninitramfs %016llx\narguments ",
		       (unsigned long long)vm->memory_bytes, vm->qemu->path, vm->qemu->version.text,
		       (unsigned long long)vm_initramfs_identity);
	vm_boot_format_args(&spec->topology, spec->clock, spec->kernel_args, into);
	if (spec->clock == VM_CLOCK_VIRTUAL)
		add_plugin(vm->speed.shift, into);
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
		err = load_state(vm, vm->template->state_path);
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

/*
 * What boot left behind is done once, here, and not by every clone: self-tests of the kernel, RCU
 * callbacks, deferred frees. A guest that stays busy is saved as well: each clone has to prove
 * itself before its work begins, and is told apart there.
 */
static struct error *settle(struct vm *vm, const struct cancel *cancel)
{
	struct vm_settled settled;
	struct error *err = vm_settle(vm, cancel, &settled);

	if (error_is(err, &vm_error_domain, VM_BUSY)) {
		vm_say(vm, "%s", error_message(err));
		error_free(take_ptr(err));
	}
	if (!err && vm->clock == VM_CLOCK_VIRTUAL)
		err = vm_await_hold(vm, clock_monotonic_ns() + SAVE_WAIT_SEC * NS_PER_SEC, cancel);
	return err;
}

/*
 * The guest told its topology after it was asked, so its clock has not gone on by more than our
 * time since the question. When the answer, or READY, was seen says nothing: we may have been
 * stopped. A virtual clock does not follow ours; there the guest is held after its last word.
 */
static uint64_t latest_guest_ns(const struct vm *vm)
{
	if (vm->clock == VM_CLOCK_VIRTUAL)
		return vm->link.last_ns;
	return vm->told_guest_ns + clock_monotonic_ns() - vm->asked_ns;
}

/* Stopped and written; the proof is what its clones must be able to repeat. */
static struct error *save(struct vm *vm, const char *dir, const struct cancel *cancel,
			  struct vm_template_proof *ret)
{
	_cleanup_free_ char *state = xasprintf("%s/state", dir);
	struct error *err = settle(vm, cancel);

	if (!err)
		err = vm_freeze(vm);
	if (err)
		return err;
	*ret = vm_clone_proof(vm, latest_guest_ns(vm));
	err = save_state(vm, state, cancel);
	return err ? err : save_ram(vm, dir);
}

void vm_clone_nonce_of(const struct kernel *kernel, const struct strbuf *arguments,
		       const struct strbuf *initramfs, uint8_t nonce[WIRE_NONCE_BYTES])
{
	uint64_t hash = kernel->build_id
				? hash_bytes(HASH_INIT, kernel->build_id, strlen(kernel->build_id))
				: kernel->files[KERNEL_VMLINUX].hash;

	hash = hash_bytes(hash, arguments->at, arguments->n);
	hash = hash_bytes(hash, initramfs->at, initramfs->n);
	for (size_t i = 0; i < WIRE_NONCE_BYTES; i++) {
		nonce[i] = (uint8_t)(hash_u64(hash) >> 56);
		hash = hash_bytes(hash, &i, sizeof(i));
	}
}

struct error *vm_clone_save_template(struct vm_template_draft *draft, struct vm *vm,
				     const struct vm_spec *spec, const struct strbuf *initramfs,
				     const struct cancel *cancel, struct vm_template_proof *ret)
{
	_cleanup_strbuf_ struct strbuf arguments = STRBUF_INIT;
	struct vm_machine_plan plan = vm_clone_plan(vm);
	uint8_t nonce[WIRE_NONCE_BYTES];
	struct error *err;

	err = vm_boot_image(spec->kernel, spec->clock, &plan.kernel_path);
	if (err)
		return err;
	vm_boot_format_args(&spec->topology, spec->clock, spec->kernel_args, &arguments);
	plan.kernel_args = strbuf_str(&arguments);
	if (spec->clock == VM_CLOCK_VIRTUAL)
		vm_clone_nonce_of(spec->kernel, &arguments, initramfs, nonce);
	else if (getrandom(nonce, sizeof(nonce), 0) != sizeof(nonce))
		return vm_error(VM_TEMPLATE, errno, "cannot get random bytes for a nonce");
	err = vm_boot_make_files(vm, initramfs);
	if (!err)
		err = vm_open_run_dir(vm);
	if (!err)
		err = vm_boot_until_ready(vm, &plan, nonce, 0, cancel);
	if (!err && memcmp(vm->ready.nonce, nonce, sizeof(nonce)) != 0)
		err = vm_error(VM_AGENT, 0, "the agent did not keep the nonce");
	if (!err)
		err = vm_template_draft_make_dir(draft);
	if (!err)
		err = vm_template_draft_explain(draft, save(vm, draft->dir, cancel, ret));
	if (err)
		return error_wrap(err, "making a template");
	vm_kill(vm);
	return NULL;
}
