/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory for one test, gone with it. */
#ifndef KTSTR_TESTS_SUITE_DIR_H
#define KTSTR_TESTS_SUITE_DIR_H

#include "base/strbuf.h"

struct dir {
	char path[32];
};

void dir_init(struct dir *dir);
void dir_deinit(struct dir *dir);
/* Directories on the way are made. */
void dir_write(const struct dir *dir, const char *name, const char *text);
/* "" when there is none. The caller owns it. */
char *dir_read(const struct dir *dir, const char *name);

#define _cleanup_test_dir_ __attribute__((cleanup(dir_deinit)))

#endif
