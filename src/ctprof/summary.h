/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How well a snapshot could be read, in one line each; without a newline. Nothing is appended when
 * nobody counted, and false returned.
 */
#ifndef KTSTR_CTPROF_SUMMARY_H
#define KTSTR_CTPROF_SUMMARY_H

#include "base/strbuf.h"
#include "ctprof/snapshot.h"

bool ctprof_summary_format_probe(const struct ctprof_snapshot *snapshot, struct strbuf *into);
bool ctprof_summary_format_parse(const struct ctprof_snapshot *snapshot, struct strbuf *into);
bool ctprof_summary_format_taskstats(const struct ctprof_snapshot *snapshot, struct strbuf *into);

#endif
