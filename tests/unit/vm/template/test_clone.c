// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/state.h"

#include "base/clock.h"
#include "dirs.h"

static char qemu_path[] = "/usr/bin/qemu-system-x86_64", other_path[] = "/opt/qemu";
static char text_10_0[] = "10.0.2 (Debian)", text_10_1[] = "10.1.0";
static char build_id[] = "0123456789abcdef", other_id[] = "fedcba9876543210";
static char dir[] = "/cache/kernels/k", image[] = "/cache/kernels/k/bzImage";
static char vmlinux[] = "/cache/kernels/k/vmlinux";

static const struct vm_template_proof proof = {
	.nonce = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 },
	.nonce_phys = 4096,
	.generation = 1,
	.monotonic_ns = 5 * NS_PER_SEC,
	.monotonic_limit_ns = 7 * NS_PER_SEC,
};

static struct wire_ready good_ready(void)
{
	struct wire_ready ready = { .generation = 2,
				    .nonce_phys = 4096,
				    .monotonic_ns = 6 * NS_PER_SEC,
				    .online_cpus = 4 };

	memcpy(ready.nonce, proof.nonce, sizeof(ready.nonce));
	return ready;
}

static void assert_unproven(const struct wire_ready *ready, const char *words)
{
	_cleanup_error_ struct error *err = vm_clone_prove(&proof, ready, 4, NS_PER_SEC);

	if (!err)
		fail_msg("believed, though %s", words);
	assert_string_equal(error_tag(err), "clone-proof");
	assert_contains(error_message(err), words);
}

static void a_clone_with_the_templates_nonce_is_accepted(void **state UNUSED)
{
	struct wire_ready ready = good_ready();

	assert_success(vm_clone_prove(&proof, &ready, 4, NS_PER_SEC));
	ready.monotonic_ns = proof.monotonic_ns;
	assert_success(vm_clone_prove(&proof, &ready, 4, NS_PER_SEC));
	/* Stopped at 7, ran for one, and two are forgiven. */
	ready.monotonic_ns = 10 * NS_PER_SEC;
	assert_success(vm_clone_prove(&proof, &ready, 4, NS_PER_SEC));
}

static void a_guest_with_another_nonce_is_refused(void **state UNUSED)
{
	struct wire_ready ready;

	for (size_t i = 0; i < sizeof(ready.nonce); i++) {
		ready = good_ready();
		ready.nonce[i] ^= 0x80;
		assert_unproven(&ready, "nonce");
	}
	ready = good_ready();
	ready.nonce_phys += 4096;
	assert_unproven(&ready, "nonce");
	ready = good_ready();
	ready.generation = 1;
	assert_unproven(&ready, "greeted 1 times, that of a clone is greeted 2 times");
	ready.generation = 3;
	assert_unproven(&ready, "greeted 3 times");
	ready = good_ready();
	ready.monotonic_ns = proof.monotonic_ns - 1;
	assert_unproven(&ready, "its clock shows 4999999999 ns");
	ready.monotonic_ns = 10 * NS_PER_SEC + 1;
	assert_unproven(&ready, "its clock shows 10000000001 ns");
	ready = good_ready();
	ready.online_cpus = 3;
	assert_unproven(&ready, "it has 3 CPUs, its template had 4");
}

struct world {
	struct vm_qemu_binary qemu;
	struct kernel kernel;
	struct vm vm;
	struct vm_spec spec;
	uint64_t initramfs;
};

static void set_topology(struct world *w, const char *text)
{
	assert_success(topo_parse(text, &w->spec.topology));
	w->vm.topology = w->spec.topology;
}

static void make_world(struct world *w)
{
	memset(w, 0, sizeof(*w));
	w->qemu = (struct vm_qemu_binary){ .path = qemu_path, .version = { 10, 0, 2, text_10_0 } };
	w->kernel = (struct kernel){
		.build_id = build_id, .dir = dir, .bzimage_path = image, .vmlinux_path = vmlinux
	};
	w->vm.qemu = &w->qemu;
	w->vm.accel = (struct vm_accel){ .kind = VM_ACCEL_TCG,
					 .qemu_accel = "tcg,thread=single",
					 .qemu_cpu = "Nehalem,level=32" };
	w->vm.memory_bytes = 512 << 20;
	w->spec.kernel = &w->kernel;
	w->initramfs = 0x1122334455667788;
	set_topology(w, "1n2l2c1t");
}

static char *key_of(const struct world *w)
{
	_cleanup_strbuf_ struct strbuf key = STRBUF_INIT;

	assert_success(vm_clone_key(&w->vm, &w->spec, w->initramfs, &key));
	return strbuf_take(&key);
}

static void the_key_says_what_a_template_depends_on(void **state UNUSED)
{
	_cleanup_free_ char *key = NULL;
	struct world w;

	make_world(&w);
	w.spec.kernel_args = "my.option=1";
	key = key_of(&w);
	assert_contains(key, "kernel 0123456789abcdef bzImage\n");
	assert_contains(key, "topology 1n2l2c1t\n");
	assert_contains(key, "memory 536870912\n");
	assert_contains(key, "qemu /usr/bin/qemu-system-x86_64 10.0.2 (Debian)\n");
	assert_contains(key, "initramfs 1122334455667788\n");
	assert_contains(key, " my.option=1\n");
	assert_contains(key, "-cpu Nehalem,level=32 ");
	assert_contains(key, "-smp 4,sockets=1,dies=2,cores=2,threads=1");
}

enum { CHANGES = 16 };

static void change(struct world *w, int i)
{
	switch (i) {
	case 0:
		break;
	case 1:
		set_topology(w, "1n1l4c1t");
		break;
	case 2:
		w->vm.memory_bytes *= 2;
		break;
	case 3:
		w->qemu.version = (struct vm_qemu_version){ 10, 1, 0, text_10_1 };
		break;
	case 4:
		w->qemu.path = other_path;
		break;
	case 5:
		w->spec.kernel_args = "nokaslr";
		break;
	case 6:
		w->spec.kernel_args = "nokaslr debug";
		break;
	case 7:
		w->vm.accel.qemu_cpu = "Haswell,level=32";
		break;
	case 8:
		w->vm.accel.qemu_accel = "kvm";
		break;
	case 9:
		w->kernel.build_id = other_id;
		break;
	case 10:
		w->kernel.bzimage_path = NULL;
		break;
	case 11:
		w->initramfs++;
		break;
	case 12:
		set_topology(w, "1n2l2c1t,mem=512M");
		break;
	case 13:
		w->kernel.build_id = NULL;
		break;
	case 14:
		w->kernel.config_path = dir;
		break;
	case 15:
		w->kernel.files[KERNEL_CONFIG].hash = 1;
		w->kernel.config_path = dir;
		break;
	}
}

static void any_changed_input_changes_the_template_key(void **state UNUSED)
{
	char *keys[CHANGES], *names[CHANGES];

	for (int i = 0; i < CHANGES; i++) {
		struct world w;

		make_world(&w);
		change(&w, i);
		keys[i] = key_of(&w);
		names[i] = vm_template_name(keys[i]);
		assert_int_equal(strlen(names[i]), 16);
		for (int j = 0; j < i; j++)
			if (strcmp(keys[i], keys[j]) == 0 || strcmp(names[i], names[j]) == 0)
				fail_msg("changes %d and %d give the same template", j, i);
	}
	for (int i = 0; i < CHANGES; i++) {
		free(keys[i]);
		free(names[i]);
	}
}

/* Without a build-id the same directory may hold another kernel tomorrow. */
static void a_kernel_without_a_build_id_is_known_by_its_file(void **state UNUSED)
{
	_cleanup_free_ char *first = NULL, *second = NULL;
	struct world w;

	make_world(&w);
	w.kernel.build_id = NULL;
	w.kernel.files[KERNEL_BZIMAGE] = (struct kernel_file){ true, 1000, 0xabc };
	first = key_of(&w);
	w.kernel.files[KERNEL_BZIMAGE].hash++;
	second = key_of(&w);
	assert_string_not_equal(first, second);
}

static void the_template_key_ignores_properties_of_one_run(void **state UNUSED)
{
	static int calls;
	_cleanup_free_ char *first = NULL, *second = NULL;
	struct world w;

	make_world(&w);
	first = key_of(&w);
	/* What belongs to one run only. */
	w.vm.console_fd = 77;
	w.vm.pid = 99;
	w.spec.say_context = &calls;
	w.spec.accel = VM_ACCEL_WISH_TCG;
	second = key_of(&w);
	assert_string_equal(first, second);
}

static void nonce_of(const struct world *w, const char *arguments, const char *initramfs,
		     uint8_t nonce[WIRE_NONCE_BYTES])
{
	_cleanup_strbuf_ struct strbuf args = STRBUF_INIT, archive = STRBUF_INIT;

	strbuf_append(&args, arguments);
	strbuf_append(&archive, initramfs);
	vm_clone_nonce_of(&w->kernel, &args, &archive, nonce);
}

/* The nonce of a virtual machine is in its first frame: two hosts must not differ in it. */
static void a_virtual_machines_nonce_follows_from_its_content(void **state UNUSED)
{
	uint8_t first[WIRE_NONCE_BYTES], other[WIRE_NONCE_BYTES];
	struct world w;

	make_world(&w);
	nonce_of(&w, "quiet", "archive", first);
	w.kernel.dir = other_path;
	w.kernel.vmlinux_path = other_path;
	nonce_of(&w, "quiet", "archive", other);
	assert_memory_equal(first, other, sizeof(first));
	w.kernel.build_id = NULL;
	nonce_of(&w, "quiet", "archive", first);
	w.kernel.dir = dir;
	nonce_of(&w, "quiet", "archive", other);
	assert_memory_equal(first, other, sizeof(first));
}

static void a_virtual_machine_that_boots_other_bytes_has_another_nonce(void **state UNUSED)
{
	uint8_t first[WIRE_NONCE_BYTES], other[WIRE_NONCE_BYTES];
	struct world w;

	make_world(&w);
	nonce_of(&w, "quiet", "archive", first);
	nonce_of(&w, "quiet", "archivf", other);
	assert_memory_not_equal(first, other, sizeof(first));
	nonce_of(&w, "debug", "archive", other);
	assert_memory_not_equal(first, other, sizeof(first));
	w.kernel.build_id = other_id;
	nonce_of(&w, "quiet", "archive", other);
	assert_memory_not_equal(first, other, sizeof(first));
	w.kernel.build_id = NULL;
	w.kernel.files[KERNEL_VMLINUX].hash = 1;
	nonce_of(&w, "quiet", "archive", first);
	w.kernel.files[KERNEL_VMLINUX].hash = 2;
	nonce_of(&w, "quiet", "archive", other);
	assert_memory_not_equal(first, other, sizeof(first));
}

/* A QEMU that ends at once is told as such, and nothing stays open. */
static void a_clone_whose_qemu_ends_says_so(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *program = put_file(f, "qemu",
						"#!/bin/sh\necho no clones here >&2\n"
						"exit 3\n",
						0700);
	struct vm_template *template = xnew(struct vm_template);
	_cleanup_error_ struct error *err = NULL;
	_cleanup_vm_ struct vm *vm = NULL;
	struct world w;

	setenv("KTSTR_RUN_DIR", f->top, 1);
	make_world(&w);
	vm = vm_new(&w.spec);
	vm->accel = w.vm.accel;
	vm->qemu = xnew(struct vm_qemu_binary);
	vm->qemu->path = xstrdup(program);
	vm->qemu->version = (struct vm_qemu_version){ 10, 0, 2, xstrdup(text_10_0) };
	template->lock_fd = -1;
	template->state_path = xasprintf("%s/state", f->top);
	template->ram_paths[template->n_ram++] = xasprintf("%s/ram.0", f->top);
	vm->template = template;
	assert_success(vm_open_run_dir(vm));
	err = vm_clone_launch(vm);
	assert_non_null(err);
	assert_string_equal(error_tag(err), "qemu-failed");
	assert_contains(error_message(err), "no clones here");
	assert_contains(error_message(err), "starting a clone");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clone_with_the_templates_nonce_is_accepted),
		cmocka_unit_test(a_guest_with_another_nonce_is_refused),
		cmocka_unit_test(the_key_says_what_a_template_depends_on),
		cmocka_unit_test(any_changed_input_changes_the_template_key),
		cmocka_unit_test(a_kernel_without_a_build_id_is_known_by_its_file),
		cmocka_unit_test(the_template_key_ignores_properties_of_one_run),
		cmocka_unit_test(a_virtual_machines_nonce_follows_from_its_content),
		cmocka_unit_test(a_virtual_machine_that_boots_other_bytes_has_another_nonce),
		cmocka_unit_test_setup_teardown(a_clone_whose_qemu_ends_says_so, make_dirs,
						remove_dirs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
