/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Foreign text inside an error message: printable ASCII, the rest as '?', cut
 * with "..." when long. The result lives in a buffer the caller gives.
 */
#ifndef KTSTR_TOPO_QUOTE_H
#define KTSTR_TOPO_QUOTE_H

#include <stddef.h>

struct topo_quote {
	char text[64];
};

static inline const char *topo_quote_bytes(struct topo_quote *q, const char *bytes, size_t n)
{
	size_t room = sizeof(q->text) - 4, kept = n < room ? n : room;

	for (size_t i = 0; i < kept; i++)
		q->text[i] = (char)(bytes[i] >= ' ' && bytes[i] <= '~' ? bytes[i] : '?');
	for (size_t i = 0; i < 3 && n > kept; i++)
		q->text[kept + i] = '.';
	q->text[n > kept ? kept + 3 : kept] = '\0';
	return q->text;
}

#endif
