/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What this machine's /proc does with values of the kernel, asked once for all threads. */
#ifndef KTSTR_CTPROF_BPF_RULES_H
#define KTSTR_CTPROF_BPF_RULES_H

#include "ctprof/bpf/sample.h"

/* Reads files below root; system calls are asked about the machine itself. */
void ctprof_bpf_rules_read(const char *root, struct ctprof_bpf_rules *ret);

/* Of "0-3,5\n"; false when a CPU does not fit. */
bool ctprof_bpf_rules_parse_cpus(const char *text, size_t n,
				 uint64_t cpus[CTPROF_BPF_RECORD_CPU_WORDS]);

#endif
