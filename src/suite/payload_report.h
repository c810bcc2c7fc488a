/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the runner is told about a payload. */
#ifndef KTSTR_SUITE_PAYLOAD_REPORT_H
#define KTSTR_SUITE_PAYLOAD_REPORT_H

#include "suite/payload.h"

/*
 * Long arguments are cut; those that do not fit the line are counted in "argv_dropped". The first
 * is always told.
 */
void suite_payload_report_started(const struct ktstr_payload *payload, const char *const *argv);
/*
 * Metrics that do not fit the line, or that no report can name, are counted in "metrics_dropped".
 * An end that is not known is not told.
 */
void suite_payload_report_ended(const struct ktstr_payload *payload);
/*
 * The end of what it wrote, to be kept beside the record of a test that did not pass. Only of the
 * first payloads: a runner keeps so many texts.
 */
void suite_payload_report_output(const struct ktstr_payload *payload);

#endif
