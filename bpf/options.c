// SPDX-License-Identifier: GPL-2.0-or-later
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	EXIT_USAGE = 2,
	/* What the kernel takes (SCX_WATCHDOG_MAX_TIMEOUT, 6.12). */
	TIMEOUT_MAX_MS = 30000,
	SLICE_MAX_US = 1000000,
	AFTER_MAX_MS = 3600000,
};

static const struct {
	const char *word;
	const char *help;
} faults[] = {
#define ROW(name, word, help) [name] = { word, help },
	FIFO_FAULTS(ROW)
#undef ROW
};

static void print_help(void)
{
	printf("Usage: scx_ktfifo [options]\n\n"
	       "Schedules all tasks first in, first out, until SIGINT or SIGTERM.\n\n"
	       "  --slice-us N     time a task may run before the next one (default 20000)\n"
	       "  --timeout-ms N   the kernel's patience with a task that does not run,\n"
	       "                   at most %d (default 20000)\n"
	       "  --fault WORD     go wrong on purpose, see below\n"
	       "  --after-ms N     when, counted from attaching (default 1000)\n"
	       "  --verbose        all that libbpf has to say\n"
	       "  -h, --help       this text\n\n"
	       "Faults:\n",
	       TIMEOUT_MAX_MS);
	for (unsigned int i = 0; i < FIFO_FAULT_COUNT; i++)
		printf("  %-15s  %s\n", faults[i].word, faults[i].help);
	printf("\nExit status: 0 ended by a signal, 1 ended by the kernel or not loaded, 2 usage.\n");
}

static _Noreturn void refuse(const char *option, const char *value, const char *wanted)
{
	fprintf(stderr, "scx_ktfifo: --%s %s: %s\n", option, value, wanted);
	exit(EXIT_USAGE);
}

static unsigned int number(const char *option, const char *text, unsigned int min, unsigned int max)
{
	char wanted[64];
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || *end || value < min || value > max) {
		snprintf(wanted, sizeof(wanted), "expected a number from %u to %u", min, max);
		refuse(option, text, wanted);
	}
	return value;
}

static enum fifo_fault fault_of(const char *word)
{
	for (unsigned int i = 0; i < FIFO_FAULT_COUNT; i++) {
		if (strcmp(faults[i].word, word) == 0)
			return i;
	}
	refuse("fault", word, "no such fault; see --help");
}

void options_parse(int argc, char **argv, struct options *options)
{
	static const struct option rows[] = {
		{ "slice-us", required_argument, NULL, 's' },
		{ "timeout-ms", required_argument, NULL, 't' },
		{ "fault", required_argument, NULL, 'f' },
		{ "after-ms", required_argument, NULL, 'a' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int letter;

	*options = (struct options){ .slice_us = 20000, .timeout_ms = 20000, .after_ms = 1000 };
	while ((letter = getopt_long(argc, argv, "h", rows, NULL)) != -1) {
		switch (letter) {
		case 's':
			options->slice_us = number("slice-us", optarg, 1, SLICE_MAX_US);
			break;
		case 't':
			options->timeout_ms = number("timeout-ms", optarg, 1, TIMEOUT_MAX_MS);
			break;
		case 'f':
			options->fault = fault_of(optarg);
			break;
		case 'a':
			options->after_ms = number("after-ms", optarg, 0, AFTER_MAX_MS);
			break;
		case 'v':
			options->verbose = true;
			break;
		case 'h':
			print_help();
			exit(EXIT_SUCCESS);
		default:
			exit(EXIT_USAGE);
		}
	}
	if (optind < argc) {
		fprintf(stderr, "scx_ktfifo: %s: no argument expected\n", argv[optind]);
		exit(EXIT_USAGE);
	}
}
