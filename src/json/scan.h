/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Brackets and strings of text that may or may not be JSON. A string hides
 * brackets, a backslash hides the end of a string; nothing else is looked at.
 */
#ifndef KTSTR_JSON_SCAN_H
#define KTSTR_JSON_SCAN_H

#include "base/macros.h"
#include "json/doc.h"

/* What JSON allows between its words. */
static inline bool json_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

enum json_scan_result {
	JSON_SCAN_BALANCED,
	JSON_SCAN_UNBALANCED,
	JSON_SCAN_TOO_DEEP,
};

/*
 * From the bracket at `start` to its partner. *ret_end is the offset behind
 * the partner, or of the bracket that is one too deep; untouched when unbalanced.
 */
enum json_scan_result json_scan_region(const char *text, size_t n, size_t start, size_t *ret_end);

/*
 * Where the value of the object's member number `index` opens its bracket. The
 * text is a valid document whose root is an object and whose member has an
 * array or object as its value; false when it is not so.
 */
bool json_scan_member(const char *text, size_t n, size_t index, size_t *ret_start);

/*
 * The first document in a program's output: the whole text without the blanks
 * around it, else the first balanced {…} or […] in it. Only that first region
 * counts: when it is not JSON there is no document, whatever follows.
 */

/* BASE_ABSENT when no region is balanced, else as json_doc_parse(). */
struct error *json_find_document(const char *text, size_t n, const char *label,
				 struct json_doc **ret) MUST_CHECK;

#endif
