// SPDX-License-Identifier: LGPL-2.1-or-later
#include "wire/message.h"

#define U16(name)    wire_append_uint(out, message->name, 2);
#define U32(name)    wire_append_uint(out, message->name, 4);
#define U64(name)    wire_append_uint(out, message->name, 8);
#define RAW(name, n) strbuf_append_bytes(out, message->name, n);
#define TEXT(name)   wire_append_text(out, message->name);
#define WIRE_MESSAGE(name, fields)                                                       \
	void wire_##name##_encode(const struct wire_##name *message, struct strbuf *out) \
	{                                                                                \
		fields                                                                   \
	}
#include "wire/messages.def"
#undef WIRE_MESSAGE
#undef U16
#undef U32
#undef U64
#undef RAW
#undef TEXT

static void take_raw(struct cursor *c, uint8_t *into, size_t n)
{
	const uint8_t *at = cursor_take(c, n);

	if (at)
		memcpy(into, at, n);
}

static struct error *check_end(const struct cursor *c, const char *name)
{
	if (c->failed)
		return wire_error(WIRE_MALFORMED, 0, "%s: cut short at %zu bytes", name, c->in.n);
	if (cursor_left(c))
		return wire_error(WIRE_MALFORMED, 0, "%s: %zu bytes too many", name,
				  cursor_left(c));
	return NULL;
}

#define U16(name)    message.name = cursor_u16(&c);
#define U32(name)    message.name = cursor_u32(&c);
#define U64(name)    message.name = cursor_u64(&c);
#define RAW(name, n) take_raw(&c, message.name, n);
#define TEXT(name)   message.name = cursor_string(&c);
#define WIRE_MESSAGE(name, fields)                                                        \
	struct error *wire_##name##_decode(struct bytes payload, struct wire_##name *ret) \
	{                                                                                 \
		struct wire_##name message = { 0 };                                       \
		struct cursor c = cursor_over(payload);                                   \
		struct error *err;                                                        \
                                                                                          \
		fields;                                                                   \
		err = check_end(&c, #name);                                               \
		if (!err)                                                                 \
			*ret = message;                                                   \
		return err;                                                               \
	}
#include "wire/messages.def"
