/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is used of QEMU: its interface for plugins, whose header QEMU's packages do not have, and
 * what the program exports without promising it (README.md says what for). The latter is weak: the
 * plugin names what a QEMU lacks and is not loaded.
 */
#ifndef KTSTR_PLUGIN_QEMU_H
#define KTSTR_PLUGIN_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))

/* The version of the interface: 4 is that of QEMU 9.2 and later. */
enum { QEMU_PLUGIN_API = 4 };

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void (*qemu_plugin_translation_fn)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_exec_fn)(unsigned int vcpu, void *context);

extern QEMU_PLUGIN_EXPORT int qemu_plugin_version;
int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_translation_fn fn);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_exec_fn fn,
					  int flags, void *context);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_exec_fn fn,
					    int flags, void *context);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *into, size_t n);

uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

/* Of GLib, which is part of that interface: GArray and GByteArray. */
struct qemu_array {
	char *data;
	unsigned int n;
};
struct qemu_bytes {
	uint8_t *data;
	unsigned int n;
};
struct qemu_bytes *g_byte_array_new(void);
struct qemu_bytes *g_byte_array_set_size(struct qemu_bytes *bytes, unsigned int n);
char *g_array_free(struct qemu_array *array, int with_content);

enum { QEMU_READS_REGISTERS = 1 }; /* a flag of exec callbacks */
struct qemu_register {
	void *handle;
	const char *name, *feature;
};
struct qemu_array *qemu_plugin_get_registers(void);
int qemu_plugin_read_register(void *handle, struct qemu_bytes *into);
bool qemu_plugin_read_memory_vaddr(uint64_t address, struct qemu_bytes *into, size_t n);

#define QEMU_WEAK __attribute__((weak))

enum {
	QEMU_VIRTUAL_CLOCK = 1,
	QEMU_TIMER_BYTES = 256,
	QEMU_TIMERS_OF_GUEST = ~1, /* not those of displays and the like */
	QEMU_MAIN_LOOP_FILL = 0,   /* the first member of what a notifier is told */
};

struct qemu_notifier {
	void (*notify)(struct qemu_notifier *notifier, void *what);
	void *list[2];
};

/* Passed by value: a union of 8 bytes. */
union qemu_work_data {
	void *pointer;
	uint64_t number;
};

/* Of this thread; not weak, because the address of such a one cannot be asked for. */
extern __thread void *current_cpu;
QEMU_WEAK void cpu_exit(void *cpu);
/* Leaves the block that was entered, at the instruction that called us, and does not return. */
QEMU_WEAK void cpu_loop_exit_restore(void *cpu, uintptr_t called_from);
QEMU_WEAK void cpu_pause(void *cpu);
QEMU_WEAK void *qemu_get_cpu(int index);
QEMU_WEAK bool runstate_is_running(void);
QEMU_WEAK int64_t qemu_clock_get_ns(int clock);
QEMU_WEAK void timer_init_full(void *timer, void *list_group, int clock, int scale, int attributes,
			       void (*fn)(void *context), void *context);
QEMU_WEAK void timer_mod(void *timer, int64_t expire_ns);
QEMU_WEAK bool all_cpu_threads_idle(void);
QEMU_WEAK int64_t qemu_clock_deadline_ns_all(int clock, int attributes);
QEMU_WEAK bool qemu_clock_run_timers(int clock);
QEMU_WEAK void icount_start_warp_timer(void);
QEMU_WEAK void tb_flush(void *cpu);
QEMU_WEAK void main_loop_poll_add_notifier(struct qemu_notifier *notifier);
extern QEMU_WEAK bool qtest_allowed;
QEMU_WEAK void async_run_on_cpu(void *cpu, void (*fn)(void *cpu, union qemu_work_data data),
				union qemu_work_data data);

#endif
