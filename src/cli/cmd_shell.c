// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands.h"

#include <signal.h>

#include "base/io.h"
#include "kernel/kernel.h"
#include "vm/exec.h"

struct shell_config {
	const char *kernel;
	const char *topology;
	const char *exec;
	int accel;
	uint32_t memory_mb;
	bool cold;
	bool verbose;
};

static const struct option_row options[] = {
	{ .name = "kernel",
	  .letter = 'k',
	  .argument = "KERNEL",
	  OPTION_STRING(struct shell_config, kernel),
	  .help = "a series, a version, or a path; see ktstr kernel list" },
	{ .name = "topology",
	  .letter = 't',
	  .argument = "TOPOLOGY",
	  OPTION_STRING(struct shell_config, topology),
	  .help = "nodes, LLCs, cores and threads of the machine, like 1n2l2c1t" },
	{ .name = "memory",
	  .letter = 'm',
	  .argument = "MIB",
	  OPTION_U32(struct shell_config, memory_mb, 128, 1 << 24),
	  .help = "memory of the machine" },
	{ .name = "exec",
	  .argument = "COMMAND",
	  OPTION_STRING(struct shell_config, exec),
	  .help = "run this with the guest's sh -c" },
	{ .name = "cold",
	  OPTION_FLAG(struct shell_config, cold),
	  .help = "boot from the first instruction instead of cloning a booted guest" },
	{ .name = "accel",
	  .argument = "NAME",
	  OPTION_CHOICE(struct shell_config, accel, accel_wish_words),
	  .help = "what executes the guest" },
	{ .name = "verbose",
	  .letter = 'v',
	  OPTION_FLAG(struct shell_config, verbose),
	  .help = "say what goes on" },
};

static void say(void *context UNUSED, const char *line)
{
	fprintf(stderr, "ktstr: %s\n", line);
}

static struct error *put_out(void *context UNUSED, enum vm_stream stream, const void *bytes,
			     size_t n)
{
	return io_write_all(stream == VM_STDOUT ? 1 : 2, "output", bytes, n);
}

static struct error *shell(const struct shell_config *config, int *ret_status)
{
	const char *const argv[] = { "sh", "-c", config->exec, NULL };
	struct vm_command command = { .argv = argv, .stdin_fd = -1, .on_output = put_out };
	struct vm_spec spec = {
		.topology = TOPOLOGY_DEFAULT,
		.memory_bytes = (uint64_t)config->memory_mb << 20,
		.accel = (enum accel_wish)config->accel,
		.cold = config->cold,
		.say = config->verbose ? say : NULL,
	};
	_cleanup_kernel_ struct kernel *kernel = NULL;
	_cleanup_vm_ struct vm *vm = NULL;
	struct error *err = NULL;
	struct vm_end end;

	if (config->topology)
		err = topology_parse(config->topology, &spec.topology);
	if (!err)
		err = kernel_resolve(config->kernel, &kernel);
	spec.kernel = kernel;
	if (!err)
		err = vm_start(&spec, NULL, &vm);
	if (!err)
		err = vm_exec(vm, &command, NULL, &end);
	if (err)
		return err;
	*ret_status = (int)end.value;
	return NULL;
}

static int run(const struct invocation *invocation UNUSED, const void *config)
{
	_cleanup_error_ struct error *err = NULL;
	int status = 0;

	err = shell(config, &status);
	if (!err)
		return status;
	command_print_error(error_message(err));
	return EXIT_FAILED;
}

const struct command cmd_shell = {
	.name = "shell",
	.summary = "Run a command or a shell in a fresh guest",
	.usage = "[options]",
	.options = options,
	.n_options = ARRAY_SIZE(options),
	.config_size = sizeof(struct shell_config),
	.run = run,
};
