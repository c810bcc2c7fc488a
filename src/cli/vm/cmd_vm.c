// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

#include <unistd.h>

#include "base/clock.h"
#include "cli/vm/list.h"
#include "vm/run/run.h"

struct list_config {
	bool json;
};

static const struct cli_option list_options[] = {
	CLI_OPTION("json", NULL, CLI_FLAG(struct list_config, json),
		   "print everything that is known as JSON"),
};

static const struct cli_word_row states[] = {
#define STATE_ROW_(id, word, meaning) { word, NULL, meaning },
	VM_RUN_STATES(STATE_ROW_)
#undef STATE_ROW_
};

static struct error *show_list(const void *config_, struct strbuf *out)
{
	const struct list_config *config = config_;
	struct text_look look = text_look_for(STDOUT_FILENO);
	_cleanup_vm_run_list_ struct vm_run_list list = { 0 };
	struct error *err = vm_run_list_read(&list);

	if (err)
		return err;
	vm_run_control_ask(&list);
	if (config->json)
		vm_list_format_json(&list, clock_unix_sec(), out);
	else
		vm_list_format_table(&list, clock_unix_sec(), &look, out);
	return NULL;
}

static const struct cli_command cli_cmd_vm_list = {
	.name = "list",
	.summary = "List the VMs that run now",
	.usage = "[--json]",
	.description =
		"Shows the VMs of this user, the oldest first. Also removes what owners that were killed left behind, and resumes a VM that was left frozen by a ktstr inspect that was killed.",
	CLI_OPTIONS(list_options),
	CLI_WORDS("States", states),
	CLI_EXITS_USUAL("done, also when no VM is running", "the run directory could not be read"),
	.config_size = sizeof(struct list_config),
	.show = show_list,
};

struct one_config {
	const char *name;
};

static const struct cli_option one_positionals[] = {
	CLI_ARGUMENT("NAME", CLI_STRING(struct one_config, name),
		     "the id of a VM of ktstr vm list, or the beginning of it", .required = true),
};

static struct error *act_on_one(const void *config_,
				struct error *(*act)(const struct vm_run_entry *entry),
				const char *done, struct strbuf *out)
{
	const struct one_config *config = config_;
	_cleanup_vm_run_list_ struct vm_run_list list = { 0 };
	const struct vm_run_entry *entry;
	struct error *err = vm_run_list_read(&list);

	if (!err)
		err = vm_run_list_get(&list, config->name, &entry);
	if (!err)
		err = act(entry);
	if (!err)
		strbuf_appendf(out, "VM %s %s\n", entry->id, done);
	return err;
}

static struct error *freeze(const void *config, struct strbuf *out)
{
	return act_on_one(config, vm_run_control_freeze, "is frozen", out);
}

static struct error *resume(const void *config, struct strbuf *out)
{
	return act_on_one(config, vm_run_control_resume, "runs", out);
}

static struct error *end(const void *config, struct strbuf *out)
{
	return act_on_one(config, vm_run_control_kill, "has ended", out);
}

#define ONE_VM                                                           \
	.usage = "NAME", CLI_POSITIONALS(one_positionals),               \
	CLI_EXITS_USUAL("done", "there is no such VM, or QEMU refused"), \
	.config_size = sizeof(struct one_config)

static const struct cli_command cli_cmd_vm_freeze = {
	.name = "freeze",
	.summary = "Stop all CPUs of a VM",
	.description =
		"The guest and its clock stop until ktstr vm resume; they do not continue on their own, whichever process ends meanwhile. Its owner does not report the silence as a hang.",
	ONE_VM,
	.show = freeze,
};

static const struct cli_command cli_cmd_vm_resume = {
	.name = "resume",
	.summary = "Let a VM run that was frozen",
	.description =
		"A guest whose kernel panicked or reset itself cannot continue; it can be inspected and killed.",
	ONE_VM,
	.show = resume,
};

static const struct cli_command cli_cmd_vm_kill = {
	.name = "kill",
	.summary = "End a VM at once",
	.description =
		"Kills QEMU without notice to the guest. Its owner sees that it has ended: a shell fails, a test is broken, a guest that was kept is released.",
	ONE_VM,
	.show = end,
};

static const struct cli_command *const subcommands[] = { &cli_cmd_vm_list, &cli_cmd_vm_freeze,
							 &cli_cmd_vm_resume, &cli_cmd_vm_kill };

const struct cli_command cli_cmd_vm = {
	.name = "vm",
	.summary = "List, stop and end running VMs",
	.usage = "COMMAND [options]",
	CLI_SUBCOMMANDS(subcommands),
};
