/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `ktstr shell` is asked for, and what it ends with. */
#ifndef KTSTR_CLI_SHELL_CONFIG_H
#define KTSTR_CLI_SHELL_CONFIG_H

#include "cli/frame/option.h"
#include "topo/topology.h"

struct shell_config {
	const char *kernel;
	const char *topology;
	const char *memory;
	struct option_strings files;
	struct option_strings modules;
	const char *exec;
	const char *kernel_args;
	const char *cpu;
	int accel;
	uint32_t timeout_sec;	 /* 0: none */
	uint32_t keep_guest_sec; /* 0: not at all */
	uint32_t mips;		 /* 0: what deterministic runs have by themselves */
	bool deterministic;
	bool cold;
	bool verbose;
	const char *const *argv; /* behind "--"; NULL: nothing was */
};

/* Besides the command's own status, and 128+N for signal N. As docker and podman have them. */
enum shell_exit {
	SHELL_TIMED_OUT = 124,
	SHELL_FAILED = 125,
	SHELL_NOT_EXECUTABLE = 126,
	SHELL_NOT_FOUND = 127,
	SHELL_SIGNAL = 128,
};

enum {
	SHELL_MEMORY_MIN_MIB = 128,
	SHELL_MEMORY_MAX_MIB = 16 << 20,
};

/* "512M", "2G", or a number of MiB. */
struct error *shell_parse_memory(const char *text, uint64_t *ret_bytes) MUST_CHECK;
/* Of a config that passed shell_check(). */
void shell_machine(const struct shell_config *config, struct topology *ret_topology,
		   uint64_t *ret_memory_bytes);
/* For the row of the command: a config that rows alone cannot judge. */
struct error *shell_check(const void *config) MUST_CHECK;

#endif
