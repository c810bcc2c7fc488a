/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A machine that boots: steps shared by cold guests and templates. */
#ifndef KTSTR_VM_BOOT_H
#define KTSTR_VM_BOOT_H

#include "vm/state.h"

/* Grows with the CPUs, knows that emulation is slow and that a trial of KVM is short. */
uint64_t vm_boot_timeout_ns(const struct vm_accel *accel, unsigned int cpus);
/* The kernel's command line. */
void vm_boot_format_args(const struct topo *topology, const char *extra, struct strbuf *into);
/*
 * The same as it goes to QEMU, with what holds only on this host. One that the kernel would cut off
 * is BASE_LIMIT.
 */
struct error *vm_boot_complete_args(const struct vm_accel *accel, const char *arguments,
				    struct strbuf *into) MUST_CHECK;
/* The same for a guest that follows a plan. */
void vm_boot_format_deterministic_args(const struct topo *topology, const char *extra,
				       struct strbuf *into);
/* The bzImage where there is one: only its decompressor moves the kernel (KASLR). */
void vm_boot_choose_image(const struct kernel *kernel, struct vm_machine_plan *plan);
/* RAM and initramfs as memory files. */
struct error *vm_boot_make_files(struct vm *vm, const struct strbuf *initramfs) MUST_CHECK;
/* Starts QEMU and waits until the agent has answered and the topology is the one asked for. */
struct error *vm_boot_until_ready(struct vm *vm, const struct vm_machine_plan *plan,
				  const uint8_t nonce[WIRE_NONCE_BYTES], uint32_t heartbeat_ms,
				  const struct cancel *cancel) MUST_CHECK;

#endif
