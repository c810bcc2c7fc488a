/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records on disk. Writers meet at the lock file "<record>.lock"; the record is
 * replaced whole, so a reader needs no lock and a crash loses nothing but the
 * entry being added. A symbolic link is followed and stays.
 */
#ifndef KTSTR_RESULT_RECORD_H
#define KTSTR_RESULT_RECORD_H

#include "base/cancel.h"
#include "result/record_text.h"

/* BASE_ABSENT when there is no such file; whether it can be read shows when it is. */
struct error *result_record_exists(const char *path) MUST_CHECK;

/*
 * BASE_ABSENT, BASE_PARSE (no record), BASE_LIMIT (too large, or the lock is
 * held for 30 s), BASE_CANCELLED while waiting, BASE_IO. On error the record is as it was. A record
 * that has the entry and whose directory could not be synced is success, with *ret_warning: it is
 * the caller's, and NULL otherwise.
 */
struct error *result_append_metrics(const char *path, const struct result_append *append,
				    const struct cancel *cancel,
				    struct error **ret_warning) MUST_CHECK;

#endif
