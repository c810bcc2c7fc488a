/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the guest says goes to our standard output and error, byte by byte as it came. */
#ifndef KTSTR_CLI_SHELL_OUTPUT_H
#define KTSTR_CLI_SHELL_OUTPUT_H

#include "base/cancel.h"
#include "base/error.h"
#include "base/strbuf.h"

/*
 * Writes everything, waits for slow readers, and gives up when it is cancelled. A reader that went
 * away is BASE_IO with EPIPE.
 */
struct error *output_write(int fd, const char *label, const void *bytes, size_t n,
			   const struct cancel *cancel) MUST_CHECK;

/* Lines of our own on standard error, whole also while the terminal is raw. */
void output_say(const char *text);
/* "ktstr: " and one line of foreign text. */
void output_say_line(const char *line);

#endif
