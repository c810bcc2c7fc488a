/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RUN message: arguments travel as a vector, never as a string to be split. */
#ifndef KTSTR_WIRE_RUN_H
#define KTSTR_WIRE_RUN_H

#include "base/bytes.h"
#include "base/strbuf.h"
#include "wire/error.h"
#include "wire/limits.h"

enum wire_run_flag {
	WIRE_RUN_STDIN = 1 << 0,  /* a pipe that STDIN frames fill; without it /dev/null */
	WIRE_RUN_PTY = 1 << 1,	  /* a terminal for all three; output comes as STDOUT */
	WIRE_RUN_REPORT = 1 << 2, /* one more pipe: what is written there comes as REPORT */
	WIRE_RUN_FLAGS = WIRE_RUN_STDIN | WIRE_RUN_PTY | WIRE_RUN_REPORT,
};

struct wire_run {
	uint32_t flags;
	uint16_t cols, rows; /* of the terminal; 0 without one */
	const char *cwd;     /* "" is "/" */
	const char *cgroup;  /* below the cgroup2 mount, made if absent; "" is the agent's own */
	const char *const *argv; /* ends with NULL; argv[0] is looked up in PATH */
	const char *const *env;	 /* ends with NULL; "NAME=value", in front of the defaults */
	size_t n_argv, n_env;	 /* set by the decoder, not read by the encoder */
};

/* argv and env may be NULL for none. */
void wire_run_encode(const struct wire_run *run, struct strbuf *out);
/*
 * The texts are borrowed from the payload, the two vectors are the message's own:
 * wire_run_deinit() frees them. An empty argv or an unknown flag is WIRE_MALFORMED.
 */
struct error *wire_run_decode(struct bytes payload, struct wire_run *ret) MUST_CHECK;
void wire_run_deinit(struct wire_run *run);

#endif
