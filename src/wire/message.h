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

#include "base/bytes.h"
#include "base/strbuf.h"
#include "wire/error.h"
#include "wire/limits.h"

/* struct wire_exited, how */
enum wire_end {
	WIRE_END_EXITED,      /* value: exit status */
	WIRE_END_SIGNALLED,   /* value: signal */
	WIRE_END_NOT_STARTED, /* value: errno of what failed before the program ran */
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

#endif
