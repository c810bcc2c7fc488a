// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the host sees of a guest from outside, against what a program inside says about
 * itself; and what a handle does when threads and time go on around it.
 */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "unit.h"
#include "vm/link/exec.h"
#include "vm/image/image.h"

enum { MOMENTS = 200 };

static struct kernel *kernel;

static struct vm_spec spec_of(bool cold)
{
	return (struct vm_spec){ .kernel = kernel, .topology = TOPO_DEFAULT, .cold = cold };
}

static int find_kernel(void **state UNUSED)
{
	error_free(kernel_resolve(NULL, &kernel));
	return 0;
}

static int drop_kernel(void **state UNUSED)
{
	kernel_free(kernel);
	return 0;
}

static void send_marker(struct vm *vm)
{
	_cleanup_vm_guest_files_ struct vm_guest_files *files = vm_guest_files_new(NULL);
	_cleanup_strbuf_ struct strbuf archive = STRBUF_INIT;
	_cleanup_free_ char *spec = xasprintf("%s:marker", getenv("KTSTR_MARKER"));
	struct wire_cpio_writer writer;

	wire_cpio_writer_init(&writer, wire_cpio_strbuf_sink, &archive);
	assert_success(vm_guest_files_add_spec(files, spec));
	assert_success(vm_guest_files_write(files, &writer));
	assert_success(vm_put_bytes(vm, "/", archive.at, archive.n, NULL, NULL));
}

static struct error *collect(void *context, enum vm_stream stream UNUSED, const void *bytes,
			     size_t n)
{
	strbuf_append_bytes(context, bytes, n);
	return NULL;
}

static void run(struct vm *vm, const char *script, struct strbuf *out)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct vm_end end;

	assert_success(vm_exec(
		vm,
		&(struct vm_command){
			.argv = argv, .stdin_fd = -1, .on_output = collect, .context = out },
		NULL, &end));
	assert_int_equal(end.how, WIRE_END_EXITED);
	assert_int_equal(end.value, 0);
}

struct marks {
	uint64_t phys, spin_start, spin_end;
};

/* The marker spins on while we look. */
static struct marks start_marker(struct vm *vm)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct marks marks;

	send_marker(vm);
	run(vm,
	    "./marker >/tmp/marks & while [ ! -s /tmp/marks ]; do sleep 0.1; done; cat /tmp/marks",
	    &out);
	assert_int_equal(sscanf(strbuf_str(&out), "%" SCNx64 " %" SCNx64 " %" SCNx64, &marks.phys,
				&marks.spin_start, &marks.spin_end),
			 3);
	return marks;
}

static void check_page(struct vm *vm, uint64_t phys)
{
	_cleanup_physmap_ struct physmap *map = NULL;
	uint64_t page[512];

	assert_success(vm_physmap(vm, &map));
	assert_success(physmap_read_exact(map, phys, page, sizeof(page)));
	for (uint64_t i = 0; i < 512; i++)
		assert_int_equal(page[i], UINT64_C(0x6b74737472000000) + i);
	/* Between the low part and 1 MiB there is no RAM to read. */
	assert_int_equal(physmap_read(map, 0xb0000, page, 8, NULL), PHYSMAP_READ_OUTSIDE);
}

/* At one moment a CPU that spins may be in an interrupt: moments are looked at until one is not. */
static void check_registers(struct vm *vm, const struct marks *marks)
{
	bool found = false;

	for (int moment = 0; !found && moment < MOMENTS; moment++) {
		_cleanup_vm_register_list_ struct vm_register_list list = { 0 };

		assert_success(vm_freeze(vm));
		assert_success(vm_registers(vm, &list));
		assert_success(vm_thaw(vm));
		assert_int_equal(list.cpus.n, 2);
		for (size_t i = 0; i < list.cpus.n; i++)
			found |= list.cpus.at[i].user && list.cpus.at[i].rip >= marks->spin_start &&
				 list.cpus.at[i].rip < marks->spin_end;
		assert_true(cancel_sleep(NULL, 10 * NS_PER_MS));
	}
	assert_true(found);
}

static void look_inside(bool cold)
{
	_cleanup_vm_ struct vm *vm = NULL;
	struct vm_spec spec = spec_of(cold);
	struct marks marks;

	skip_unless(kernel, "no kernel is in the cache: ktstr kernel fetch");
	assert_success(vm_start(&spec, NULL, &vm));
	assert_int_equal(vm_facts(vm).cloned, !cold);
	marks = start_marker(vm);
	check_page(vm, marks.phys);
	check_registers(vm, &marks);
}

static void ram_and_registers_of_a_clone(void **state UNUSED)
{
	look_inside(false);
}

static void ram_and_registers_of_a_booted_machine(void **state UNUSED)
{
	look_inside(true);
}

static uint64_t guest_uptime_ms(struct vm *vm)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	run(vm, "cat /proc/uptime", &out);
	return (uint64_t)(strtod(strbuf_str(&out), NULL) * 1000);
}

static void time_stands_still_in_a_frozen_guest(void **state UNUSED)
{
	_cleanup_vm_ struct vm *vm = NULL;
	struct vm_spec spec = spec_of(false);
	uint64_t before, start, frozen_ms, awake_ms;

	skip_unless(kernel, "no kernel is in the cache: ktstr kernel fetch");
	assert_success(vm_start(&spec, NULL, &vm));
	before = guest_uptime_ms(vm);
	start = clock_monotonic_ns();
	assert_success(vm_freeze(vm));
	frozen_ms = clock_monotonic_ns();
	assert_true(cancel_sleep(NULL, 3 * NS_PER_SEC));
	frozen_ms = (clock_monotonic_ns() - frozen_ms) / NS_PER_MS;
	assert_success(vm_thaw(vm));
	awake_ms = guest_uptime_ms(vm) - before;
	assert_true(awake_ms + frozen_ms <= (clock_monotonic_ns() - start) / NS_PER_MS + 500);
}

struct started {
	struct vm *vm;
	struct error *err;
};

static void *start_in_a_thread(void *arg)
{
	struct started *started = arg;
	struct vm_spec spec = spec_of(false);

	started->err = vm_start(&spec, NULL, &started->vm);
	return NULL;
}

static void guest_outlives_the_thread_that_started_it(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct started started = { NULL, NULL };
	pthread_t thread;

	skip_unless(kernel, "no kernel is in the cache: ktstr kernel fetch");
	assert_int_equal(pthread_create(&thread, NULL, start_in_a_thread, &started), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_success(started.err);
	run(started.vm, "echo alive", &out);
	assert_string_equal(strbuf_str(&out), "alive\n");
	vm_free(started.vm);
}

/* One started ahead stands still until it is wanted, then proves itself like any other. */
static void prepared_guest_waits_and_then_answers(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_vm_ struct vm *vm = NULL;
	struct vm_spec spec = spec_of(false);

	skip_unless(kernel, "no kernel is in the cache: ktstr kernel fetch");
	assert_success(vm_prepare(&spec, NULL, &vm));
	assert_true(cancel_sleep(NULL, 3 * NS_PER_SEC));
	assert_success(vm_release(vm, NULL));
	run(vm, "date +%s", &out);
	/* Its clock stood still meanwhile, but the time it is told is that of now. */
	assert_in_range(strtoull(strbuf_str(&out), NULL, 10), clock_unix_sec() - 2,
			clock_unix_sec() + 1);
}

static void command_past_its_time_is_ended_and_the_guest_lives(void **state UNUSED)
{
	const char *const argv[] = { "sleep", "1000", NULL };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_vm_ struct vm *vm = NULL;
	struct vm_spec spec = spec_of(false);
	struct vm_end end;

	skip_unless(kernel, "no kernel is in the cache: ktstr kernel fetch");
	assert_success(vm_start(&spec, NULL, &vm));
	assert_error_tag(vm_exec(vm,
				 &(struct vm_command){ .argv = argv,
						       .stdin_fd = -1,
						       .timeout_ns = 300 * NS_PER_MS },
				 NULL, &end),
			 "cancelled");
	run(vm, "pidof sleep || echo none", &out);
	assert_string_equal(strbuf_str(&out), "none\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ram_and_registers_of_a_clone),
		cmocka_unit_test(ram_and_registers_of_a_booted_machine),
		cmocka_unit_test(time_stands_still_in_a_frozen_guest),
		cmocka_unit_test(guest_outlives_the_thread_that_started_it),
		cmocka_unit_test(prepared_guest_waits_and_then_answers),
		cmocka_unit_test(command_past_its_time_is_ended_and_the_guest_lives),
	};

	return cmocka_run_group_tests(tests, find_kernel, drop_kernel);
}
