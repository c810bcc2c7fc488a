/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the payloads mean. For every row of messages.def, say hello:
 *
 *	struct wire_hello { … };
 *	void wire_hello_encode(const struct wire_hello *message, struct strbuf *out);
 *	struct error *wire_hello_decode(struct bytes payload, struct wire_hello *ret);
 *
 * Decoders take hostile bytes; anything but exactly the fields is WIRE_MALFORMED. Texts
 * in a decoded message are borrowed from the payload.
 */
#ifndef KTSTR_WIRE_MESSAGE_H
#define KTSTR_WIRE_MESSAGE_H

#include <string.h>

#include "wire/frame.h"

/* struct wire_exited, how */
enum wire_end {
	WIRE_END_EXITED,      /* value: exit status */
	WIRE_END_SIGNALLED,   /* value: signal */
	WIRE_END_NOT_STARTED, /* value: errno of what failed before the program ran */
	WIRE_END_TIMED_OUT,   /* killed because of LIMIT; value: signal */
};

#define U16(name)    uint16_t name;
#define U32(name)    uint32_t name;
#define U64(name)    uint64_t name;
#define RAW(name, n) uint8_t name[n];
#define TEXT(name)   const char *name;
#define WIRE_MESSAGE(name, fields)                                                        \
	struct wire_##name {                                                              \
		fields                                                                    \
	};                                                                                \
	void wire_##name##_encode(const struct wire_##name *message, struct strbuf *out); \
	struct error *wire_##name##_decode(struct bytes payload, struct wire_##name *ret) \
		MUST_CHECK;
#include "wire/messages.def"
#undef WIRE_MESSAGE
#undef U16
#undef U32
#undef U64
#undef RAW
#undef TEXT

/* How numbers and texts are written into a payload; the room's own. */

static inline void wire_append_uint(struct strbuf *out, uint64_t value, unsigned int width)
{
	for (unsigned int i = 0; i < width; i++)
		strbuf_append_char(out, (char)(value >> (8 * i) & 0xff));
}

/* With its NUL; absent is empty. */
static inline void wire_append_text(struct strbuf *out, const char *text)
{
	if (!text)
		text = "";
	strbuf_append_bytes(out, text, strlen(text) + 1);
}

/* The RUN message: arguments travel as a vector, never as a string to be split. */

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
