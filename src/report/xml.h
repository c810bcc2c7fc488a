/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text that is legal in XML 1.0 (production 2, Char), in an attribute or between tags: markup and
 * control characters become references, what no reference can name and what is no UTF-8 becomes
 * U+FFFD. A parser that normalises blanks and line ends gives back the same text.
 */
#ifndef KTSTR_REPORT_XML_H
#define KTSTR_REPORT_XML_H

#include "base/strbuf.h"

void xml_append_text(struct strbuf *into, const char *text);
/* ` name="text"` */
void xml_append_attribute(struct strbuf *into, const char *name, const char *text);

#endif
