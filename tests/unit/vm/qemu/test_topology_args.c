// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/qemu/machine_args.h"

#include <stdlib.h>
#include <sys/wait.h>

#include "topo/topology.h"
#include "unit.h"

static const struct vm_accel tcg = { .kind = VM_ACCEL_TCG, .qemu_cpu = "Nehalem,level=32" };
static const struct vm_accel kvm = { .kind = VM_ACCEL_KVM, .qemu_cpu = "Nehalem,level=32" };
static char text_7_2[] = "7.2.22", text_8_2[] = "8.2.0", text_10_0[] = "10.0.2";
static const struct vm_qemu_binary qemu_7_2 = { .version = { 7, 2, 22, text_7_2 } };
static const struct vm_qemu_binary qemu_8_2 = { .version = { 8, 2, 0, text_8_2 } };
static const struct vm_qemu_binary qemu_10_0 = { .version = { 10, 0, 2, text_10_0 } };
static const char *const paths[TOPO_LIMIT_ASKED_NODES] = { "/ram/0", "/ram/1", "/ram/2", "/ram/3" };

static struct error *args_of(const char *text, uint64_t mib, const struct vm_qemu_binary *qemu,
			     const struct vm_accel *accel, struct vm_argv *argv)
{
	struct vm_machine_plan plan = {
		.qemu = qemu, .accel = accel, .memory_bytes = mib << 20, .ram_paths = paths
	};

	assert_success(topo_parse_or_preset(text, &plan.topology));
	return vm_qemu_topology_args(&plan, argv);
}

static void assert_args(const char *text, uint64_t mib, const char *expected)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	_cleanup_vm_argv_ struct vm_argv argv = { VEC_INIT };

	assert_success(args_of(text, mib, &qemu_10_0, &tcg, &argv));
	vm_argv_format(&argv, &s);
	assert_string_equal(strbuf_str(&s), expected);
}

static void assert_refused(const char *text, uint64_t mib, const struct vm_qemu_binary *qemu,
			   const struct vm_accel *accel, const char *words)
{
	_cleanup_vm_argv_ struct vm_argv argv = { VEC_INIT };
	_cleanup_error_ struct error *err = args_of(text, mib, qemu, accel, &argv);

	if (!err)
		fail_msg("%s was accepted", text);
	assert_contains(error_message(err), words);
	assert_int_equal(argv.words.n, 0);
}

static void nodes_are_sockets_and_llcs_are_dies(void **state UNUSED)
{
	assert_args("1n2l2c2t", 512,
		    "-machine q35 -cpu Nehalem,level=32 "
		    "-smp 8,sockets=1,dies=2,cores=2,threads=2 -m 512M "
		    "-object memory-backend-file,id=ram0,size=536870912,mem-path=/ram/0,share=on "
		    "-numa node,nodeid=0,memdev=ram0 -numa cpu,node-id=0,socket-id=0");
	assert_args("2n4l2c1t,dist=10:21:21:10", 1024,
		    "-machine q35 -cpu Nehalem,level=32 "
		    "-smp 8,sockets=2,dies=2,cores=2,threads=1 -m 1024M "
		    "-object memory-backend-file,id=ram0,size=536870912,mem-path=/ram/0,share=on "
		    "-numa node,nodeid=0,memdev=ram0 -numa cpu,node-id=0,socket-id=0 "
		    "-object memory-backend-file,id=ram1,size=536870912,mem-path=/ram/1,share=on "
		    "-numa node,nodeid=1,memdev=ram1 -numa cpu,node-id=1,socket-id=1 "
		    "-numa dist,src=0,dst=1,val=21 -numa dist,src=1,dst=0,val=21");
}

static void extras_and_commas_are_kept(void **state UNUSED)
{
	const char *const odd_paths[] = { "/a,b,,c" };
	struct vm_machine_plan plan = { .qemu = &qemu_10_0,
					.accel = &tcg,
					.topology = TOPO_DEFAULT,
					.memory_bytes = 64 << 20,
					.ram_paths = odd_paths,
					.ram_private = true,
					.clock = VM_CLOCK_VIRTUAL };
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	_cleanup_vm_argv_ struct vm_argv argv = { VEC_INIT };

	assert_success(vm_qemu_topology_args(&plan, &argv));
	vm_argv_format(&argv, &s);
	assert_contains(strbuf_str(&s), "-machine q35 -cpu Nehalem,level=32,-rdrand,-rdseed");
	assert_contains(strbuf_str(&s), "mem-path=/a,,b,,,,c,share=off,reserve=off");
}

static void memory_is_shared_out(void **state UNUSED)
{
	struct topo t;

	assert_success(topo_parse("3n3l1c1t", &t));
	assert_true(vm_qemu_node_bytes(&t, 1024 << 20, 0) == 342 << 20);
	assert_true(vm_qemu_node_bytes(&t, 1024 << 20, 1) == 341 << 20);
	assert_true(vm_qemu_node_bytes(&t, 1024 << 20, 2) == 341 << 20);
	assert_success(topo_parse("2n2l1c1t,mem=1G:512M", &t));
	assert_true(vm_qemu_node_bytes(&t, 0, 0) == 1024 << 20);
	assert_true(vm_qemu_node_bytes(&t, 0, 1) == 512 << 20);
	assert_refused("1n1l1c1t", 0, &qemu_10_0, &tcg, "not a whole number of MiB");
	assert_refused("4n4l1c1t", 3, &qemu_10_0, &tcg,
		       "not a whole number of MiB for each of 4 nodes");
	assert_refused("1n1l1c1t,mem=1G", 512, &qemu_10_0, &tcg,
		       "512 MiB of memory were asked for, but the nodes have 1024 MiB");
}

/* Ids counted out by hand from the widths: 14 dies take 4 bits, 9 cores 4, 2 threads 1. */
static void apic_ids_take_whole_bits(void **state UNUSED)
{
	static const struct {
		const char *text;
		unsigned int max_id;
		bool x2apic;
	} known[] = {
		{ "1n1l1c1t", 0, false },
		{ "1n1l2c1t", 1, false },
		{ "1n3l3c1t", 2 << 2 | 2, false },
		{ "max-cpu", 13 << 5 | 8 << 1 | 1, true },
		{ "max-cpu-nosmt", 13 << 5 | 17, true },
		{ "near-max-llc", 239, false },
		{ "numa4-12llc", 3 << 6 | 2 << 4 | 15, false },
		{ "1n16l16c1t", 255, true },
		{ "3n9l3c5t", 2 << 7 | 2 << 5 | 2 << 3 | 4, true },
		{ "1n5l3c17t", 4 << 7 | 2 << 5 | 16, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct topo t;

		assert_success(topo_parse_or_preset(known[i].text, &t));
		assert_int_equal(vm_qemu_max_apic_id(&t), known[i].max_id);
		assert_int_equal(vm_qemu_needs_x2apic(&t), known[i].x2apic);
		assert_int_equal(vm_qemu_topology_bios(&t) == NULL, known[i].x2apic);
		assert_string_equal(vm_qemu_topology_kernel_args(&t),
				    known[i].x2apic ? "intel_iommu=off" : "");
	}
}

static void big_machines_get_x2apic_and_an_iommu(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT, with_kvm = STRBUF_INIT;
	_cleanup_vm_argv_ struct vm_argv argv = { VEC_INIT }, kvm_argv = { VEC_INIT };

	assert_success(args_of("max-cpu", 2048, &qemu_10_0, &tcg, &argv));
	vm_argv_format(&argv, &s);
	assert_contains(strbuf_str(&s), "-machine q35 -cpu Nehalem,level=32,+x2apic ");
	assert_contains(strbuf_str(&s), "-device intel-iommu,intremap=on,eim=on");
	assert_success(args_of("max-cpu", 2048, &qemu_7_2, &kvm, &kvm_argv));
	vm_argv_format(&kvm_argv, &with_kvm);
	assert_contains(strbuf_str(&with_kvm), "-machine q35,kernel-irqchip=split -cpu");
}

static void topologies_a_qemu_version_cannot_do_are_refused(void **state UNUSED)
{
	assert_refused("max-cpu", 2048, &qemu_7_2, &tcg,
		       "APIC ids up to 433 need x2APIC, which QEMU 7.2.22 has only with KVM");
	assert_refused("max-cpu", 2048, &qemu_8_2, &tcg, "QEMU 9.0 or newer");
	assert_refused("1n32l16c1t", 2048, &qemu_7_2, &kvm,
		       "512 CPUs, QEMU 7.2.22 has at most 288");
}

/*
 * QEMU itself is asked which CPUs it made: node, die, core and thread of CPU n
 * must be ours. Returns how many there are.
 */
static unsigned int hotpluggable_cpus(const struct topo *t, const char *ram_dir)
{
	_cleanup_strbuf_ struct strbuf command = STRBUF_INIT;
	_cleanup_vm_argv_ struct vm_argv argv = { VEC_INIT };
	char storage[TOPO_LIMIT_ASKED_NODES][64];
	const char *ram[TOPO_LIMIT_ASKED_NODES];
	struct vm_machine_plan plan = { .qemu = &qemu_10_0,
					.accel = &tcg,
					.topology = *t,
					.memory_bytes = 256 << 20,
					.ram_paths = ram,
					.ram_private = true };
	unsigned int n = 0, values[4] = { 0 };
	char line[256];
	FILE *qemu;

	for (unsigned int i = 0; i < t->nodes; i++) {
		snprintf(storage[i], sizeof(storage[i]), "%s/%u-%u", ram_dir, topo_cpus(t), i);
		ram[i] = storage[i];
	}
	assert_success(vm_qemu_topology_args(&plan, &argv));
	strbuf_append(&command, "printf 'info hotpluggable-cpus\\nquit\\n' | timeout 60 "
				"qemu-system-x86_64 -nodefaults -display none -S -accel tcg "
				"-monitor stdio ");
	vm_argv_format(&argv, &command);
	strbuf_append(&command, " 2>&1");
	qemu = popen(strbuf_str(&command), "r");
	assert_non_null(qemu);
	while (fgets(line, sizeof(line), qemu)) {
		static const char *const words[] = { "socket-id: \"", "die-id: \"", "core-id: \"",
						     "thread-id: \"" };
		const char *at;

		for (size_t w = 0; w < ARRAY_SIZE(words); w++) {
			at = strstr(line, words[w]);
			if (at)
				values[w] = (unsigned int)strtoul(at + strlen(words[w]), NULL, 10);
		}
		/* The last property of each CPU; QEMU lists them from the last to the first. */
		if (!strstr(line, "thread-id"))
			continue;
		n++;
		unsigned int cpu = topo_cpus(t) - n;
		unsigned int llc = topo_llc_of_cpu(t, cpu);

		assert_true(n <= topo_cpus(t));
		assert_int_equal(values[0], topo_node_of_cpu(t, cpu));
		assert_int_equal(values[1], llc % topo_llcs_per_node(t));
		assert_int_equal(values[2], topo_core_of_cpu(t, cpu) % t->cores);
		assert_int_equal(values[3], cpu % t->threads);
	}
	assert_int_equal(pclose(qemu), 0);
	return n;
}

static void qemu_makes_the_cpus_we_count(void **state UNUSED)
{
	static const char *const texts[] = { "odd-3llc", "smt-3llc", "numa2-4llc",
					     "2n4l3c2t,mem=96M:160M,dist=10:33:33:10", "3n9l3c5t" };
	char dir[] = "/tmp/ktstr-topology-XXXXXX";
	_cleanup_free_ char *clean = NULL;
	FILE *version = popen("qemu-system-x86_64 --version 2>/dev/null", "r");
	char line[128] = "";
	unsigned int major;

	assert_non_null(version);
	if (!fgets(line, sizeof(line), version))
		line[0] = '\0';
	pclose(version);
	skip_unless(sscanf(line, "QEMU emulator version %u", &major) == 1 && major >= 9,
		    "there is no qemu-system-x86_64 of version 9 or newer");
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct topo t;

		assert_success(topo_parse_or_preset(texts[i], &t));
		assert_int_equal(hotpluggable_cpus(&t, dir), topo_cpus(&t));
	}
	clean = xasprintf("rm -rf %s", dir);
	assert_int_equal(system(clean), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_sockets_and_llcs_are_dies),
		cmocka_unit_test(extras_and_commas_are_kept),
		cmocka_unit_test(memory_is_shared_out),
		cmocka_unit_test(apic_ids_take_whole_bits),
		cmocka_unit_test(big_machines_get_x2apic_and_an_iommu),
		cmocka_unit_test(topologies_a_qemu_version_cannot_do_are_refused),
		cmocka_unit_test(qemu_makes_the_cpus_we_count),
	};

	return cmocka_run_group_tests_name("vm/topology_args", tests, NULL, NULL);
}
