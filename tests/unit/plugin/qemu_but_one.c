// SPDX-License-Identifier: GPL-2.0-or-later
/* Everything that plugin/qemu.h wants of QEMU, except qtest_allowed. Nothing here is called. */
#define NOT_CALLED(name) \
	void name(void); \
	void name(void)  \
	{                \
	}

NOT_CALLED(cpu_exit)
NOT_CALLED(cpu_loop_exit_restore)
NOT_CALLED(cpu_pause)
NOT_CALLED(qemu_get_cpu)
NOT_CALLED(runstate_is_running)
NOT_CALLED(timer_init_full)
NOT_CALLED(timer_mod)
NOT_CALLED(qemu_clock_get_ns)
NOT_CALLED(async_run_on_cpu)
NOT_CALLED(all_cpu_threads_idle)
NOT_CALLED(qemu_clock_deadline_ns_all)
NOT_CALLED(icount_start_warp_timer)
NOT_CALLED(qemu_clock_run_timers)
NOT_CALLED(main_loop_poll_add_notifier)
NOT_CALLED(tb_flush)
