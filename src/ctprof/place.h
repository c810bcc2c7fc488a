/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values out of a foreign document, and errors that say where they stand: "threads[3].nice: …".
 * A value that is missing or null is absent, which is no error here; one of another type is.
 */
#ifndef KTSTR_CTPROF_PLACE_H
#define KTSTR_CTPROF_PLACE_H

#include "json/doc.h"
#include "procfs/reading.h"

/* A member of an object, or an element of an array when key is NULL. */
struct place {
	const struct place *outer; /* NULL: the document itself */
	const char *key;
	size_t index;
};

/* BASE_PARSE with the place in front. */
struct error *place_error(const struct place *place, const char *fmt, ...)
	PRINTF_LIKE(2, 3) MUST_CHECK;

/* True unless value is NULL or null. */
bool value_is_there(const struct json_value *value);

/* Untouched outputs when absent; *ret_there (may be NULL) says whether it was there. */
struct error *value_u64(const struct json_value *value, const struct place *place, uint64_t *ret,
			bool *ret_there) MUST_CHECK;
struct error *value_i64(const struct json_value *value, const struct place *place, int64_t min,
			int64_t max, int64_t *ret, bool *ret_there) MUST_CHECK;
struct error *value_bool(const struct json_value *value, const struct place *place, bool *ret,
			 bool *ret_there) MUST_CHECK;
struct error *value_reading(const struct json_value *value, const struct place *place,
			    struct reading *ret) MUST_CHECK;
/* A string into the table; 0 when absent. */
struct error *value_string(const struct json_value *value, const struct place *place,
			   struct intern *strings, uint32_t *ret) MUST_CHECK;
/* An object of numbers; known when it is there. */
struct error *value_named(const struct json_value *value, const struct place *place,
			  struct intern *strings, struct named_readings *ret) MUST_CHECK;
/* NULL when it is absent or of this type. */
struct error *value_expect(const struct json_value *value, const struct place *place,
			   enum json_type type) MUST_CHECK;

#endif
