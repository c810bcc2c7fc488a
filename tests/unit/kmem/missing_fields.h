/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a kernel's types lack, for tests to compare. */
#ifndef KTSTR_TESTS_MISSING_FIELDS_H
#define KTSTR_TESTS_MISSING_FIELDS_H

#include "base/alloc.h"
#include "base/strbuf.h"
#include "kmem/fields.h"

/* All that is missing of a view, needed or not, one per line: "task_struct.cpu: …". */
static inline void missing_fields(const struct kmem_fields *fields, enum kmem_view view,
				  struct strbuf *into)
{
	static const struct {
		enum kmem_view view;
		const char *name;
	} rows[] = {
#define KMEM_FIELD(view_, id, type, paths, need) { KMEM_VIEW_##view_, type "." paths },
#include "kmem/fields.def"
#undef KMEM_FIELD
	};

	for (enum kmem_field_id id = 0; id < KMEM_N_FIELDS; id++) {
		const char *why = fields->at[id].missing, *name = rows[id].name;

		if (rows[id].view != view || fields->at[id].known)
			continue;
		/* The room of types names the member itself. */
		if (strncmp(why, name, strlen(name)) == 0)
			strbuf_appendf(into, "%s\n", why);
		else
			strbuf_appendf(into, "%s: %s\n", name, why);
	}
}

#endif
