/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef KTSTR_WIRE_TYPE_H
#define KTSTR_WIRE_TYPE_H

#include "base/macros.h"

enum wire_side { WIRE_HOST, WIRE_GUEST };

/* Small and dense, for tables; the number that travels is wire_type_number(). */
enum wire_type {
#define WIRE_TYPE(id, number, word, side) WIRE_##id,
#include "wire/types.def"
#undef WIRE_TYPE
	WIRE_N_TYPES
};

const char *wire_type_word(enum wire_type type);
uint16_t wire_type_number(enum wire_type type);
/* Who sends frames of this type. */
enum wire_side wire_type_sender(enum wire_type type);
/* False and *ret untouched when no type has this number. */
bool wire_type_find(uint16_t number, enum wire_type *ret);

#endif
