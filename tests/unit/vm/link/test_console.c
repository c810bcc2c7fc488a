// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/link/exec.h"

#include "dirs.h"

/* Lines as kernels print them, with the serial console's line ends. */
static void assert_sign(const char *text, enum vm_console_sign expected, const char *line)
{
	_cleanup_strbuf_ struct strbuf got = STRBUF_INIT;

	assert_int_equal(vm_console_read_signs(text, strlen(text), &got), expected);
	assert_string_equal(strbuf_str(&got), line);
}

static void a_quiet_console_says_nothing(void **state UNUSED)
{
	assert_sign("", VM_CONSOLE_QUIET, "");
	assert_sign("[    0.000000] Linux version 6.x (gcc) #1 SMP\r\n"
		    "[    0.412345] Freeing SMP alternatives memory: 40K\r\n"
		    "[    1.000000] Run /init as init process\r\n",
		    VM_CONSOLE_QUIET, "");
	/* Words that a healthy boot prints. */
	assert_sign(
		"[    0.100000] rcu: RCU calculated value of scheduler-enlistment delay\r\n"
		"[    0.200000] NMI watchdog: Enabled. Permanently consumes one PMU counter.\r\n"
		"[    0.300000] traps: sh[88] general protection fault ip:401000 sp:7ffc0 "
		"error:0 in sh[400000+1000]\r\n",
		VM_CONSOLE_QUIET, "");
}

static void a_panic_is_found_among_other_lines(void **state UNUSED)
{
	assert_sign("[    1.234560] Run /init as init process\r\n"
		    "[    1.234567] Kernel panic - not syncing: Attempted to kill init! "
		    "exitcode=0x0000000b\r\n"
		    "[    1.234600] CPU: 0 UID: 0 PID: 1 Comm: init Not tainted\r\n"
		    "[    1.240000] ---[ end Kernel panic - not syncing: Attempted to kill init! "
		    "exitcode=0x0000000b ]---\r\n",
		    VM_CONSOLE_PANIC,
		    "[    1.234567] Kernel panic - not syncing: Attempted to kill init! "
		    "exitcode=0x0000000b");
	assert_sign("[    2.000000] Kernel panic - not syncing: sysrq triggered crash\r\n",
		    VM_CONSOLE_PANIC,
		    "[    2.000000] Kernel panic - not syncing: sysrq triggered crash");
	assert_sign("[    0.900000] Kernel panic - not syncing: VFS: Unable to mount root fs on "
		    "unknown-block(0,0)",
		    VM_CONSOLE_PANIC,
		    "[    0.900000] Kernel panic - not syncing: VFS: Unable to mount root fs on "
		    "unknown-block(0,0)");
}

static void an_out_of_memory_panic_is_recognised(void **state UNUSED)
{
	assert_sign("[   12.345678] Out of memory: Killed process 77 (hog) total-vm:1048576kB, "
		    "anon-rss:400000kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:900kB "
		    "oom_score_adj:0\r\n"
		    "[   12.400000] Out of memory and no killable processes...\r\n"
		    "[   12.400001] Kernel panic - not syncing: System is deadlocked on memory\r\n"
		    "[   12.400002] CPU: 1 UID: 0 PID: 1 Comm: init Not tainted\r\n"
		    "[   12.410000] ---[ end Kernel panic - not syncing: System is deadlocked on "
		    "memory ]---\r\n",
		    VM_CONSOLE_OOM_PANIC,
		    "[   12.400001] Kernel panic - not syncing: System is deadlocked on memory");
	assert_sign("[    9.000000] Kernel panic - not syncing: Out of memory: compulsory "
		    "panic_on_oom is enabled\r\n",
		    VM_CONSOLE_OOM_PANIC,
		    "[    9.000000] Kernel panic - not syncing: Out of memory: compulsory "
		    "panic_on_oom is enabled");
	assert_sign("[    9.000000] Kernel panic - not syncing: Out of memory: system-wide "
		    "panic_on_oom is enabled\r\n",
		    VM_CONSOLE_OOM_PANIC,
		    "[    9.000000] Kernel panic - not syncing: Out of memory: system-wide "
		    "panic_on_oom is enabled");
}

static void an_oom_kill_on_the_console_is_not_the_end(void **state UNUSED)
{
	assert_sign("[   12.300000] hog invoked oom-killer: gfp_mask=0x140cca"
		    "(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0\r\n"
		    "[   12.345678] Out of memory: Killed process 77 (hog) total-vm:1048576kB\r\n",
		    VM_CONSOLE_OOM,
		    "[   12.345678] Out of memory: Killed process 77 (hog) total-vm:1048576kB");
	assert_sign("[   20.000000] Memory cgroup out of memory: Killed process 91 (dd) "
		    "total-vm:2000kB\r\n",
		    VM_CONSOLE_OOM,
		    "[   20.000000] Memory cgroup out of memory: Killed process 91 (dd) "
		    "total-vm:2000kB");
}

static void every_kind_of_stall_is_known(void **state UNUSED)
{
	static const char *const lines[] = {
		"[   52.123456] watchdog: BUG: soft lockup - CPU#1 stuck for 26s! [sh:123]",
		"[   52.123456] watchdog: CPU0: Watchdog detected hard LOCKUP on cpu 0",
		"[   52.123456] NMI watchdog: Watchdog detected hard LOCKUP on cpu 3",
		"[   21.000000] rcu: INFO: rcu_preempt self-detected stall on CPU",
		"[   21.000000] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
		"[   21.000000] rcu: INFO: rcu_sched detected expedited stalls on CPUs/tasks: { "
		"1-.... } 5400 jiffies s: 33 root: 0x2/.",
		"[   99.000000] BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck "
		"for 33s!",
		"[  242.750000] INFO: task kworker/0:1:10 blocked for more than 120 seconds.",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		_cleanup_free_ char *text = xasprintf("[    0.1] x\r\n%s\r\n", lines[i]);

		assert_sign(text, VM_CONSOLE_STALL, lines[i]);
	}
}

static void every_kind_of_oops_is_known(void **state UNUSED)
{
	static const char *const lines[] = {
		"[    3.141592] BUG: kernel NULL pointer dereference, address: 0000000000000010",
		"[    3.141592] BUG: unable to handle page fault for address: ffffdeadbeef0000",
		"[    3.141592] Oops: 0002 [#1] PREEMPT SMP NOPTI",
		"[    3.141592] Oops: Oops: 0002 [#1] SMP NOPTI",
		"[    3.141592] Oops: int3: 0000 [#1] PREEMPT SMP NOPTI",
		"[    3.141592] general protection fault, probably for non-canonical address "
		"0xdead000000000110: 0000 [#1] PREEMPT SMP NOPTI",
		"[    3.141592] Oops: general protection fault, probably for non-canonical address "
		"0xdead000000000110: 0000 [#1] SMP NOPTI",
		"[    3.141592] divide error: 0000 [#1] SMP NOPTI",
		"[    3.141592] kernel BUG at kernel/sched/core.c:1234!",
		"[    3.141592] invalid opcode: 0000 [#1] PREEMPT SMP",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		_cleanup_free_ char *text = xasprintf("%s\r\n[    3.15] RIP: 0010:x+0x1/0x2\r\n",
						      lines[i]);

		assert_sign(text, VM_CONSOLE_OOPS, lines[i]);
	}
}

static void the_most_severe_console_sign_wins_then_the_first(void **state UNUSED)
{
	assert_sign("[    3.000000] BUG: unable to handle page fault for address: ffff800000\r\n"
		    "[    3.000001] #PF: supervisor write access in kernel mode\r\n"
		    "[    3.000002] Oops: Oops: 0002 [#1] SMP NOPTI\r\n"
		    "[    3.000003] rcu: INFO: rcu_preempt self-detected stall on CPU\r\n",
		    VM_CONSOLE_OOPS,
		    "[    3.000000] BUG: unable to handle page fault for address: ffff800000");
	assert_sign("[    5.0] Kernel panic - not syncing: one\n"
		    "[    5.1] Kernel panic - not syncing: two\n",
		    VM_CONSOLE_PANIC, "[    5.0] Kernel panic - not syncing: one");
	assert_sign("[    5.0] watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [a:1]\n"
		    "[    6.0] Kernel panic - not syncing: softlockup: hung tasks\n",
		    VM_CONSOLE_PANIC,
		    "[    6.0] Kernel panic - not syncing: softlockup: hung tasks");
}

static void a_fatal_agent_message_on_the_console_is_found(void **state UNUSED)
{
	assert_sign("ktstr-agent: fatal: [agent-system] there is no port named ktstr.ctl\r\n"
		    "[    1.5] reboot: Power down\r\n",
		    VM_CONSOLE_AGENT,
		    "ktstr-agent: fatal: [agent-system] there is no port named ktstr.ctl");
}

static void console_lines_are_escaped_and_cut(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, line = STRBUF_INIT;

	assert_sign("\x1b[2JKernel panic - not syncing: \xc3\xa9\tx  \r\r\n", VM_CONSOLE_PANIC,
		    "?[2JKernel panic - not syncing: ???x");
	strbuf_append(&text, "Kernel panic - not syncing: ");
	strbuf_append_repeated(&text, 'x', 100000);
	assert_int_equal(vm_console_read_signs(text.at, text.n, &line), VM_CONSOLE_PANIC);
	assert_true(line.n > 100 && line.n <= 240);
	/* A NUL is one more odd byte. */
	strbuf_clear(&line);
	assert_int_equal(vm_console_read_signs("\0Kernel panic - not syncing: x", 30, &line),
			 VM_CONSOLE_PANIC);
	assert_string_equal(strbuf_str(&line), "?Kernel panic - not syncing: x");
	/* A word that two lines share is no word. */
	assert_sign("Kernel panic - not\nsyncing: x", VM_CONSOLE_QUIET, "");
}

static void assert_tail(const char *path, size_t limit, const char *expected)
{
	_cleanup_strbuf_ struct strbuf got = STRBUF_INIT;

	strbuf_append(&got, "before:");
	assert_success(vm_console_read_tail(path, limit, &got));
	assert_memory_equal(strbuf_str(&got), "before:", 7);
	assert_string_equal(strbuf_str(&got) + 7, expected);
}

static void a_tail_is_made_of_whole_lines(void **state)
{
	_cleanup_free_ char *path = put_file(*state, "console", "one\ntwo\nthree\n", 0600);

	assert_tail(path, 100, "one\ntwo\nthree\n");
	assert_tail(path, 14, "one\ntwo\nthree\n");
	assert_tail(path, 13, "two\nthree\n");
	assert_tail(path, 10, "two\nthree\n");
	assert_tail(path, 9, "three\n");
	assert_tail(path, 6, "three\n");
	assert_tail(path, 5, "");
}

static void a_log_can_be_read_from_anywhere(void **state)
{
	struct dirs *f = *state;
	_cleanup_free_ char *path = put_file(f, "console", "0123456789", 0600);
	_cleanup_free_ char *absent = xasprintf("%s/absent", f->top);
	_cleanup_strbuf_ struct strbuf got = STRBUF_INIT;

	assert_success(vm_console_read_from(path, 3, 4, &got));
	assert_string_equal(strbuf_str(&got), "3456");
	assert_success(vm_console_read_from(path, 8, 100, &got));
	assert_string_equal(strbuf_str(&got), "345689");
	assert_success(vm_console_read_from(path, 11, 100, &got));
	assert_success(vm_console_read_from(absent, 0, 100, &got));
	assert_success(vm_console_read_tail(absent, 100, &got));
	assert_string_equal(strbuf_str(&got), "345689");
	assert_int_equal(vm_console_size(path), 10);
	assert_int_equal(vm_console_size(absent), 0);
	assert_error_tag(vm_console_read_from(f->top, 0, 100, &got), "io");
}

static void a_long_log_is_read_in_pieces(void **state)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, got = STRBUF_INIT;
	_cleanup_free_ char *path = NULL;

	for (int i = 0; i < 10000; i++)
		strbuf_appendf(&text, "line %d\n", i);
	path = put_file(*state, "console", strbuf_str(&text), 0600);
	assert_success(vm_console_read_from(path, 0, SIZE_MAX, &got));
	assert_string_equal(strbuf_str(&got), strbuf_str(&text));
	strbuf_clear(&got);
	assert_success(vm_console_read_tail(path, 50000, &got));
	assert_true(got.n <= 50000 && got.n > 49980);
	assert_memory_equal(got.at, "line ", 5);
	assert_string_equal(strbuf_str(&got), text.at + text.n - got.n);
}

static uint64_t disk_bytes(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

/* A guest that never stops talking. */
static void a_flood_does_not_fill_the_disk(void **state)
{
	_cleanup_strbuf_ struct strbuf tail = STRBUF_INIT, line = STRBUF_INIT;
	_cleanup_free_ char *path = put_file(*state, "console", "", 0600);
	_cleanup_close_ int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
	uint64_t most = 0;
	char block[65536], first;

	memset(block, 'x', sizeof(block));
	block[sizeof(block) - 1] = '\n';
	for (int i = 0; i < 1024; i++) {
		assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
		vm_console_trim(fd);
		most = disk_bytes(fd) > most ? disk_bytes(fd) : most;
		/* A short log is left alone. */
		if (i == 200) {
			assert_int_equal(pread(fd, &first, 1, 0), 1);
			assert_int_equal(first, 'x');
		}
	}
	skip_unless(most < 64 << 20, "this file system knows no holes");
	assert_true(most <= 17 << 20);
	assert_int_equal(vm_console_size(path), 64 << 20);
	assert_int_equal(write(fd, "Kernel panic - not syncing: x\n", 30), 30);
	assert_success(vm_console_read_tail(path, 256 << 10, &tail));
	assert_int_equal(vm_console_read_signs(tail.at, tail.n, &line), VM_CONSOLE_PANIC);
	/* Nothing happens where there is nothing. */
	vm_console_trim(-1);
}

static void every_process_killed_for_lack_of_memory_is_found(void **state UNUSED)
{
	/* Lines of 6.18. */
	static const char log[] =
		"[    9.1] Out of memory: Killed process 88 (scx_x) total-vm:9kB, anon-rss:8kB\r\n"
		"[    9.2] Killed process 1\r\n"
		"[    9.3] Memory cgroup out of memory: Killed process 4100 (w) total-vm:1kB\r\n"
		"[    9.4] Out of memory: Killed process 99999999999 (odd)\r\n"
		"[    9.5] Out of memory: Killed process";
	uint32_t pids[4] = { 0 };

	assert_int_equal(vm_console_read_oom_pids(log, strlen(log), pids, 4), 2);
	assert_int_equal(pids[0], 88);
	assert_int_equal(pids[1], 4100);
	assert_int_equal(vm_console_read_oom_pids(log, strlen(log), pids, 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_process_killed_for_lack_of_memory_is_found),
#define IN_DIRS(name) cmocka_unit_test_setup_teardown(name, make_dirs, remove_dirs)
		cmocka_unit_test(a_quiet_console_says_nothing),
		cmocka_unit_test(a_panic_is_found_among_other_lines),
		cmocka_unit_test(an_out_of_memory_panic_is_recognised),
		cmocka_unit_test(an_oom_kill_on_the_console_is_not_the_end),
		cmocka_unit_test(every_kind_of_stall_is_known),
		cmocka_unit_test(every_kind_of_oops_is_known),
		cmocka_unit_test(the_most_severe_console_sign_wins_then_the_first),
		cmocka_unit_test(a_fatal_agent_message_on_the_console_is_found),
		cmocka_unit_test(console_lines_are_escaped_and_cut),
		IN_DIRS(a_tail_is_made_of_whole_lines),
		IN_DIRS(a_log_can_be_read_from_anywhere),
		IN_DIRS(a_flood_does_not_fill_the_disk),
		IN_DIRS(a_long_log_is_read_in_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
