// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>

#include "base/suggest.h"
#include "dump/expr_eval.h"
#include "dump/member.h"

/* Types of often used variables: BTF has those of per-CPU variables only. */
static const struct {
	const char *name, *type;
} known[] = {
	{ "__cpu_active_mask", "struct cpumask" },
	{ "__cpu_online_mask", "struct cpumask" },
	{ "__cpu_possible_mask", "struct cpumask" },
	{ "__cpu_present_mask", "struct cpumask" },
	{ "cgrp_dfl_root", "struct cgroup_root" },
	{ "init_css_set", "struct css_set" },
	{ "init_mm", "struct mm_struct" },
	{ "init_nsproxy", "struct nsproxy" },
	{ "init_pid_ns", "struct pid_namespace" },
	{ "init_task", "struct task_struct" },
	{ "init_uts_ns", "struct uts_namespace" },
	{ "jiffies", "unsigned long" },
	{ "jiffies_64", "u64" },
	{ "loops_per_jiffy", "unsigned long" },
	{ "max_pfn", "unsigned long" },
	{ "nr_cpu_ids", "unsigned int" },
	{ "nr_threads", "int" },
	{ "page_offset_base", "unsigned long" },
	{ "panic_on_oops", "int" },
	{ "phys_base", "unsigned long" },
	{ "pid_max", "int" },
	{ "root_task_group", "struct task_group" },
	{ "saved_command_line", "char *" },
	{ "scx_root", "struct scx_sched *" },
	{ "scx_watchdog_timeout", "unsigned long" },
	{ "scx_watchdog_timestamp", "unsigned long" },
	{ "system_state", "enum system_states" },
	{ "sysctl_sched_base_slice", "unsigned int" },
	{ "tainted_mask", "unsigned long" },
	{ "total_forks", "unsigned long" },
	{ "vmalloc_base", "unsigned long" },
};

struct error *dump_expr_scope_init(struct dump_expr_scope *scope, struct kmem *kmem)
{
	if (!kmem_types(kmem))
		return kmem_error(KMEM_NO_FIELD, 0, "the kernel has no types: %s",
				  kmem->no_btf ? error_message(kmem->no_btf) : "");
	*scope = (struct dump_expr_scope){ .kmem = kmem, .cpu = -1 };
	return NULL;
}

void dump_expr_scope_deinit(struct dump_expr_scope *scope)
{
	for (size_t i = 0; i < scope->types.n; i++)
		kmem_btf_free(scope->types.at[i].btf);
	vec_deinit(&scope->types);
	dump_globals_deinit(&scope->programs);
	error_free(scope->no_programs);
	scope->no_programs = NULL;
}

/* A kernel without BPF has no programs, and names of the kernel are found all the same. */
static void look_for_programs(struct dump_expr_scope *scope)
{
	if (!scope->has_programs)
		scope->no_programs = dump_globals_find(scope->kmem, &scope->programs);
	scope->has_programs = true;
}

/* NULL: its types cannot be had. */
static const struct btf *types_of(struct dump_expr_scope *scope, const struct dump_globals *globals)
{
	struct dump_expr_program_types types = { .address = globals->btf };

	for (size_t i = 0; i < scope->types.n; i++) {
		if (scope->types.at[i].address == types.address)
			return scope->types.at[i].btf ? scope->types.at[i].btf->btf : NULL;
	}
	if (scope->types.n >= DUMP_LIMIT_PROGRAM_TYPES)
		return NULL;
	error_free(kmem_btf_load(scope->kmem, types.address, &types.btf));
	vec_push(&scope->types, types);
	return types.btf ? types.btf->btf : NULL;
}

static bool is_percpu(struct kmem *kmem, uint64_t address)
{
	return dump_is_between(kmem, address, "__per_cpu_start", "__per_cpu_end");
}

bool dump_expr_name_is_percpu(struct dump_expr_scope *scope, const char *name)
{
	uint64_t address;
	struct error *err = kmem_symbol(scope->kmem, name, &address);

	if (!err)
		return is_percpu(scope->kmem, address);
	error_free(err);
	return false;
}

const struct dump_arena *dump_expr_name_arena(struct dump_expr_scope *scope,
					      const struct dump_globals *program, uint64_t pointer)
{
	/* The kernel's addresses are the upper half. */
	if (!pointer || pointer >> 63)
		return NULL;
	look_for_programs(scope);
	return dump_globals_arena(&scope->programs, program ? program->arena : 0, pointer);
}

static bool has_type(const struct btf *btf, const char *text, size_t n, struct dump_expr_type *ret)
{
	struct error *err = dump_expr_type_parse(btf, text, n, ret);

	error_free(err);
	return !err;
}

struct error *dump_expr_name_type(struct dump_expr_scope *scope, const struct btf *near,
				  const char *text, size_t n, struct dump_expr_type *ret)
{
	const struct btf *kernel = kmem_types(scope->kmem);

	if ((near && has_type(near, text, n, ret)) || has_type(kernel, text, n, ret))
		return NULL;
	look_for_programs(scope);
	for (size_t i = 0; i < scope->programs.globals.n; i++) {
		const struct btf *btf = types_of(scope, &scope->programs.globals.at[i]);

		if (btf && has_type(btf, text, n, ret))
			return NULL;
	}
	return dump_expr_type_parse(kernel, text, n, ret);
}

static struct error *no_symbol(struct kmem *kmem, const char *name, struct error *why)
{
	struct kmem_kallsyms *symbols;
	_cleanup_strbuf_ struct strbuf meant = STRBUF_INIT;
	char kept[SUGGEST_N + 1][KMEM_LIMIT_SYMBOL_CHARS];
	struct suggest suggest = { .wanted = name };
	struct kmem_symbol symbol;
	struct error *err = kmem_names_table(&kmem->names, &symbols);

	if (err) {
		error_free(why);
		return err;
	}
	/* A suggestion is borrowed: there is one buffer more than can be kept. */
	for (uint32_t i = 0; i < kmem_kallsyms_n(symbols); i++) {
		char *free_one = NULL;

		if (!kmem_kallsyms_at(symbols, i, &symbol))
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(kept) && !free_one; k++) {
			free_one = kept[k];
			for (unsigned int n = 0; n < suggest.n; n++) {
				if (suggest.names[n] == kept[k])
					free_one = NULL;
			}
		}
		strcpy(free_one, symbol.name);
		suggest_offer(&suggest, free_one);
	}
	/* Several have that name. */
	if (suggest.n && strcmp(suggest.names[0], name) == 0)
		return why;
	suggest_format(&suggest, &meant);
	error_free(why);
	return kmem_error(KMEM_NO_SYMBOL, 0, "the kernel has no symbol %s%s", name,
			  strbuf_str(&meant));
}

/* The type that BTF has of a variable or function, or that is known here. */
static void find_type(struct dump_expr_scope *scope, const char *name, uint64_t address,
		      struct dump_expr_value *value)
{
	const struct btf *btf = kmem_types(scope->kmem);
	struct error *err = NULL;
	struct btf_type type;

	value->type.btf = btf;
	if (btf_find(btf, BTF_VAR, name, &type)) {
		value->form = DUMP_EXPR_IS_PLACE;
		value->type.id = type.size_or_type;
		return;
	}
	if (dump_is_between(scope->kmem, address, "_stext", "_etext")) {
		value->form = DUMP_EXPR_IS_NUMBER;
		value->number = address;
		value->type.id = btf_find(btf, BTF_FUNC, name, &type) ? type.size_or_type : 0;
		value->type.stars = 1;
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (strcmp(known[i].name, name) != 0)
			continue;
		err = dump_expr_type_parse(btf, known[i].type, strlen(known[i].type), &value->type);
		if (!err)
			value->form = DUMP_EXPR_IS_PLACE;
		error_free(err);
		return;
	}
}

static struct error *of_cpu(struct dump_expr_scope *scope, struct dump_expr_value *value)
{
	struct kmem *kmem = scope->kmem;

	/* Without a CPU only the type is wanted. */
	if (scope->cpu < 0)
		return NULL;
	if (kmem->no_cpus)
		return kmem_error(KMEM_UNREAD, 0, "the CPUs are not known: %s",
				  error_message(kmem->no_cpus));
	if (scope->cpu > UINT32_MAX ||
	    !kmem_cpus_address(&kmem->cpus, (uint32_t)scope->cpu, value->address, &value->address))
		return dump_expr_error(DUMP_EXPR_NO_CPU, 0, "there is no CPU %lld",
				       (long long)scope->cpu);
	return NULL;
}

static struct error *find_symbol(struct dump_expr_scope *scope, const char *name,
				 struct dump_expr_value *ret)
{
	struct dump_expr_value value = { .form = DUMP_EXPR_IS_UNTYPED };
	struct error *err = kmem_symbol(scope->kmem, name, &value.address);

	if (err)
		return err;
	find_type(scope, name, value.address, &value);
	if (is_percpu(scope->kmem, value.address))
		err = of_cpu(scope, &value);
	if (!err)
		*ret = value;
	return err;
}

/* All variables of that name; the first is taken. */
struct found {
	unsigned int n;
	struct dump_expr_value value;
	struct strbuf where;
};

static void see_globals(struct dump_expr_scope *scope, const struct dump_globals *globals,
			const char *name, struct found *found)
{
	const struct btf *btf = types_of(scope, globals);
	struct btf_variable variable;
	struct btf_type section;

	if (!btf || !btf_type(btf, globals->section, &section) || section.kind != BTF_DATASEC ||
	    !btf_find_variable(btf, &section, name, &variable) || variable.offset >= globals->bytes)
		return;
	if (found->n++ == 0)
		found->value = (struct dump_expr_value){ .form = DUMP_EXPR_IS_PLACE,
							 .type = { btf, variable.type, 0 },
							 .address = globals->value +
								    variable.offset,
							 .program = globals };
	strbuf_appendf(&found->where, "%smap:%llu.%s", found->n > 1 ? ", " : "",
		       (unsigned long long)globals->id, name);
}

/* False: no program has it. */
static struct error *find_variable(struct dump_expr_scope *scope, const char *name,
				   bool *ret_is_there, struct dump_expr_value *ret)
{
	struct found found = { .where = STRBUF_INIT };
	struct error *err = NULL;

	look_for_programs(scope);
	for (size_t i = 0; i < scope->programs.globals.n; i++)
		see_globals(scope, &scope->programs.globals.at[i], name, &found);
	if (found.n > 1)
		err = dump_expr_error(DUMP_EXPR_NO_TYPE, 0,
				      "%u BPF programs have a variable %s: write %s", found.n, name,
				      strbuf_str(&found.where));
	else if (found.n)
		*ret = found.value;
	strbuf_deinit(&found.where);
	*ret_is_there = found.n > 0;
	return err;
}

struct error *dump_expr_name_bpf(struct dump_expr_scope *scope, const char *name,
				 struct dump_expr_value *ret)
{
	bool is_there;
	struct error *err = find_variable(scope, name, &is_there, ret);

	if (err || is_there)
		return err;
	if (scope->no_programs)
		return kmem_error(KMEM_UNREAD, 0, "BPF programs cannot be seen: %s",
				  error_message(scope->no_programs));
	return dump_expr_error(DUMP_EXPR_NO_TYPE, 0, "no BPF program has a global variable %s",
			       name);
}

struct error *dump_expr_name_find(struct dump_expr_scope *scope, const char *name,
				  struct dump_expr_value *ret)
{
	const struct btf *btf = kmem_types(scope->kmem);
	struct dump_expr_value value = { .form = DUMP_EXPR_IS_NUMBER, .type = { .btf = btf } };
	struct error *err = find_symbol(scope, name, ret), *other;
	struct btf_type type;
	bool is_there;

	if (!err || !error_is(err, &kmem_error_domain, KMEM_NO_SYMBOL))
		return err;
	other = find_variable(scope, name, &is_there, ret);
	if (other || is_there) {
		error_free(err);
		return other;
	}
	if (!btf_find_enumerator(btf, name, &type, &value.number))
		return no_symbol(scope->kmem, name, err);
	error_free(err);
	value.type.id = type.id;
	*ret = value;
	return NULL;
}

/* By name, by its end from a dot on, or by number. */
static bool is_called(const struct dump_globals *globals, const char *name, size_t n)
{
	size_t length = strlen(globals->name);
	char number[24];

	snprintf(number, sizeof(number), "%llu", (unsigned long long)globals->id);
	if (strlen(number) == n && memcmp(number, name, n) == 0)
		return true;
	if (length == n)
		return memcmp(globals->name, name, n) == 0;
	return length > n && *name == '.' && memcmp(globals->name + length - n, name, n) == 0;
}

static struct error *no_map(const struct dump_expr_scope *scope, const char *text)
{
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < scope->programs.globals.n; i++)
		strbuf_appendf(&names, "%s %s (id %llu)", i ? "," : "; there are",
			       scope->programs.globals.at[i].name,
			       (unsigned long long)scope->programs.globals.at[i].id);
	return dump_expr_error(DUMP_EXPR_NO_TYPE, 0,
			       "no map of global variables is called \"%s\"%s", text,
			       strbuf_str(&names));
}

/* Names may hold dots: the longest beginning that is a name counts. */
struct error *dump_expr_name_map(struct dump_expr_scope *scope, const char *text,
				 struct dump_expr_value *ret, const char **ret_rest)
{
	const struct dump_globals *found = NULL;
	unsigned int n_found = 0;
	size_t n = strlen(text);

	look_for_programs(scope);
	for (; n && !n_found; n--) {
		if (text[n] && text[n] != '.')
			continue;
		for (size_t i = 0; i < scope->programs.globals.n; i++) {
			if (!is_called(&scope->programs.globals.at[i], text, n))
				continue;
			found = &scope->programs.globals.at[i];
			n_found++;
		}
		*ret_rest = text + n;
	}
	if (n_found > 1)
		return error_wrap(no_map(scope, text), "%u maps have that name: give its id",
				  n_found);
	if (!found || !types_of(scope, found))
		return no_map(scope, text);
	*ret = (struct dump_expr_value){ .form = DUMP_EXPR_IS_PLACE,
					 .type = { types_of(scope, found), found->section, 0 },
					 .address = found->value,
					 .program = found };
	return NULL;
}
