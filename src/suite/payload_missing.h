/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * exec() says "no such file" for a program that is not there and for one whose interpreter is
 * not. Whoever reads the message has to do different things.
 */
#ifndef KTSTR_SUITE_PAYLOAD_MISSING_H
#define KTSTR_SUITE_PAYLOAD_MISSING_H

#include "base/strbuf.h"

/* What is missing for `program`, which exec() did not find, and what to do; `path` is PATH. */
void suite_payload_missing_explain(const char *program, const char *path, struct strbuf *into);

#endif
