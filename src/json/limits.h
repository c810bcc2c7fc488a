/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound of the room, so that hostile text costs at most this much. */
#ifndef KTSTR_JSON_LIMITS_H
#define KTSTR_JSON_LIMITS_H

enum {
	/* A document; yyjson needs at most 16 bytes of memory for every two bytes of text. */
	JSON_LIMIT_DOC_BYTES = 64 << 20,
	/* Containers inside each other, when reading and when writing. */
	JSON_LIMIT_NESTING = 512,
	/* Containers inside each other that the leaf walk enters. */
	JSON_LIMIT_WALK_DEPTH = 64,
	JSON_LIMIT_WALK_LEAVES = 1 << 20,
	/* Sum of the lengths of all leaf names. */
	JSON_LIMIT_WALK_NAME_BYTES = 64 << 20,
	/* Opening brackets tried as the start of a document in a program's output. */
	JSON_LIMIT_FIND_ATTEMPTS = 64,
	/* Elements of a list that is read by rows which have no limit of their own. */
	JSON_LIMIT_LIST = 4096,
};

#endif
