// SPDX-License-Identifier: GPL-2.0-or-later
/* The texts are what QEMU 10.0 prints for a kernel that idles and for a machine just reset. */
#include "vm/qemu/qmp.h"

#include "unit.h"

#define SEGMENTS(fs, gs)                                                 \
	"ES =0000 0000000000000000 ffffffff 00c00000\n"                  \
	"CS =0010 0000000000000000 ffffffff 00a09b00 DPL=0 CS64 [-RA]\n" \
	"FS =0000 " fs " ffffffff 00c00000\n"                            \
	"GS =0000 " gs " ffffffff 00c00000\n"

static const char long_mode[] =
	"\r\nCPU#0\n"
	"RAX=ffffffff9a1b2c3d RBX=0000000000000001 RCX=0000000000000002 RDX=0000000000000003\n"
	"RSI=0000000000000004 RDI=0000000000000005 RBP=0000000000000006 RSP=ffffc90000103e98\n"
	"R8 =0000000000000008 R9 =0000000000000009 R10=000000000000000a R11=000000000000000b\n"
	"R12=000000000000000c R13=000000000000000d R14=000000000000000e R15=000000000000000f\n"
	"RIP=ffffffff81e0f0fb RFL=00000246 [---Z-P-] CPL=0 II=0 A20=1 SMM=0 HLT=1\n" SEGMENTS(
		"0000000000000007",
		"ffff88801f200000") "CR0=80050033 CR2=00007f0000000000 CR3=0000000002a3a000 CR4=000006f0\n"
				    "EFER=0000000000000d01\n"
				    "\nCPU#1\n"
				    "RAX=0000000000000000 RBX=0000000000000001 RCX=0000000000000002 RDX=0000000000000003\n"
				    "RSI=0000000000000004 RDI=0000000000000005 RBP=0000000000000006 RSP=00007ffd00000000\n"
				    "R8 =0000000000000008 R9 =0000000000000009 R10=000000000000000a R11=000000000000000b\n"
				    "R12=000000000000000c R13=000000000000000d R14=000000000000000e R15=000000000000000f\n"
				    "RIP=0000000000401000 RFL=00000202 [-------] CPL=3 II=0 A20=1 SMM=0 HLT=0\n" SEGMENTS(
					    "0000000000601000",
					    "0000000000000000") "CR0=80050033 CR2=0000000000000000 CR3=0000000002a3b000 CR4=000006f0\n"
								"EFER=0000000000000d01\n";

static const char real_mode[] = "\nCPU#0\n"
				"EAX=00000000 EBX=00000000 ECX=00000000 EDX=00060fb1\n"
				"ESI=00000000 EDI=00000000 EBP=00000000 ESP=00000000\n"
				"EIP=0000fff0 EFL=00000002 [-------] CPL=0 II=0 A20=1 SMM=0 HLT=0\n"
				"FS =0000 00000000 0000ffff 00009300\n"
				"GS =0000 00000000 0000ffff 00009300\n"
				"CR0=60000010 CR2=00000000 CR3=00000000 CR4=00000000\n"
				"EFER=0000000000000000\n";

static void every_register_of_every_cpu_is_read(void **state UNUSED)
{
	_cleanup_vm_register_list_ struct vm_register_list list = { 0 };

	assert_success(vm_registers_parse(long_mode, strlen(long_mode), &list));
	assert_int_equal(list.cpus.n, 2);
	assert_int_equal(list.cpus.at[0].rax, UINT64_C(0xffffffff9a1b2c3d));
	assert_int_equal(list.cpus.at[0].rsp, UINT64_C(0xffffc90000103e98));
	assert_int_equal(list.cpus.at[0].r8, 8);
	assert_int_equal(list.cpus.at[0].r15, 15);
	assert_int_equal(list.cpus.at[0].rip, UINT64_C(0xffffffff81e0f0fb));
	assert_int_equal(list.cpus.at[0].cr3, 0x2a3a000);
	assert_int_equal(list.cpus.at[0].efer, 0xd01);
	assert_int_equal(list.cpus.at[0].fs_base, 7);
	assert_int_equal(list.cpus.at[0].gs_base, UINT64_C(0xffff88801f200000));
	assert_true(list.cpus.at[0].halted);
	assert_true(list.cpus.at[1].user);
	assert_int_equal(list.cpus.at[1].rip, 0x401000);
	assert_int_equal(list.cpus.at[1].fs_base, 0x601000);
	assert_false(list.cpus.at[1].halted);
}

static void registers_of_a_cpu_in_real_mode_are_read(void **state UNUSED)
{
	_cleanup_vm_register_list_ struct vm_register_list list = { 0 };

	assert_success(vm_registers_parse(real_mode, strlen(real_mode), &list));
	assert_int_equal(list.cpus.at[0].rip, 0xfff0);
	assert_int_equal(list.cpus.at[0].rdx, 0x60fb1);
	assert_int_equal(list.cpus.at[0].r8, 0);
}

/* Cut anywhere, it is an error or fewer CPUs, never a guess. */
static void cut_text_is_not_completed_by_zeroes(void **state UNUSED)
{
	for (size_t n = 0; n < strlen(long_mode); n++) {
		_cleanup_vm_register_list_ struct vm_register_list list = { 0 };
		struct error *err = vm_registers_parse(long_mode, n, &list);

		if (err) {
			error_free(err);
			continue;
		}
		assert_true(list.cpus.n < 2 || n + 20 > strlen(long_mode));
		assert_int_equal(list.cpus.at[0].rip, UINT64_C(0xffffffff81e0f0fb));
	}
}

static void malformed_register_dumps_are_refused(void **state UNUSED)
{
	static const char *const texts[] = { "", "CPU#1\n", "CPU#0\nRAX=zz\n",
					     "CPU#0\nRAX=00000000000000001\n" };
	struct vm_register_list list;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_error_tag(vm_registers_parse(texts[i], strlen(texts[i]), &list), "qmp");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_register_of_every_cpu_is_read),
		cmocka_unit_test(registers_of_a_cpu_in_real_mode_are_read),
		cmocka_unit_test(cut_text_is_not_completed_by_zeroes),
		cmocka_unit_test(malformed_register_dumps_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
