// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/code.h"

#include <stdlib.h>

#include "dump/member.h"
#include "kmem/walk.h"
#include "text/terminal.h"

static bool add_module(void *context, const struct kmem_module *module)
{
	struct dump_code *code = context;
	const struct kmem_fields *fields = &code->kmem->fields;
	struct kmem_space *space = &code->kmem->space;
	struct dump_code_module m = { .module = *module };
	uint64_t end;

	if (!add_fits_u64(module->base, module->size, &end))
		return true;
	if (kmem_field_read(fields, space, KMEM_F_MODULE_ORC_N, module->address, &m.orc.n) ||
	    kmem_field_read(fields, space, KMEM_F_MODULE_ORC_IPS, module->address, &m.orc.ips) ||
	    kmem_field_read(fields, space, KMEM_F_MODULE_ORC_ENTRIES, module->address,
			    &m.orc.entries) ||
	    m.orc.n > DUMP_LIMIT_ORC_ENTRIES || !code->orc.n)
		m.orc = (struct dump_orc_table){ 0 };
	m.orc.renumbered = code->orc.renumbered;
	vec_push(&code->modules, m);
	return code->modules.n < DUMP_LIMIT_CODE_RANGES;
}

static bool add_bpf(void *context, uint64_t link)
{
	struct dump_code *code = context;
	const struct kmem_fields *fields = &code->kmem->fields;
	struct kmem_space *space = &code->kmem->space;
	uint64_t ksym = link - fields->at[KMEM_F_BPF_KSYM_LINK].place.offset;
	char name[KMEM_LIMIT_SYMBOL_CHARS];
	struct dump_code_bpf b = { 0 };

	if (kmem_field_read(fields, space, KMEM_F_BPF_KSYM_START, ksym, &b.start) ||
	    kmem_field_read(fields, space, KMEM_F_BPF_KSYM_END, ksym, &b.end) ||
	    kmem_field_read_text(fields, space, KMEM_F_BPF_KSYM_NAME, ksym, name, sizeof(name)) ||
	    b.end < b.start)
		return true;
	b.name = xstrdup(name);
	vec_push(&code->bpf, b);
	return code->bpf.n < DUMP_LIMIT_CODE_RANGES;
}

void dump_code_init(struct dump_code *code, struct kmem *kmem)
{
	struct kmem_walk walk = { 0 };
	struct error *err;
	uint64_t head;

	*code = (struct dump_code){ .kmem = kmem };
	error_free(dump_symbol_range(kmem, "_stext", "_etext", &code->text_start, &code->text_end));
	error_free(dump_symbol_range(kmem, "_sinittext", "_einittext", &code->init_start,
				     &code->init_end));
	code->no_orc = dump_orc_kernel_table(kmem, &code->orc);
	error_free(kmem_modules(kmem, &walk, add_module, code));
	err = kmem_symbol(kmem, "bpf_kallsyms", &head);
	walk = (struct kmem_walk){ 0 };
	if (!err && kmem->fields.at[KMEM_F_BPF_KSYM_LINK].known)
		kmem_list(&kmem->space, head, &walk, add_bpf, code);
	error_free(err);
}

void dump_code_deinit(struct dump_code *code)
{
	for (size_t i = 0; i < code->modules.n; i++) {
		struct dump_code_module *m = &code->modules.at[i];

		for (size_t j = 0; j < m->symbols.n; j++)
			free(m->symbols.at[j].name);
		vec_deinit(&m->symbols);
	}
	for (size_t i = 0; i < code->bpf.n; i++)
		free(code->bpf.at[i].name);
	vec_deinit(&code->modules);
	vec_deinit(&code->bpf);
	error_free(code->no_orc);
	code->no_orc = NULL;
}

static bool is_own(const struct dump_code *code, uint64_t address)
{
	return (address >= code->text_start && address < code->text_end) ||
	       (address >= code->init_start && address < code->init_end);
}

static size_t find_module(const struct dump_code *code, uint64_t address)
{
	size_t i = 0;

	while (i < code->modules.n &&
	       address - code->modules.at[i].module.base >= code->modules.at[i].module.size)
		i++;
	return i;
}

static const struct dump_code_bpf *find_bpf(const struct dump_code *code, uint64_t address)
{
	for (size_t i = 0; i < code->bpf.n; i++) {
		if (address >= code->bpf.at[i].start && address < code->bpf.at[i].end)
			return &code->bpf.at[i];
	}
	return NULL;
}

enum dump_code_kind dump_code_kind(const struct dump_code *code, uint64_t address)
{
	if (is_own(code, address))
		return DUMP_CODE_KERNEL;
	if (find_module(code, address) < code->modules.n)
		return DUMP_CODE_MODULE;
	return find_bpf(code, address) ? DUMP_CODE_BPF : DUMP_CODE_NONE;
}

bool dump_code_orc(const struct dump_code *code, uint64_t address, struct dump_orc_table *ret)
{
	size_t i = find_module(code, address);

	if (is_own(code, address))
		*ret = code->orc;
	else if (i < code->modules.n)
		*ret = code->modules.at[i].orc;
	else
		return false;
	return ret->n > 0;
}

struct keeper {
	struct dump_code *code;
	struct dump_code_module *m;
};

static bool keep_symbol(void *context, const struct kmem_symbol *symbol)
{
	const struct keeper *keeper = context;

	if (symbol->name[0])
		vec_push(&keeper->m->symbols,
			 (struct dump_code_symbol){ symbol->address, symbol->bytes,
						    xstrdup(symbol->name) });
	return ++keeper->code->n_symbols < DUMP_LIMIT_MODULE_SYMBOLS;
}

static int by_address(const void *a, const void *b)
{
	const struct dump_code_symbol *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static bool name_in_module(struct dump_code *code, struct dump_code_module *m, uint64_t address,
			   struct dump_code_name *ret)
{
	size_t low = 0, high;
	const struct dump_code_symbol *found;

	if (!m->tried) {
		m->tried = true;
		if (code->n_symbols < DUMP_LIMIT_MODULE_SYMBOLS)
			error_free(kmem_module_symbols(code->kmem, &m->module, keep_symbol,
						       &(struct keeper){ code, m }));
		if (m->symbols.n)
			qsort(m->symbols.at, m->symbols.n, sizeof(*m->symbols.at), by_address);
	}
	high = m->symbols.n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->symbols.at[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return false;
	found = &m->symbols.at[low - 1];
	ret->module = m->module.name;
	ret->offset = address - found->address;
	/* As the kernel: to the next symbol, or to the end of the code. */
	ret->bytes = low < m->symbols.n &&
				     m->symbols.at[low].address < m->module.base + m->module.size
			     ? m->symbols.at[low].address - found->address
			     : m->module.base + m->module.size - found->address;
	snprintf(ret->symbol, sizeof(ret->symbol), "%s", found->name);
	return true;
}

bool dump_code_name(struct dump_code *code, uint64_t address, bool is_return,
		    struct dump_code_name *ret)
{
	uint64_t at = address - is_return;
	const struct dump_code_bpf *bpf;
	struct kmem_kallsyms *table;
	struct kmem_symbol symbol;
	_cleanup_error_ struct error *err = NULL;

	*ret = (struct dump_code_name){ .kind = dump_code_kind(code, at) };
	switch (ret->kind) {
	case DUMP_CODE_KERNEL:
		err = kmem_names_table(&code->kmem->names, &table);
		if (err || !kmem_kallsyms_near(table, at, &symbol))
			return false;
		ret->offset = at - symbol.address;
		ret->bytes = symbol.bytes;
		memcpy(ret->symbol, symbol.name, sizeof(ret->symbol));
		break;
	case DUMP_CODE_MODULE:
		if (!name_in_module(code, &code->modules.at[find_module(code, at)], at, ret))
			return false;
		break;
	case DUMP_CODE_BPF:
		bpf = find_bpf(code, at);
		ret->module = "bpf";
		ret->offset = at - bpf->start;
		ret->bytes = bpf->end - bpf->start;
		snprintf(ret->symbol, sizeof(ret->symbol), "%s", bpf->name);
		break;
	default:
		return false;
	}
	ret->offset += is_return;
	return true;
}

void dump_code_format(const struct dump_code_name *name, struct strbuf *into)
{
	text_escape(into, name->symbol);
	strbuf_appendf(into, "+0x%llx", (unsigned long long)name->offset);
	if (name->bytes)
		strbuf_appendf(into, "/0x%llx", (unsigned long long)name->bytes);
	if (name->module) {
		strbuf_append(into, " [");
		text_escape(into, name->module);
		strbuf_append(into, "]");
	}
}
