// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/doctor/doctor.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "text/number.h"
#include "topo/machine.h"
#include "vm/vm.h"

enum { CLONES = 20 };

#define BOOT_SHAPE "1n1l2c1t"

static const char *const shapes[] = { "1n1l1c1t", "1n2l2c1t", "1n2l2c2t", "2n4l2c1t" };

/* One guest up and gone; *ret_ns is how long until it answered. */
static struct error *try_guest(enum vm_accel_wish wish, const struct kernel *kernel,
			       const char *shape, bool cold, struct strbuf *release,
			       uint64_t *ret_ns)
{
	struct vm_spec spec = { .kernel = kernel, .accel = wish, .cold = cold };
	_cleanup_topo_machine_ struct topo_machine *machine = NULL;
	_cleanup_vm_ struct vm *vm = NULL;
	uint64_t start_ns;
	struct error *err;

	err = topo_parse(shape, &spec.topology);
	if (err)
		return err;
	start_ns = clock_monotonic_ns();
	err = vm_start(&spec, NULL, &vm);
	*ret_ns = clock_monotonic_ns() - start_ns;
	if (!err)
		err = vm_read_topology(vm, NULL, &machine);
	if (!err)
		err = topo_compare(&spec.topology, machine);
	if (!err && release)
		strbuf_append(release, vm_facts(vm).release);
	return error_wrap(err, "%s", shape);
}

struct error *kvm_guests_boot(enum vm_accel_wish wish, struct strbuf *notes)
{
	_cleanup_kernel_ struct kernel *kernel = NULL;
	struct error *err = kernel_resolve(NULL, &kernel);
	uint64_t took_ns = 0;

	if (err)
		return err;
	err = try_guest(wish, kernel, BOOT_SHAPE, true, notes, &took_ns);
	/* What is found here spares everybody else the limit of the first boot. */
	if (wish == VM_ACCEL_WISH_KVM && err)
		vm_accel_kvm_boot_failed(error_message(err));
	if (wish == VM_ACCEL_WISH_KVM && !err)
		vm_accel_kvm_boot_worked();
	if (err)
		return err;
	strbuf_append(notes, " answered after ");
	text_format_duration(notes, took_ns);
	return NULL;
}

struct error *kvm_guests_topology(enum vm_accel_wish wish, struct strbuf *notes)
{
	_cleanup_kernel_ struct kernel *kernel = NULL;
	struct error *err = kernel_resolve(NULL, &kernel);
	uint64_t took_ns = 0;

	for (size_t i = 0; i < ARRAY_SIZE(shapes) && !err; i++) {
		err = try_guest(wish, kernel, shapes[i], true, NULL, &took_ns);
		if (!err)
			strbuf_appendf(notes, "%s%s", i ? ", " : "", shapes[i]);
	}
	if (!err)
		strbuf_append(notes, " read back as asked for");
	return err;
}

static int by_value(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

struct error *kvm_guests_clones(enum vm_accel_wish wish, struct strbuf *notes)
{
	_cleanup_kernel_ struct kernel *kernel = NULL;
	uint64_t took_ns[CLONES], template_ns = 0;
	struct error *err;

	err = kernel_resolve(NULL, &kernel);
	/* The first makes the template, or finds one. */
	if (!err)
		err = try_guest(wish, kernel, BOOT_SHAPE, false, NULL, &template_ns);
	for (size_t i = 0; i < CLONES; i++) {
		if (!err)
			err = error_wrap(
				try_guest(wish, kernel, BOOT_SHAPE, false, NULL, &took_ns[i]),
				"clone %zu of %d", i + 1, CLONES);
	}
	if (err)
		return err;
	qsort(took_ns, CLONES, sizeof(took_ns[0]), by_value);
	strbuf_appendf(notes, "%d of %d answered, after ", CLONES, CLONES);
	text_format_duration(notes, took_ns[0]);
	strbuf_append(notes, " / ");
	text_format_duration(notes, took_ns[CLONES / 2]);
	strbuf_append(notes, " / ");
	text_format_duration(notes, took_ns[CLONES - 1]);
	strbuf_append(notes, " (least, median, most); the template's first guest after ");
	text_format_duration(notes, template_ns);
	return NULL;
}
