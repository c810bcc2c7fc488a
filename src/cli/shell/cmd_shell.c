// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"
#include "cli/shell/shell.h"
#include "vm/qemu/accel.h"

static const struct cli_option options[] = {
	CLI_OPTION("kernel", "KERNEL", CLI_STRING(struct shell_config, kernel),
		   "a series, a version, or a path; see ktstr kernel list", .letter = 'k',
		   .complete = CLI_COMPLETE_FILE),
	CLI_OPTION(
		"topology", "TOPOLOGY", CLI_STRING(struct shell_config, topology),
		"the machine, like 1n2l2c1t, a number of CPUs, or the name of a preset; see ktstr topo",
		.letter = 't'),
	CLI_OPTION("memory", "SIZE", CLI_STRING(struct shell_config, memory),
		   "memory of the machine: 512M, 2G, or a number of MiB", .letter = 'm'),
	CLI_OPTION(
		"include", "FILE[:GUESTPATH]", CLI_STRINGS(struct shell_config, files),
		"put a file into the guest, a program with its libraries; without GUESTPATH it goes into /root",
		.letter = 'i', .complete = CLI_COMPLETE_FILE),
	CLI_OPTION("module", "NAME", CLI_STRINGS(struct shell_config, modules),
		   "load a module of the kernel's package, with those it needs"),
	CLI_OPTION("exec", "COMMAND", CLI_STRING(struct shell_config, exec),
		   "run this string with the guest's sh -c"),
	CLI_OPTION("timeout", "SECONDS", CLI_U32(struct shell_config, timeout_sec, 1, 1000000),
		   "kill the command after this time"),
	CLI_OPTION(
		"keep-guest", "SECONDS", CLI_U32(struct shell_config, keep_guest_sec, 1, 86400),
		"stop a guest that hung or panicked and keep it for this time, for ktstr inspect; ktstr vm kill or Ctrl-C ends it"),
	CLI_OPTION("cold", NULL, CLI_FLAG(struct shell_config, spec.cold),
		   "boot from the first instruction instead of cloning a booted guest"),
	CLI_OPTION(
		"clock", "NAME", CLI_CHOICE(struct shell_config, clock, vm_clock_wish_words),
		"what time is in the guest: a virtual clock counts its instructions, so that a run repeats to the bit, and input is read before the command starts; with this command auto is real"),
	CLI_OPTION("deterministic", NULL, CLI_FLAG(struct shell_config, deterministic),
		   "the same as --clock virtual"),
	CLI_OPTION("seed", "N", CLI_U32(struct shell_config, seed, 0, UINT32_MAX),
		   "with a virtual clock: random bytes, and where turns of CPUs end"),
	CLI_OPTION(
		"mips", "M", CLI_U32(struct shell_config, mips, 1, 1000),
		"with a virtual clock: millions of instructions per second of one CPU when all are busy"),
	CLI_OPTION("trace", "FILE", CLI_STRING(struct shell_config, trace),
		   "with a virtual clock: write down each scheduling event; see ktstr trace",
		   .complete = CLI_COMPLETE_FILE),
	CLI_OPTION("accel", "NAME", CLI_CHOICE(struct shell_config, accel, vm_accel_wish_words),
		   "what executes the guest"),
	CLI_OPTION(
		"cpu", "MODEL", CLI_STRING(struct shell_config, spec.cpu),
		"CPU model in QEMU's syntax, in place of the default: max,vendor=GenuineIntel,level=32"),
	CLI_OPTION("kernel-args", "ARGS", CLI_STRING(struct shell_config, spec.kernel_args),
		   "more arguments for the guest's kernel"),
	CLI_OPTION("verbose", NULL, CLI_FLAG(struct shell_config, verbose),
		   "print what is done and how long each step takes", .letter = 'v'),
	CLI_ARGUMENT("ARG", CLI_REST(struct shell_config, argv),
		     "a command and its arguments, passed as they are, without a shell"),
};

/* What is 0 unless it is asked for stands in the rows; a seed may be 0. */
static const struct shell_config defaults = { .seed = VM_SEED_DEFAULT };

static const struct cli_exit_row exits[] = {
	{ SHELL_TIMED_OUT, "the command was killed by --timeout" },
	{ SHELL_FAILED, "ktstr or the guest failed, or the command line is wrong" },
	{ SHELL_NOT_EXECUTABLE, "the guest could not execute the command" },
	{ SHELL_NOT_FOUND, "the guest has no such command" },
	{ SHELL_SIGNAL, "plus N: signal N ended the command or ktstr" },
};

static int run(const struct cli_invocation *invocation UNUSED, const void *config)
{
	return shell_run(config);
}

const struct cli_command cli_cmd_shell = {
	.name = "shell",
	.summary = "Run a command or a shell in a fresh guest",
	.usage = "[options] [--exec COMMAND | -- ARG...]",
	.description =
		"Boots a kernel with the topology asked for, or clones a guest that was booted before, and runs a command there: standard streams are those of the command, and so is the exit status. Without a command it is an interactive shell, ended by exit or Ctrl-A X.",
	.examples = "  ktstr shell\n"
		    "  ktstr shell -t 2n4l2c1t --exec 'nproc; dmesg | tail'\n"
		    "  ktstr shell -i ./prog -- ./prog --flag 'one argument'\n"
		    "  tar c . | ktstr shell -m 2G --exec 'tar x -C /tmp; ls /tmp'\n",
	CLI_ROWS(options, 1),
	.usage_exit = SHELL_FAILED,
	CLI_EXITS(exits),
	.config_size = sizeof(struct shell_config),
	.defaults = &defaults,
	.check = shell_check,
	.run = run,
};
