/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A view of the kernel of build_bpf.h. */
#ifndef KTSTR_TESTS_BUILD_VIEW_H
#define KTSTR_TESTS_BUILD_VIEW_H

#include "build_bpf.h"
#include "dump/dump.h"

/* The view in both forms, into f->text and f->json. */
static inline struct error *bpf_show(struct bpf_fixture *f, dump_view_fn view, const char *argument)
{
	const struct dump_request request = { .argument = argument };
	struct dump_sink sink = dump_sink_to_text(&f->text, 1000);
	struct json_writer writer = json_writer_to(&f->json, JSON_COMPACT);
	struct error *err;

	strbuf_clear(&f->text);
	strbuf_clear(&f->json);
	writer = json_writer_to(&f->json, JSON_COMPACT);
	kmem_space_forget(&f->kmem->space);
	error_free(view(f->kmem, &request, &sink));
	sink = dump_sink_to_json(&writer);
	json_begin_object(&writer);
	err = view(f->kmem, &request, &sink);
	json_end_object(&writer);
	return err;
}

#endif
