// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel of a real guest, read from outside, against what the guest says of itself: its
 * /proc/kallsyms, its list of tasks, the address of its note in /sys.
 */
#include <elf.h>
#include <inttypes.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/paths.h"
#include "kmem/kmem.h"
#include "kmem/walk.h"
#include "kmem/modules.h"
#include "../unit/kmem/hostile_reader.h"
#include "../unit/kmem/missing_fields.h"
#include "unit.h"
#include "vm/link/exec.h"
#include "vm/image/image.h"

enum { COPIES = 3, LIES = 150 };

/* Where x86-64 puts itself when nobody shuffles: CONFIG_PHYSICAL_START,
 * Documentation/arch/x86/x86_64/mm.rst */
#define LINKED_AT	 UINT64_C(0xffffffff81000000)
#define DEFAULT_DIRECT_4 UINT64_C(0xffff888000000000)
#define DEFAULT_DIRECT_5 UINT64_C(0xff11000000000000)
#define CPU_WITH_LA57	 "max,vendor=GenuineIntel,level=32"

static struct kernel *kernel;

/* Each template shuffles its addresses once; these are those that the tests saw. */
static struct shuffled {
	uint64_t image, direct;
	bool image_moved, direct_moved;
} shuffled[3];
static size_t n_shuffled;

static int find_kernel(void **state UNUSED)
{
	error_free(kernel_resolve(NULL, &kernel));
	return 0;
}

static int drop_kernel(void **state UNUSED)
{
	kernel_free(kernel);
	return 0;
}

static struct error *collect(void *context, enum vm_stream stream UNUSED, const void *bytes,
			     size_t n)
{
	strbuf_append_bytes(context, bytes, n);
	return NULL;
}

static void run(struct vm *vm, const char *script, struct strbuf *out)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct vm_end end;

	strbuf_clear(out);
	assert_success(vm_exec(
		vm,
		&(struct vm_command){
			.argv = argv, .stdin_fd = -1, .on_output = collect, .context = out },
		NULL, &end));
	assert_int_equal(end.how, WIRE_END_EXITED);
	assert_int_equal(end.value, 0);
}

/* Symbols of the kernel itself come first, then those of modules in brackets. */
static void check_symbols(struct vm *vm, struct kmem *kmem)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct kmem_kallsyms *table = kmem->names.symbols->table;
	struct kmem_symbol s;
	uint32_t n = 0;
	char *rest, *line;

	run(vm, "cat /proc/kallsyms", &out);
	rest = out.at;
	while ((line = strsep(&rest, "\n")) && *line && !strchr(line, '[')) {
		char name[KMEM_LIMIT_SYMBOL_CHARS], kind;
		uint64_t address;

		assert_int_equal(sscanf(line, "%" SCNx64 " %c %512s", &address, &kind, name), 3);
		assert_true(kmem_kallsyms_at(table, n, &s));
		if (s.address != address || s.kind != kind || strcmp(s.name, name) != 0)
			fail_msg("symbol %u: %s, but %" PRIx64 " %c %s in memory", n, line,
				 s.address, s.kind, s.name);
		n++;
	}
	assert_int_equal(n, kmem_kallsyms_n(table));
	assert_true(n > 10000);
	/* A sample of them by name. */
	for (uint32_t i = 0; i < n; i += n / 100) {
		struct kmem_symbol found;
		bool same = false;

		assert_true(kmem_kallsyms_at(table, i, &s));
		for (uint32_t nth = 0; !same && kmem_kallsyms_find(table, s.name, nth, &found);
		     nth++)
			same = found.address == s.address;
		assert_true(same);
	}
}

/* The types were taken out of the kernel's file when it came into the cache. */
static void check_types(struct kmem *kmem)
{
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
	uint64_t start, stop;

	assert_null(kmem->no_btf);
	assert_success(kmem_symbol(kmem, "__start_BTF", &start));
	assert_success(kmem_symbol(kmem, "__stop_BTF", &stop));
	assert_success(io_read_file(kernel->btf_path, 64 << 20, &file));
	assert_int_equal(stop - start, file.n);
	assert_memory_equal(kmem->btf_bytes, file.at, file.n);
}

struct task_search {
	struct kmem *kmem;
	int64_t pid;
	const char *name;
	struct strbuf *out;
	bool found;
};

static bool look_at_task(void *context, uint64_t link)
{
	struct task_search *search = context;
	struct kmem *kmem = search->kmem;
	uint64_t task = link - kmem->fields.at[KMEM_F_TASK_TASKS].place.offset;
	char comm[32];
	int64_t pid;

	assert_int_equal(
		kmem_field_read_signed(&kmem->fields, &kmem->space, KMEM_F_TASK_PID, task, &pid),
		KMEM_READ_OK);
	assert_int_equal(kmem_field_read_text(&kmem->fields, &kmem->space, KMEM_F_TASK_COMM, task,
					      comm, sizeof(comm)),
			 KMEM_READ_OK);
	/* /proc shows longer names of kernel threads. */
	if (pid == search->pid && strncmp(comm, search->name, strlen(comm)) == 0)
		search->found = true;
	return true;
}

/* Shells of ours and workers without a CPU of their own come and go; all others stay. */
static void check_tasks(struct vm *vm, struct kmem *kmem)
{
	static const char list[] = "for p in /proc/[0-9]*; do read -r c <$p/comm 2>/dev/null && "
				   "echo \"${p#/proc/} $c\"; done; true";
	_cleanup_strbuf_ struct strbuf before = STRBUF_INIT;
	unsigned int n_compared = 0;
	uint64_t init;
	char *rest, *line;

	run(vm, list, &before);
	assert_success(vm_freeze(vm));
	kmem_space_forget(&kmem->space);
	assert_success(kmem_fields_require(&kmem->fields, KMEM_VIEW_TASKS));
	assert_success(kmem_symbol(kmem, "init_task", &init));
	rest = before.at;
	while ((line = strsep(&rest, "\n")) && *line) {
		char name[64];
		struct task_search search = { .kmem = kmem, .name = name };
		struct kmem_walk walk = { 0 };

		if (sscanf(line, "%" SCNd64 " %63[^\n]", &search.pid, name) != 2 ||
		    strncmp(name, "sh", 3) == 0 || strncmp(name, "kworker/u", 9) == 0)
			continue;
		kmem_list(&kmem->space, init + kmem->fields.at[KMEM_F_TASK_TASKS].place.offset,
			  &walk, look_at_task, &search);
		assert_int_equal(walk.end, KMEM_WALK_WHOLE);
		assert_int_equal(walk.n_bad_backlinks, 0);
		if (!search.found)
			fail_msg("task %s is not in memory", line);
		n_compared++;
	}
	assert_success(vm_thaw(vm));
	assert_true(n_compared > 20);
}

static bool count_module(void *context, const struct kmem_module *module)
{
	strbuf_appendf(context, "%s %#" PRIx64 "\n", module->name, module->base);
	return true;
}

/* /proc/modules has the newest first, as the kernel's list. */
static void check_modules(struct vm *vm, struct kmem *kmem)
{
	_cleanup_strbuf_ struct strbuf theirs = STRBUF_INIT, ours = STRBUF_INIT;
	struct kmem_walk walk = { 0 };

	run(vm, "while read -r n s u d st a rest; do echo \"$n $a\"; done </proc/modules", &theirs);
	assert_success(kmem_modules(kmem, &walk, count_module, &ours));
	assert_int_equal(walk.end, KMEM_WALK_WHOLE);
	assert_string_equal(strbuf_str(&ours), strbuf_str(&theirs));
}

/* The kernel's image as the guest lists it. */
static uint64_t told_offset(struct vm *vm)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	run(vm, "grep -m1 ' _text$' /proc/kallsyms", &out);
	return strtoull(strbuf_str(&out), NULL, 16) - LINKED_AT;
}

/* RAM in /proc/kcore has both its addresses; their distance is the direct map's. */
static uint64_t told_direct_map(struct vm *vm)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	uint64_t base = 0;
	Elf64_Ehdr header;

	run(vm, "head -c 8192 /proc/kcore", &out);
	assert_true(out.n >= sizeof(header));
	memcpy(&header, out.at, sizeof(header));
	for (size_t i = 0; i < header.e_phnum; i++) {
		size_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
		Elf64_Phdr segment;

		assert_true(at + sizeof(segment) <= out.n);
		memcpy(&segment, out.at + at, sizeof(segment));
		if (segment.p_type != PT_LOAD || segment.p_paddr == UINT64_MAX ||
		    segment.p_vaddr >= KMEM_IMAGE_MAP)
			continue;
		/* All of RAM is one map. */
		assert_true(base == 0 || base == segment.p_vaddr - segment.p_paddr);
		base = segment.p_vaddr - segment.p_paddr;
	}
	assert_true(base != 0);
	return base;
}

static void check_addresses(struct vm *vm, struct kmem *kmem, unsigned int levels)
{
	uint64_t usual = levels == 5 ? DEFAULT_DIRECT_5 : DEFAULT_DIRECT_4;
	struct shuffled *s = &shuffled[n_shuffled++];
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	assert_true(n_shuffled <= ARRAY_SIZE(shuffled));
	/* Linux shows the flag only where it uses it. */
	run(vm, "grep -c la57 /proc/cpuinfo || true", &out);
	assert_int_equal(strtoull(strbuf_str(&out), NULL, 10), levels == 5 ? kmem->cpus.n : 0);
	assert_int_equal(kmem->space.paging.levels, levels);
	assert_non_null(kmem_vmcoreinfo_find(&kmem->info, "KERNELOFFSET"));
	assert_int_equal(kmem->info.kaslr_offset, told_offset(vm));
	assert_int_equal(kmem->page_offset_base, told_direct_map(vm));
	assert_int_equal(kmem->space.direct.start, kmem->page_offset_base);
	assert_true(kmem->space.direct.end > kmem->space.direct.start);
	*s = (struct shuffled){ .image = kmem->info.kaslr_offset,
				.direct = kmem->page_offset_base,
				.image_moved = kmem->info.kaslr_offset != 0,
				.direct_moved = kmem->page_offset_base != usual };
	print_message("# image moved by %#" PRIx64 ", direct map at %#" PRIx64 ", %u levels\n",
		      s->image, s->direct, levels);
}

static uint64_t note_address(struct vm *vm)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	run(vm, "cat /sys/kernel/vmcoreinfo", &out);
	return strtoull(strbuf_str(&out), NULL, 16);
}

static unsigned int count_notes(const struct kmem_reader *reader)
{
	_cleanup_kmem_note_scan_ struct kmem_note_scan scan = { 0 };
	_cleanup_free_ struct kmem_note *note = xnew(struct kmem_note);
	unsigned int n = 0;
	bool found = true;

	kmem_note_scan_init(&scan, reader);
	while (found) {
		assert_success(kmem_note_scan_next(&scan, note, &found));
		n += found;
	}
	return n;
}

/* A file's pages stand at the beginning of frames, as the kernel's own note does. */
static void put_copies(struct vm *vm, const struct kmem *kmem)
{
	_cleanup_vm_guest_files_ struct vm_guest_files *files = vm_guest_files_new(NULL);
	_cleanup_strbuf_ struct strbuf archive = STRBUF_INIT;
	struct wire_cpio_writer writer;
	uint8_t note[2 * 4096];

	assert_int_equal(kmem->reader.read(&kmem->reader, kmem->note_physical, note, sizeof(note)),
			 KMEM_READ_OK);
	wire_cpio_writer_init(&writer, wire_cpio_strbuf_sink, &archive);
	for (int i = 0; i < COPIES; i++) {
		_cleanup_free_ char *name = xasprintf("/root/copy.%d", i);

		assert_success(vm_guest_files_add_bytes(files, name, 0644, note, sizeof(note)));
	}
	assert_success(vm_guest_files_write(files, &writer));
	assert_success(vm_put_bytes(vm, "/", archive.at, archive.n, NULL, NULL));
}

/* All that is compared, on a machine with 4 CPUs; *ret_kmem still reads from *ret_map. */
static void compare_kernel(const char *cpu, unsigned int levels, struct vm **ret_vm,
			   struct physmap **ret_map, struct kmem **ret_kmem)
{
	struct vm_spec spec = { .kernel = kernel, .cpu = cpu };
	struct kmem_reader reader;

	assert_success(topo_parse("1n1l4c1t", &spec.topology));
	assert_success(vm_start(&spec, NULL, ret_vm));
	assert_success(vm_physmap(*ret_vm, ret_map));
	reader = kmem_reader_of_physmap(*ret_map);
	assert_success(kmem_attach(&reader, (struct bytes){ NULL, 0 }, NULL, ret_kmem));
	assert_int_equal((*ret_kmem)->note_physical, note_address(*ret_vm));
	assert_string_equal((*ret_kmem)->uname.release, vm_facts(*ret_vm).release);
	assert_int_equal((*ret_kmem)->cpus.n, 4);
	check_addresses(*ret_vm, *ret_kmem, levels);
	check_types(*ret_kmem);
	check_symbols(*ret_vm, *ret_kmem);
	check_tasks(*ret_vm, *ret_kmem);
	check_modules(*ret_vm, *ret_kmem);
}

static void kernel_in_memory_is_what_the_guest_says(void **state UNUSED)
{
	_cleanup_vm_ struct vm *vm = NULL;
	_cleanup_physmap_ struct physmap *map = NULL;
	_cleanup_kmem_ struct kmem *kmem = NULL;
	struct kmem_reader reader;
	uint64_t note;

	skip_unless(kernel, "no kernel is in the cache: ktstr kernel fetch");
	compare_kernel(NULL, 4, &vm, &map, &kmem);
	/* Now there are copies of the note; only one of them is alive. */
	note = kmem->note_physical;
	put_copies(vm, kmem);
	kmem_free(take_ptr(kmem));
	reader = kmem_reader_of_physmap(map);
	assert_true(count_notes(&reader) > COPIES);
	assert_success(kmem_attach(&reader, (struct bytes){ NULL, 0 }, NULL, &kmem));
	assert_int_equal(kmem->note_physical, note);
}

static void kernel_with_5_levels_of_tables_is_what_the_guest_says(void **state UNUSED)
{
	_cleanup_vm_ struct vm *vm = NULL;
	_cleanup_physmap_ struct physmap *map = NULL;
	_cleanup_kmem_ struct kmem *kmem = NULL;

	skip_unless(kernel, "no kernel is in the cache: ktstr kernel fetch");
	compare_kernel(CPU_WITH_LA57, 5, &vm, &map, &kmem);
}

enum { MOST_PATH = 64 };

/* All members of the table with their places, or why they have none. */
static void tell_fields(const struct kmem *kmem, struct strbuf *out)
{
	for (enum kmem_field_id id = 0; id < KMEM_N_FIELDS; id++) {
		const struct kmem_field *field = &kmem->fields.at[id];

		strbuf_appendf(out, "%d %" PRIu64 " %" PRIu64 " %u %u %s\n", id,
			       field->place.offset, field->place.size, field->place.bit_offset,
			       field->place.bits, field->known ? "" : field->missing);
	}
}

/* The second time the kernel is known; a boot at another place of the same kernel as well. */
static void kernel_that_was_seen_is_known_and_looks_the_same(void **state UNUSED)
{
	char dir[MOST_PATH] = "/tmp/ktstr-known-XXXXXX";
	_cleanup_strbuf_ struct strbuf first = STRBUF_INIT;
	static const char *const wanted[] = { "init_task", "runqueues", "map_idr", "prb" };
	uint64_t expected[ARRAY_SIZE(wanted)], address;

	skip_unless(kernel, "no kernel is in the cache: ktstr kernel fetch");
	assert_non_null(mkdtemp(dir));
	for (int i = 0; i < 2; i++) {
		_cleanup_vm_ struct vm *vm = NULL;
		_cleanup_physmap_ struct physmap *map = NULL;
		_cleanup_kmem_ struct kmem *cold = NULL, *known = NULL;
		_cleanup_strbuf_ struct strbuf told = STRBUF_INIT;
		/* Another topology is another template, and so another boot. */
		struct vm_spec spec = { .kernel = kernel, .topology = TOPO_DEFAULT };
		struct kmem_reader reader;

		if (i == 1)
			spec.memory_bytes = UINT64_C(768) << 20;
		assert_success(vm_start(&spec, NULL, &vm));
		assert_success(vm_freeze(vm));
		assert_success(vm_physmap(vm, &map));
		reader = kmem_reader_of_physmap(map);
		assert_success(kmem_attach(&reader, (struct bytes){ NULL, 0 }, dir, &cold));
		assert_int_equal(cold->from_cache, i == 1);
		for (size_t k = 0; k < ARRAY_SIZE(wanted); k++)
			assert_success(kmem_symbol(cold, wanted[k], &expected[k]));
		assert_success(kmem_save_cache(cold, dir));
		assert_success(kmem_attach(&reader, (struct bytes){ NULL, 0 }, dir, &known));
		assert_true(known->from_cache);
		for (size_t k = 0; k < ARRAY_SIZE(wanted); k++) {
			assert_success(kmem_symbol(known, wanted[k], &address));
			assert_true(address == expected[k]);
		}
		assert_null(known->names.symbols);
		assert_null(known->btf);
		tell_fields(known, &told);
		if (i == 0)
			tell_fields(cold, &first);
		assert_string_equal(strbuf_str(&told), strbuf_str(&first));
	}
	assert_success(paths_remove(dir));
}

static bool tell_task(void *context, uint64_t link)
{
	struct task_search *search = context;
	struct kmem *kmem = search->kmem;
	uint64_t task = link - kmem->fields.at[KMEM_F_TASK_TASKS].place.offset;
	static const enum kmem_field_id numbers[] = { KMEM_F_TASK_PID,	  KMEM_F_TASK_TGID,
						      KMEM_F_TASK_STATE,  KMEM_F_TASK_PRIO,
						      KMEM_F_TASK_POLICY, KMEM_F_TASK_NVCSW,
						      KMEM_F_TASK_CPU,	  KMEM_F_TASK_RUNTIME };
	char comm[32] = "?";

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		uint64_t value = 0;
		enum kmem_status status = kmem_field_read(&kmem->fields, &kmem->space, numbers[i],
							  task, &value);

		strbuf_appendf(search->out, "%s %#" PRIx64 " ", kmem_status_name(status), value);
	}
	(void)!kmem_field_read_text(&kmem->fields, &kmem->space, KMEM_F_TASK_COMM, task, comm,
				    sizeof(comm));
	strbuf_appendf(search->out, "%s\n", comm);
	return true;
}

static void tell_kernel(struct kmem *kmem, struct strbuf *out)
{
	struct task_search search = { .kmem = kmem, .out = out };
	_cleanup_error_ struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_TASKS);
	struct kmem_walk walk = { 0 };
	uint64_t init;

	strbuf_appendf(out, "%s %u %#" PRIx64 " %#" PRIx64 " %#" PRIx64 "\n", kmem->uname.version,
		       kmem_kallsyms_n(kmem->names.symbols->table), kmem->vmalloc_base,
		       kmem->space.direct.end, kmem->vmemmap_base);
	for (uint32_t cpu = 0; cpu < kmem->cpus.n; cpu++)
		strbuf_appendf(out, "%#" PRIx64 "\n", kmem->cpus.offsets[cpu]);
	if (!err)
		err = kmem_symbol(kmem, "init_task", &init);
	if (!err) {
		kmem_list(&kmem->space, init + kmem->fields.at[KMEM_F_TASK_TASKS].place.offset,
			  &walk, tell_task, &search);
		kmem_walk_format(&walk, out);
	}
	for (enum kmem_view view = 0; view < KMEM_N_VIEWS; view++)
		missing_fields(&kmem->fields, view, out);
}

/* All that is seen of a guest, or why it is not. */
static void tell(const struct kmem_reader *reader, struct strbuf *out)
{
	_cleanup_kmem_ struct kmem *kmem = NULL;
	_cleanup_error_ struct error *err = NULL;

	strbuf_clear(out);
	err = kmem_attach(reader, (struct bytes){ NULL, 0 }, NULL, &kmem);
	if (err)
		strbuf_append(out, error_message(err));
	else
		tell_kernel(kmem, out);
}

/* Every lie is about a word that was looked at; most of them must show. */
static void guest_that_lies_is_survived(void **state UNUSED)
{
	_cleanup_vm_ struct vm *vm = NULL;
	_cleanup_physmap_ struct physmap *map = NULL;
	_cleanup_kmem_ struct kmem *kmem = NULL;
	_cleanup_strbuf_ struct strbuf good = STRBUF_INIT, bad = STRBUF_INIT;
	struct vm_spec spec = { .kernel = kernel, .topology = TOPO_DEFAULT };
	struct hostile_log log = { 0 };
	struct hostile_reader hostile = { .log = &log };
	struct kmem_reader truth, reader;
	uint64_t random = UINT64_C(88172645463325252);
	unsigned int n_changed = 0;

	skip_unless(kernel, "no kernel is in the cache: ktstr kernel fetch");
	assert_success(vm_start(&spec, NULL, &vm));
	assert_success(vm_physmap(vm, &map));
	truth = kmem_reader_of_physmap(map);
	hostile.truth = &truth;
	reader = hostile_reader(&hostile);
	assert_success(kmem_attach(&truth, (struct bytes){ NULL, 0 }, NULL, &kmem));
	check_addresses(vm, kmem, 4);
	assert_success(vm_freeze(vm));
	kmem_space_forget(&kmem->space);
	tell(&reader, &good);
	hostile.log = NULL;
	hostile_log_sort(&log);
	assert_true(log.words.n > 100);
	for (int i = 0; i < LIES; i++) {
		(void)hostile_lie(&hostile, &log, kmem->page_offset_base, &random);
		tell(&reader, &bad);
		n_changed += strcmp(strbuf_str(&bad), strbuf_str(&good)) != 0;
	}
	print_message("# %u of %d lies changed what is seen\n", n_changed, LIES);
	/* Fewer would mean that the lies miss what is read. */
	assert_in_range(n_changed, LIES / 2, LIES);
	vec_deinit(&log.words);
}

/*
 * The kernel draws from some 470 places for its image and thousands for the direct map, so one of
 * three may stand where it would without: two must have moved, and not to the same place. On a
 * kernel that shuffles nothing none has.
 */
static void addresses_are_shuffled_anew_for_each_template(void **state UNUSED)
{
	unsigned int n_images = 0, n_directs = 0;
	bool differ = false;

	skip_unless(kernel, "no kernel is in the cache: ktstr kernel fetch");
	assert_int_equal(n_shuffled, ARRAY_SIZE(shuffled));
	for (size_t i = 0; i < n_shuffled; i++) {
		n_images += shuffled[i].image_moved;
		n_directs += shuffled[i].direct_moved;
		for (size_t j = 0; j < i; j++)
			differ |= shuffled[i].image_moved && shuffled[j].image_moved &&
				  shuffled[i].image != shuffled[j].image &&
				  shuffled[i].direct != shuffled[j].direct;
	}
	assert_in_range(n_images, 2, ARRAY_SIZE(shuffled));
	assert_in_range(n_directs, 2, ARRAY_SIZE(shuffled));
	assert_true(differ);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_in_memory_is_what_the_guest_says),
		cmocka_unit_test(kernel_with_5_levels_of_tables_is_what_the_guest_says),
		cmocka_unit_test(kernel_that_was_seen_is_known_and_looks_the_same),
		cmocka_unit_test(guest_that_lies_is_survived),
		cmocka_unit_test(addresses_are_shuffled_anew_for_each_template),
	};

	return cmocka_run_group_tests(tests, find_kernel, drop_kernel);
}
