/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The first document in a program's output: the whole text without the blanks
 * around it, else the first balanced {…} or […] in it. Only that first region
 * counts: when it is not JSON there is no document, whatever follows.
 */
#ifndef KTSTR_JSON_FIND_H
#define KTSTR_JSON_FIND_H

#include "json/doc.h"

/* BASE_ABSENT when no region is balanced, else as json_doc_parse(). */
struct error *json_find_document(const char *text, size_t n, const char *label,
				 struct json_doc **ret) MUST_CHECK;

#endif
