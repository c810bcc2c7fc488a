/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct taskstats as the kernel's headers of two times declare it, written down here because the
 * headers of one machine know one version only: version 15, and all others, of which a shorter one
 * is the beginning.
 */
#ifndef KTSTR_TESTS_TASKSTATS_STRUCTS_H
#define KTSTR_TESTS_TASKSTATS_STRUCTS_H

#include <stdint.h>

#define PLAIN(name) uint64_t name##_count, name##_delay_total;
#define WITH_EXTREMES(name) \
	uint64_t name##_count, name##_delay_total, name##_delay_max, name##_delay_min;
#define EXTREMES(name) uint64_t name##_delay_max, name##_delay_min;

#define PROCFS_TASKSTATS_BEGINNING(DELAY)                                                      \
	uint16_t version;                                                                      \
	uint32_t ac_exitcode;                                                                  \
	uint8_t ac_flag, ac_nice;                                                              \
	uint64_t at_delays[0] __attribute__((aligned(8)));                                     \
	DELAY(cpu)                                                                             \
	DELAY(blkio)                                                                           \
	DELAY(swapin)                                                                          \
	uint64_t cpu_run_real_total, cpu_run_virtual_total;                                    \
	char ac_comm[32];                                                                      \
	uint8_t ac_sched __attribute__((aligned(8)));                                          \
	uint8_t ac_pad[3];                                                                     \
	uint32_t ac_uid __attribute__((aligned(8)));                                           \
	uint32_t ac_gid, ac_pid, ac_ppid, ac_btime;                                            \
	uint64_t ac_etime __attribute__((aligned(8)));                                         \
	uint64_t ac_utime, ac_stime, ac_minflt, ac_majflt, coremem, virtmem, hiwater_rss;      \
	uint64_t hiwater_vm, read_char, write_char, read_syscalls, write_syscalls, read_bytes; \
	uint64_t write_bytes, cancelled_write_bytes, nvcsw, nivcsw, ac_utimescaled;            \
	uint64_t ac_stimescaled, cpu_scaled_run_real_total;                                    \
	DELAY(freepages)                                                                       \
	DELAY(thrashing)                                                                       \
	uint64_t ac_btime64;                                                                   \
	DELAY(compact)                                                                         \
	uint32_t ac_tgid;                                                                      \
	uint64_t ac_tgetime __attribute__((aligned(8)));                                       \
	uint64_t ac_exe_dev, ac_exe_inode;                                                     \
	DELAY(wpcopy)                                                                          \
	DELAY(irq)

/* Version 17, of which 8 to 14 and 16 are the beginning. */
struct taskstats_17 {
	PROCFS_TASKSTATS_BEGINNING(PLAIN)
	EXTREMES(cpu)
	EXTREMES(blkio)
	EXTREMES(swapin)
	EXTREMES(freepages)
	EXTREMES(thrashing)
	EXTREMES(compact)
	EXTREMES(wpcopy)
	EXTREMES(irq)
	struct {
		int64_t sec;
		uint64_t nsec;
	} when[8];
};

struct taskstats_15 {
	PROCFS_TASKSTATS_BEGINNING(WITH_EXTREMES)
};

/* Where each version ends. */
#define PROCFS_TASKSTATS_8_BYTES  offsetof(struct taskstats_17, thrashing_count)
#define PROCFS_TASKSTATS_9_BYTES  offsetof(struct taskstats_17, ac_btime64)
#define PROCFS_TASKSTATS_10_BYTES offsetof(struct taskstats_17, compact_count)
#define PROCFS_TASKSTATS_11_BYTES offsetof(struct taskstats_17, ac_tgid)
#define PROCFS_TASKSTATS_12_BYTES offsetof(struct taskstats_17, wpcopy_count)
#define PROCFS_TASKSTATS_13_BYTES offsetof(struct taskstats_17, irq_count)
#define PROCFS_TASKSTATS_14_BYTES offsetof(struct taskstats_17, cpu_delay_max)
#define PROCFS_TASKSTATS_16_BYTES offsetof(struct taskstats_17, when)

#endif
