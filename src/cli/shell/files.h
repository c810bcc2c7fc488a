/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `-i FILE[:GUESTPATH]`: host files with everything they need, as one archive. */
#ifndef KTSTR_CLI_SHELL_FILES_H
#define KTSTR_CLI_SHELL_FILES_H

#include "base/strbuf.h"
#include "cli/frame/option.h"

/* More than limit_bytes, which the guest could not hold, is BASE_LIMIT. */
struct error *shell_pack_files(const struct option_strings *specs, uint64_t limit_bytes,
			       struct strbuf *archive) MUST_CHECK;

#endif
