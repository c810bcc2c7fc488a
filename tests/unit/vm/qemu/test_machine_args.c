// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/qemu/machine_args.h"

#include "unit.h"

static char path[] = "/usr/bin/qemu-system-x86_64";
static char text_7_2[] = "7.2.22 (Debian)", text_10_0[] = "10.0.2 (Debian)";
static const struct vm_qemu_binary qemu_7_2 = { .path = path, .version = { 7, 2, 22, text_7_2 } };
static const struct vm_qemu_binary qemu_10_0 = { .path = path, .version = { 10, 0, 2, text_10_0 } };
static const struct vm_accel tcg = { .kind = VM_ACCEL_TCG,
				     .qemu_accel = "tcg,thread=single",
				     .qemu_cpu = "Nehalem,vendor=GenuineIntel,level=32" };
static const struct vm_accel kvm = { .kind = VM_ACCEL_KVM,
				     .qemu_accel = "kvm",
				     .qemu_cpu = "Nehalem,vendor=GenuineIntel,level=32" };

static struct vm_machine_plan plan_of(const char *topology, uint64_t mib)
{
	struct vm_machine_plan plan = { .qemu = &qemu_10_0,
					.accel = &tcg,
					.memory_bytes = mib << 20 };

	assert_success(topo_parse(topology, &plan.topology));
	return plan;
}

static struct vm_machine_plan cold_plan(const char *topology, uint64_t mib)
{
	struct vm_machine_plan plan = plan_of(topology, mib);

	plan.kernel_path = "/cache/kernels/k/bzImage";
	plan.kernel_args = "console=ttyS0 quiet rdinit=/init";
	return plan;
}

static void assert_line(const struct vm_machine_plan *plan, const char *expected)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	_cleanup_vm_argv_ struct vm_argv argv = { VEC_INIT };

	assert_success(vm_machine_args(plan, &argv));
	vm_argv_format(&argv, &line);
	assert_string_equal(strbuf_str(&line), expected);
}

#define MACHINE_HEAD                                                                        \
	"/usr/bin/qemu-system-x86_64 -accel tcg,thread=single -bios qboot.rom -nodefaults " \
	"-no-user-config -display none -no-reboot -action shutdown=pause,panic=pause "      \
	"-machine q35 -cpu Nehalem,vendor=GenuineIntel,level=32 "
#define CHANNELS                                                                            \
	"-chardev file,id=console,path=/proc/self/fd/14,append=on "                         \
	"-device isa-serial,chardev=console "                                               \
	"-chardev socket,id=control,fd=11 -device virtio-serial-pci,id=serial,max_ports=4 " \
	"-device virtserialport,chardev=control,name=ktstr.ctl,id=port "                    \
	"-chardev socket,id=monitor,fd=10 -mon chardev=monitor,mode=control "

static void a_cold_machine_boots_from_descriptors(void **state UNUSED)
{
	static const char expected[] = MACHINE_HEAD
		"-smp 2,sockets=1,dies=1,cores=2,threads=1 -m 512M "
		"-object memory-backend-file,id=ram0,size=536870912,"
		"mem-path=/proc/self/fd/16,share=on "
		"-numa node,nodeid=0,memdev=ram0 -numa cpu,node-id=0,socket-id=0 " CHANNELS
		"-kernel /cache/kernels/k/bzImage -initrd /proc/self/fd/15 "
		"-append console=ttyS0 quiet rdinit=/init";
	struct vm_machine_plan plan = cold_plan("1n1l2c1t", 512);

	assert_line(&plan, expected);
	/* The older one wants nothing else. */
	plan.qemu = &qemu_7_2;
	assert_line(&plan, expected);
}

static void a_clone_is_started_stopped_on_private_memory(void **state UNUSED)
{
	static const char *const ram[] = { "/c,d/ram.0", "/c,d/ram.1" };
	struct vm_machine_plan plan = plan_of("2n4l2c1t", 1024);

	plan.ram_paths = ram;
	plan.ram_private = true;
	plan.incoming = true;
	assert_line(&plan, MACHINE_HEAD
		    "-smp 8,sockets=2,dies=2,cores=2,threads=1 -m 1024M "
		    "-object memory-backend-file,id=ram0,size=536870912,"
		    "mem-path=/c,,d/ram.0,share=off,reserve=off "
		    "-numa node,nodeid=0,memdev=ram0 -numa cpu,node-id=0,socket-id=0 "
		    "-object memory-backend-file,id=ram1,size=536870912,"
		    "mem-path=/c,,d/ram.1,share=off,reserve=off "
		    "-numa node,nodeid=1,memdev=ram1 -numa cpu,node-id=1,socket-id=1 "
		    "-numa dist,src=0,dst=1,val=20 -numa dist,src=1,dst=0,val=20 " CHANNELS
		    "-incoming defer -S");
}

static void each_node_has_a_descriptor(void **state UNUSED)
{
	struct vm_machine_plan plan = cold_plan("2n2l1c1t,mem=300M:200M", 500);

	assert_line(&plan, MACHINE_HEAD
		    "-smp 2,sockets=2,dies=1,cores=1,threads=1 -m 500M "
		    "-object memory-backend-file,id=ram0,size=314572800,"
		    "mem-path=/proc/self/fd/16,share=on "
		    "-numa node,nodeid=0,memdev=ram0 -numa cpu,node-id=0,socket-id=0 "
		    "-object memory-backend-file,id=ram1,size=209715200,"
		    "mem-path=/proc/self/fd/17,share=on "
		    "-numa node,nodeid=1,memdev=ram1 -numa cpu,node-id=1,socket-id=1 "
		    "-numa dist,src=0,dst=1,val=20 -numa dist,src=1,dst=0,val=20 " CHANNELS
		    "-kernel /cache/kernels/k/bzImage -initrd /proc/self/fd/15 "
		    "-append console=ttyS0 quiet rdinit=/init");
}

/* Nothing reaches this one from outside once it runs, and its time is its instructions. */
static void a_virtual_machine_has_a_plugin_and_no_channel(void **state UNUSED)
{
	struct vm_machine_plan plan = cold_plan("1n1l1c1t", 512);

	plan.clock = VM_CLOCK_VIRTUAL;
	plan.icount_shift = 3;
	plan.seed = 7;
	assert_line(
		&plan,
		"/usr/bin/qemu-system-x86_64 -accel tcg,thread=single -bios qboot.rom "
		"-nodefaults -no-user-config -display none -no-reboot "
		"-icount shift=3,sleep=off -rtc base=2026-01-01T00:00:00,clock=vm "
		"-action shutdown=pause,panic=pause "
		"-machine q35 -cpu Nehalem,vendor=GenuineIntel,level=32,-rdrand,-rdseed "
		"-smp 1,sockets=1,dies=1,cores=1,threads=1 -m 512M "
		"-object memory-backend-file,id=ram0,size=536870912,"
		"mem-path=/proc/self/fd/16,share=on "
		"-numa node,nodeid=0,memdev=ram0 -numa cpu,node-id=0,socket-id=0 "
		"-chardev file,id=console,path=/proc/self/fd/14,append=on "
		"-device isa-serial,chardev=console "
		"-object memory-backend-memfd,id=mail,size=4194304,share=on "
		"-device ivshmem-plain,memdev=mail,master=on "
		/* 20 us of 8 ns each */
		"-seed 7 -plugin /proc/self/fd/13,seed=7,turn=2500,cpus=1,fd=11,shift=3,ring=12 "
		"-chardev socket,id=monitor,fd=10 -mon chardev=monitor,mode=control "
		"-kernel /cache/kernels/k/bzImage -initrd /proc/self/fd/15 "
		"-append console=ttyS0 quiet rdinit=/init");
}

static void a_second_monitor_may_have_any_socket_path(void **state UNUSED)
{
	struct vm_machine_plan plan = cold_plan("1n1l1c1t", 512);
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	_cleanup_vm_argv_ struct vm_argv argv = { VEC_INIT };

	plan.monitor_socket = "/run/a,b/qmp.sock";
	assert_success(vm_machine_args(&plan, &argv));
	vm_argv_format(&argv, &line);
	assert_contains(strbuf_str(&line),
			"-mon chardev=monitor,mode=control "
			"-chardev socket,id=others,path=/run/a,,b/qmp.sock,server=on,wait=off "
			"-mon chardev=others,mode=control -kernel ");
}

/* Arguments go through whole, whatever they hold. */
static void kernel_arguments_are_one_word(void **state UNUSED)
{
	struct vm_machine_plan plan = cold_plan("1n1l1c1t", 512);
	_cleanup_vm_argv_ struct vm_argv argv = { VEC_INIT };
	const char *const *words;
	size_t n = 0;

	plan.kernel_args = "a=\"b c\" %s %n,d";
	assert_success(vm_machine_args(&plan, &argv));
	words = vm_argv_strings(&argv);
	while (words[n])
		n++;
	assert_string_equal(words[n - 2], "-append");
	assert_string_equal(words[n - 1], "a=\"b c\" %s %n,d");
}

static void machines_that_qemu_cannot_run_are_refused(void **state UNUSED)
{
	struct vm_machine_plan plan = cold_plan("1n2l96c2t", 8192);
	_cleanup_vm_argv_ struct vm_argv argv = { VEC_INIT };
	_cleanup_strbuf_ struct strbuf key = STRBUF_INIT;

	plan.qemu = &qemu_7_2;
	assert_error_tag(vm_machine_args(&plan, &argv), "qemu-missing");
	assert_error_tag(vm_machine_args_key(&plan, &key), "qemu-missing");
	assert_int_equal(argv.words.n, 0);
	/* Two answers to how much memory are one too many. */
	plan = cold_plan("2n2l1c1t,mem=300M:200M", 512);
	assert_error_tag(vm_machine_args(&plan, &argv), "qemu-failed");
	plan.memory_bytes = 0;
	assert_success(vm_machine_args(&plan, &argv));
}

static char *key_of(const struct vm_machine_plan *plan)
{
	_cleanup_strbuf_ struct strbuf key = STRBUF_INIT;

	assert_success(vm_machine_args_key(plan, &key));
	return strbuf_take(&key);
}

static void assert_key(const struct vm_machine_plan *a, const struct vm_machine_plan *b, bool same)
{
	_cleanup_free_ char *of_a = key_of(a), *of_b = key_of(b);

	if ((strcmp(of_a, of_b) == 0) != same)
		fail_msg("%s: %s\n%s", same ? "differ" : "the same", of_a, of_b);
}

static void a_template_and_its_clones_have_one_key(void **state UNUSED)
{
	static const char *const ram[] = { "/c/ram.0", "/c/ram.1" };
	struct vm_machine_plan cold = cold_plan("2n4l2c1t", 1024),
			       clone = plan_of("2n4l2c1t", 1024);

	clone.ram_paths = ram;
	clone.ram_private = true;
	clone.incoming = true;
	clone.monitor_socket = "/run/x";
	assert_key(&cold, &clone, true);
}

static void the_key_tells_machines_apart(void **state UNUSED)
{
	const struct vm_machine_plan base = cold_plan("2n4l2c1t", 1024);
	struct vm_machine_plan seeded;
	struct vm_accel other_cpu = tcg;
	struct vm_machine_plan other;

	other_cpu.qemu_cpu = "Haswell,level=32";
	other = cold_plan("2n4l1c2t", 1024);
	assert_key(&base, &other, false);
	other = cold_plan("2n4l2c1t", 1026);
	assert_key(&base, &other, false);
	other = cold_plan("2n4l2c1t,mem=600M:424M", 1024);
	assert_key(&base, &other, false);
	other = cold_plan("2n4l2c1t,dist=10:30:30:10", 1024);
	assert_key(&base, &other, false);
	other = base;
	other.accel = &other_cpu;
	assert_key(&base, &other, false);
	other.accel = &kvm;
	assert_key(&base, &other, false);
	other = base;
	other.clock = VM_CLOCK_VIRTUAL;
	assert_key(&base, &other, false);
	/* All seeds share a template. */
	seeded = other;
	seeded.seed = 5;
	assert_key(&other, &seeded, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cold_machine_boots_from_descriptors),
		cmocka_unit_test(a_clone_is_started_stopped_on_private_memory),
		cmocka_unit_test(each_node_has_a_descriptor),
		cmocka_unit_test(a_virtual_machine_has_a_plugin_and_no_channel),
		cmocka_unit_test(a_second_monitor_may_have_any_socket_path),
		cmocka_unit_test(kernel_arguments_are_one_word),
		cmocka_unit_test(machines_that_qemu_cannot_run_are_refused),
		cmocka_unit_test(a_template_and_its_clones_have_one_key),
		cmocka_unit_test(the_key_tells_machines_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
