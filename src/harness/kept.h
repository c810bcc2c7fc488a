/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is kept of a test besides its record: a folder with the guest's console, the test's own
 * output, and the texts its report brought. Names are those of the files in the folder.
 */
#ifndef KTSTR_HARNESS_KEPT_H
#define KTSTR_HARNESS_KEPT_H

#include "harness/guest_run.h"

struct harness_kept_files {
	VEC(char *) names;
};

void harness_kept_files_deinit(struct harness_kept_files *kept);
#define _cleanup_harness_kept_files_ __attribute__((cleanup(harness_kept_files_deinit)))

/*
 * Makes the folder and fills it. What is empty is left out, and so is a folder with nothing in it.
 * `console` is text, `run` may be NULL when the test never got that far.
 */
struct error *harness_kept_write(const char *dir, const struct strbuf *console,
				 const struct harness_guest_run *run,
				 struct harness_kept_files *ret) MUST_CHECK;

#endif
