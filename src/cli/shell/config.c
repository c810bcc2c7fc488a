// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

#include <stdlib.h>
#include <string.h>

#include "cli/frame/command.h"
#include "cli/frame/topology_option.h"
#include "vm/qemu/accel.h"
#include "vm/deterministic/deterministic.h"

struct error *shell_parse_memory(const char *text, uint64_t *ret_bytes)
{
	size_t digits = strspn(text, "0123456789");
	unsigned long long mib;

	errno = 0;
	mib = strtoull(text, NULL, 10);
	if (digits == 0 || errno)
		goto wrong;
	if (strcmp(text + digits, "G") == 0 || strcmp(text + digits, "g") == 0) {
		if (mib > SHELL_MEMORY_MAX_MIB)
			goto wrong;
		mib <<= 10;
	} else if (text[digits] && strcmp(text + digits, "M") != 0 &&
		   strcmp(text + digits, "m") != 0) {
		goto wrong;
	}
	if (mib < SHELL_MEMORY_MIN_MIB || mib > SHELL_MEMORY_MAX_MIB)
		goto wrong;
	*ret_bytes = (uint64_t)mib << 20;
	return NULL;
wrong:
	return cli_error(
		CLI_USAGE, 0,
		"--memory '%s' is not a size from %dM to %dG, such as 512M, 2G, or a number of MiB",
		text, SHELL_MEMORY_MIN_MIB, SHELL_MEMORY_MAX_MIB >> 10);
}

static struct error *read_machine(struct shell_config *config)
{
	struct error *err = NULL;

	config->machine = TOPO_DEFAULT;
	if (config->topology)
		err = cli_parse_topology(config->topology, &config->machine);
	if (!err && config->memory)
		err = shell_parse_memory(config->memory, &config->memory_bytes);
	if (!err && config->memory && config->machine.has_memory)
		err = cli_error(CLI_USAGE, 0,
				"--memory and the mem= of --topology exclude each other");
	return err;
}

struct error *shell_check(void *config_)
{
	struct shell_config *config = config_;
	unsigned int shift;

	if (config->exec && config->argv)
		return cli_error(CLI_USAGE, 0, "--exec and a command after -- exclude each other");
	if (config->timeout_sec && !config->exec && !config->argv)
		return cli_error(CLI_USAGE, 0, "--timeout needs a command: give --exec or --");
	if (config->mips && !config->deterministic)
		return cli_error(CLI_USAGE, 0, "--mips needs --deterministic");
	if (config->mips) {
		struct error *err = vm_mips_to_shift(config->mips, &shift);

		if (err)
			return error_wrap(error_recast(err, &cli_error_domain, CLI_USAGE),
					  "--mips");
	}
	if (config->deterministic && config->accel == VM_ACCEL_WISH_KVM)
		return cli_error(CLI_USAGE, 0,
				 "--deterministic counts instructions, which only --accel tcg can");
	if (config->deterministic && config->keep_guest_sec)
		return cli_error(
			CLI_USAGE, 0,
			"--keep-guest needs a guest with a monitor, which --deterministic excludes");
	if (config->deterministic && config->modules.n)
		return cli_error(CLI_USAGE, 0,
				 "--module needs a running guest, which --deterministic excludes");
	return read_machine(config);
}
