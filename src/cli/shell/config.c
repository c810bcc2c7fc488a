// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/slice.h"
#include "cli/frame/commands.h"
#include "vm/image/image.h"
#include "vm/qemu/accel.h"

struct error *shell_parse_memory(const char *text, uint64_t *ret_bytes)
{
	struct slice number = { text, strspn(text, "0123456789") };
	const char *unit = text + number.n;
	unsigned int shift = strcasecmp(unit, "G") == 0 ? 10 : 0;
	uint64_t mib;

	if ((*unit && !shift && strcasecmp(unit, "M") != 0) || !slice_u64(number, &mib) ||
	    mib > (uint64_t)SHELL_MEMORY_MAX_MIB >> shift || mib << shift < SHELL_MEMORY_MIN_MIB)
		return cli_error(
			CLI_USAGE, 0,
			"--memory '%s' is not a size from %dM to %dG, such as 512M, 2G, or a number of MiB",
			text, SHELL_MEMORY_MIN_MIB, SHELL_MEMORY_MAX_MIB >> 10);
	*ret_bytes = mib << shift << 20;
	return NULL;
}

static struct error *read_machine(struct shell_config *config)
{
	struct error *err = NULL;

	config->spec.topology = TOPO_DEFAULT;
	if (config->topology)
		err = cli_parse_topology(config->topology, &config->spec.topology);
	if (!err && config->memory)
		err = shell_parse_memory(config->memory, &config->spec.memory_bytes);
	if (!err && config->memory && config->spec.topology.has_memory)
		err = cli_error(CLI_USAGE, 0,
				"--memory and the mem= of --topology exclude each other");
	return err;
}

static struct error *read_clock(struct shell_config *config)
{
	struct vm_speed speed;
	struct error *err;

	if (config->deterministic || config->clock == VM_CLOCK_WISH_VIRTUAL)
		config->spec.clock = VM_CLOCK_VIRTUAL;
	config->spec.mips = config->mips;
	config->spec.seed = config->seed;
	if (config->spec.clock == VM_CLOCK_REAL)
		return config->mips || config->trace
			       ? cli_error(CLI_USAGE, 0, "--%s needs --clock virtual",
					   config->mips ? "mips" : "trace")
			       : NULL;
	if (config->accel == VM_ACCEL_WISH_KVM)
		return cli_error(CLI_USAGE, 0,
				 "--clock virtual counts instructions, which only --accel tcg can");
	err = vm_speed_choose(config->mips, topo_cpus(&config->spec.topology), &speed);
	return error_wrap(err ? error_recast(err, &cli_error_domain, CLI_USAGE) : NULL, "--mips");
}

struct error *shell_check(void *config_)
{
	struct shell_config *config = config_;
	struct error *err;

	if (config->exec && config->argv)
		return cli_error(CLI_USAGE, 0, "--exec and a command after -- exclude each other");
	if (config->timeout_sec && !config->exec && !config->argv)
		return cli_error(CLI_USAGE, 0, "--timeout needs a command: give --exec or --");
	if (config->deterministic && config->clock == VM_CLOCK_WISH_REAL)
		return cli_error(CLI_USAGE, 0,
				 "--deterministic and --clock real exclude each other");
	err = read_machine(config);
	return err ? err : read_clock(config);
}

static void list_env(struct command_line *line)
{
	size_t n = 0;

	if (line->term)
		line->env[n++] = line->term;
	if (line->prompt)
		line->env[n++] = line->prompt;
	line->env[n] = NULL;
}

void command_line_init(struct command_line *line, const struct shell_config *config,
		       bool stdin_is_terminal, const char *term)
{
	*line = (struct command_line){ .own = { "sh" } };
	line->argv = config->argv ? config->argv : line->own;
	if (config->exec) {
		line->own[1] = "-c";
		line->own[2] = config->exec;
	}
	line->pty = !config->exec && !config->argv && stdin_is_terminal;
	if (line->pty && term && term[0])
		line->term = xasprintf("TERM=%s", term);
	list_env(line);
}

void command_line_set_prompt(struct command_line *line, const char *version,
			     const struct topo *topology)
{
	_cleanup_strbuf_ struct strbuf prompt = STRBUF_INIT;

	if (!line->pty)
		return;
	strbuf_appendf(&prompt, "PS1=ktstr %s ", version);
	topo_format_shape(topology, &prompt);
	strbuf_append(&prompt, ":\\w\\$ ");
	free(line->prompt);
	line->prompt = strbuf_take(&prompt);
	list_env(line);
}

void command_line_deinit(struct command_line *line)
{
	free(line->term);
	free(line->prompt);
	*line = (struct command_line){ 0 };
}

static struct error *pack(const struct cli_strings *specs, uint64_t limit_bytes,
			  struct strbuf *archive)
{
	_cleanup_vm_guest_files_ struct vm_guest_files *g = vm_guest_files_new(NULL);
	struct error *err = NULL;

	for (size_t i = 0; !err && i < specs->n; i++)
		err = vm_guest_files_add_spec(g, specs->at[i]);
	if (!err && specs->n)
		err = vm_guest_files_pack(g, limit_bytes, archive);
	if (error_is(err, &base_error_domain, BASE_LIMIT))
		err = error_wrap(err, "more than %llu MiB; give the guest more memory with -m",
				 (unsigned long long)(limit_bytes >> 20));
	return err;
}

struct error *shell_pack_files(const struct cli_strings *specs, uint64_t limit_bytes,
			       struct strbuf *archive)
{
	return error_wrap(pack(specs, limit_bytes, archive), "--include");
}
