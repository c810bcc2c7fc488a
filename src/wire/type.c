// SPDX-License-Identifier: LGPL-2.1-or-later
#include "wire/frame.h"

static const struct {
	uint16_t number;
	enum wire_side sender;
	const char *word;
} rows[] = {
#define WIRE_TYPE(id, number, word, side) { number, WIRE_##side, word },
#include "wire/types.def"
#undef WIRE_TYPE
};

const char *wire_type_name(enum wire_type type)
{
	return rows[type].word;
}

uint16_t wire_type_number(enum wire_type type)
{
	return rows[type].number;
}

enum wire_side wire_type_sender(enum wire_type type)
{
	return rows[type].sender;
}

bool wire_type_find(uint16_t number, enum wire_type *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].number == number) {
			*ret = (enum wire_type)i;
			return true;
		}
	}
	return false;
}
