/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the agent asks of the machine it runs on, and does to it. */
#ifndef KTSTR_AGENT_MACHINE_H
#define KTSTR_AGENT_MACHINE_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/strbuf.h"

struct error *agent_machine_set_clock(uint64_t realtime_ns) MUST_CHECK;
/* Credits the bytes in full and makes the generator use them at once. */
struct error *agent_machine_add_entropy(const uint8_t *bytes, size_t n) MUST_CHECK;
/* That this process may use, which is all of them for the first one. 0: not known. */
uint32_t agent_machine_online_cpus(void);
/* CLOCK_BOOTTIME */
uint64_t agent_machine_uptime_ns(void);
/* A setting of the kernel, in a file that exists. 0 or an errno, which errno has as well. */
int agent_machine_write(const char *path, const char *text);
/* MemAvailable of /proc/meminfo; 0 when it is not there. */
uint64_t agent_machine_available_kb(void);
uint64_t agent_machine_parse_available_kb(const char *meminfo) MUST_CHECK;
/* Syncs and restarts the machine, which ends it where it does not reboot. */
void agent_machine_reboot(void);
/* Syncs and turns the machine off; comes back only if the kernel refuses. */
void agent_machine_power_off(void);

/* The duties of PID 1 before anything can be served. */

/* Makes a machine out of an initramfs. What goes wrong becomes a line of *log, and work goes on. */
void agent_setup_machine(struct strbuf *log);
/* Is this word, or word=…, an argument of the kernel? */
bool agent_setup_cmdline_has(const char *cmdline, const char *word);

#define AGENT_PORT_NAME "ktstr.ctl"

/* The device file's name ("vport1p1") of the virtio port with this name; the caller frees it. */
struct error *agent_port_find(const char *sysfs, const char *name, char **ret) MUST_CHECK;

/* The channel that needs no interrupt: see wire/mailbox.h. */

/* Finds the memory on the PCI bus and maps it. */
struct error *agent_mailbox_open(const char *sysfs) MUST_CHECK;
void agent_mailbox_write(const void *bytes, size_t n);
struct bytes agent_mailbox_read(bool *more);

/*
 * Turns every controller that this cgroup has on for its children. What the kernel refuses is
 * left off: a controller may be in use elsewhere.
 */
void agent_cgroup_enable_all(const char *path);
/*
 * Makes root/name with all controllers, level by level. A name that leads out of the
 * root is EINVAL. 0 or an errno.
 */
int agent_cgroup_make(const char *root, const char *name) MUST_CHECK;
/* Moves the calling process. 0 or an errno. */
int agent_cgroup_enter(const char *root, const char *name) MUST_CHECK;

/*
 * Paths below a directory, as a process whose root it is would see them: no link and no
 * `..` leads out. All return a descriptor, or -1 with errno.
 */

int agent_below_open(int root, const char *path, int flags) MUST_CHECK;
/* Makes what is missing on the way (0755). "" and "/" are the root itself. */
int agent_below_make_directories(int root, const char *path) MUST_CHECK;
/*
 * The directory that holds the path's last part, made if missing; *ret_base points
 * to that part inside path. A path without one, or whose last part is `.` or `..`, is EINVAL.
 */
int agent_below_parent(int root, const char *path, const char **ret_base) MUST_CHECK;

#endif
