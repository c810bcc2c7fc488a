// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/vm/template/template_json.c */
/* Any bytes as template.json: refused, or a description that survives being written. */
#include "fuzz.h"
#include "fuzz_json.h"
#include "vm/template/template.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t limit, unsigned int seed UNUSED)
{
	return fuzz_mutate_json(data, n, limit);
}

static void check_sense(const struct vm_template_description *d)
{
	FUZZ_MUST(d->key && d->ram_bytes.n >= 1 && d->ram_bytes.n <= TOPO_LIMIT_ASKED_NODES);
	FUZZ_MUST(d->proof.monotonic_ns <= d->proof.monotonic_limit_ns);
	/* What is added to it later does not wrap. */
	FUZZ_MUST(d->proof.monotonic_limit_ns <= INT64_MAX);
	FUZZ_MUST(d->has_model == (d->model.cpus > 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_vm_template_description_ struct vm_template_description d = { 0 }, again = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, twice = STRBUF_INIT;
	_cleanup_error_ struct error *err = NULL;

	err = vm_template_description_parse((const char *)data, n, &d);
	if (err) {
		FUZZ_MUST(!d.key && d.ram_bytes.n == 0);
		if (fuzz_is_json(data, n))
			fuzz_mark_deep();
		return 0;
	}
	fuzz_mark_deep();
	check_sense(&d);
	vm_template_description_format(&d, &text);
	FUZZ_MUST(!vm_template_description_parse(text.at, text.n, &again));
	FUZZ_MUST(memcmp(&d.proof, &again.proof, sizeof(d.proof)) == 0);
	FUZZ_MUST(d.ram_bytes.n == again.ram_bytes.n && d.state_bytes == again.state_bytes);
	FUZZ_MUST(memcmp(d.ram_bytes.at, again.ram_bytes.at, d.ram_bytes.n * sizeof(uint64_t)) ==
		  0);
	vm_template_description_format(&again, &twice);
	FUZZ_MUST(text.n == twice.n && memcmp(text.at, twice.at, text.n) == 0);
	return 0;
}
