// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

#include <unistd.h>

#include "cli/doctor/doctor.h"
#include "text/terminal.h"

struct doctor_config {
	bool json;
	bool kvm;
};

static const struct cli_option options[] = {
	CLI_OPTION("json", NULL, CLI_FLAG(struct doctor_config, json),
		   "print the findings as JSON"),
	CLI_OPTION("kvm", NULL, CLI_FLAG(struct doctor_config, kvm),
		   "try KVM with real guests and print a block to paste into a report"),
};

static const struct cli_word_row words[] = {
#define CHECK_WORD_(name, what) { #name, NULL, what },
	DOCTOR_CHECKS(CHECK_WORD_)
#undef CHECK_WORD_
};

static struct error *check(void *config_)
{
	const struct doctor_config *config = config_;

	if (config->json && config->kvm)
		return cli_error(CLI_USAGE, 0, "--kvm prints text; leave out --json");
	return NULL;
}

static int print_and_clear(struct strbuf *text)
{
	int printed = cli_print(text);

	strbuf_clear(text);
	return printed;
}

static int run(const struct cli_invocation *invocation UNUSED, const void *config_)
{
	const struct doctor_config *config = config_;
	_cleanup_doctor_report_ struct doctor_report report = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	int printed;

	if (config->kvm)
		return doctor_kvm_run(print_and_clear, &text);
	doctor_report_make(doctor_checks, doctor_n_checks, "", &report);
	if (config->json)
		doctor_report_format_json(&report, &text);
	else
		doctor_report_format(&report, text_terminal_columns(STDOUT_FILENO), &text);
	printed = cli_print(&text);
	return printed ? printed : doctor_report_exit_code(&report);
}

const struct cli_command cli_cmd_doctor = {
	.name = "doctor",
	.summary = "Check whether this machine has what guests and instruments need",
	.usage = "[--json | --kvm]",
	.description =
		"Each line is ok, limited (it works, but less or slower) or missing, with the one command that fixes it.",
	CLI_OPTIONS(options),
	CLI_WORDS("Checks", words),
	CLI_EXITS_USUAL("nothing is missing; with --kvm: every step worked",
			"something is missing; with --kvm: a step failed"),
	.config_size = sizeof(struct doctor_config),
	.check = check,
	.run = run,
};
