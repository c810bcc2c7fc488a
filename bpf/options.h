/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KTSTR_BPF_OPTIONS_H
#define KTSTR_BPF_OPTIONS_H

#include <stdbool.h>

#include "fifo.h"

struct options {
	unsigned int slice_us;
	unsigned int timeout_ms;
	unsigned int after_ms;
	enum fifo_fault fault;
	bool verbose;
};

/* Ends the process when the command line asks for help or makes no sense. */
void options_parse(int argc, char **argv, struct options *options);

#endif
