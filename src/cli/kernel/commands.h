/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sub-commands of `ktstr kernel` and what they share. */
#ifndef KTSTR_CLI_KERNEL_COMMANDS_H
#define KTSTR_CLI_KERNEL_COMMANDS_H

#include "base/bytes.h"
#include "cli/frame/command.h"
#include "cli/frame/screen.h"
#include "json/writer.h"
#include "kernel/kernel.h"

extern const struct cli_command cmd_kernel_fetch;
extern const struct cli_command cmd_kernel_add;
extern const struct cli_command cmd_kernel_remove;

/* Bytes of its files and modules. */
uint64_t kernel_disk_bytes(const struct kernel *kernel);
/* Lines about what the kernel is not fit for; NULL config: there is none to look at. */
void kernel_format_notes(const struct kernel *kernel, const struct bytes *config,
			 struct strbuf *into);
/* The same on standard error, with the configuration that is cached with it. */
void kernel_say_notes(const struct kernel *kernel);
/* "usable", or the word with the reason behind it. */
void kernel_format_scx(const struct kernel *kernel, struct strbuf *into);
/* Everything about a kernel as one JSON object, paths included. */
void kernel_write_json(const struct kernel *kernel, struct json_writer *w);
void kernel_format_json(const struct kernel *kernel, struct strbuf *into);

/*
 * Progress on standard error: a line that is rewritten on a terminal, else one line per step.
 * SIGINT and SIGTERM cancel the work; a second one kills.
 */
struct kernel_screen {
	struct kernel_watch watch; /* give this to the room */
	struct cancel cancel;
	struct cli_screen screen;
};

/* `screen` must live as long as the program. */
void kernel_screen_init(struct kernel_screen *screen, bool quiet);
void kernel_screen_finish(struct kernel_screen *screen);

#endif
