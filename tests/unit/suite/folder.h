/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder for one test, gone with it. */
#ifndef KTSTR_TESTS_SUITE_FOLDER_H
#define KTSTR_TESTS_SUITE_FOLDER_H

#include "base/strbuf.h"

struct folder {
	char path[32];
};

void folder_init(struct folder *folder);
void folder_deinit(struct folder *folder);
/* Folders on the way are made. */
void folder_write(const struct folder *folder, const char *name, const char *text);
/* "" when there is none. The caller owns it. */
char *folder_read(const struct folder *folder, const char *name);

#define _cleanup_folder_ __attribute__((cleanup(folder_deinit)))

#endif
