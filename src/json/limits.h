/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound of the room, so that hostile text costs at most this much. */
#ifndef KTSTR_JSON_LIMITS_H
#define KTSTR_JSON_LIMITS_H

enum {
	/* A document; yyjson needs at most 16 bytes of memory for every two bytes of text. */
	JSON_DOC_BYTES_LIMIT = 64 << 20,
	/* Containers inside each other, when reading and when writing. */
	JSON_NESTING_LIMIT = 512,
	/* Containers inside each other that the leaf walk enters. */
	JSON_WALK_DEPTH_LIMIT = 64,
	JSON_WALK_LEAVES_LIMIT = 1 << 20,
	/* Sum of the lengths of all leaf names. */
	JSON_WALK_NAME_BYTES_LIMIT = 64 << 20,
	/* Opening brackets tried as the start of a document in a program's output. */
	JSON_FIND_ATTEMPTS_LIMIT = 64,
	/* Elements of a list that is read by rows which have no limit of their own. */
	JSON_LIST_LIMIT = 4096,
};

#endif
