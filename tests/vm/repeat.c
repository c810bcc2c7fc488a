// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs the same guest with a virtual clock again and again for test_virtual.py, which looks at
 * console, frames and RAM itself, through our descriptors in /proc.
 *
 * usage: repeat TOPOLOGY MIPS COMMAND...
 *
 * Standard input of this program is read for words: "run INPUT" (the rest of the line is the
 * command's input), "frozen INPUT" (the same; before the command the guest, held, is stopped and
 * let run, twice), "diff" (lists the pages in which the last run differs from the first, by owner)
 * and "end". An answer ends with a line that is a single dot.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "kernel/kernel.h"
#include "vm/link/exec.h"
#include "page_diff.h"
#include "vm/pages/pages.h"
#include "vm/state.h"

enum { LISTED_LIMIT = 200 };
#define HOLD_LIMIT_NS UINT64_C(60000000000)

struct streams {
	struct strbuf out, err;
};

static struct error *collect(void *context, enum vm_stream stream, const void *bytes, size_t n)
{
	struct streams *s = context;

	strbuf_append_bytes(stream == VM_STDOUT ? &s->out : &s->err, bytes, n);
	return NULL;
}

/* A name under which the bytes can be read as long as they are needed. */
static void tell_bytes(const char *name, const void *bytes, size_t n)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0 || (n && write(fd, bytes, n) != (ssize_t)n))
		abort();
	printf("%s %d\n", name, fd);
}

static int input_file(const char *input)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	if (fd < 0 || write(fd, input, strlen(input)) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	return fd;
}

/* What is left of a guest. */
struct left {
	struct vm_end end;
	unsigned int nodes;
	int ram_fds[TOPO_LIMIT_ASKED_NODES];
	uint64_t ram_bytes[TOPO_LIMIT_ASKED_NODES];
};

static void left_deinit(struct left *left)
{
	for (unsigned int i = 0; i < left->nodes; i++)
		close(left->ram_fds[i]);
	*left = (struct left){ 0 };
}

/* RAM of a clone is its QEMU's: a copy of it, the nodes one after the other. */
static struct error *copy_ram(struct vm *vm, struct left *ret)
{
	_cleanup_physmap_ struct physmap *map = NULL;
	static char chunk[1 << 20];
	struct error *err = vm_freeze(vm);
	uint64_t at = 0;

	if (!err)
		err = vm_physmap(vm, &map);
	if (err)
		return err;
	ret->nodes = 1;
	ret->ram_fds[0] = memfd_create("ram", MFD_CLOEXEC);
	for (size_t i = 0; i < map->segments.n; i++) {
		const struct physmap_segment *s = &map->segments.at[i];

		/* Firmware and devices lie over some of it. */
		at = s->start < UINT64_C(1) << 32 ? s->start : at;
		for (uint64_t done = 0; !err && done < s->length; done += sizeof(chunk)) {
			size_t n = s->length - done < sizeof(chunk) ? s->length - done
								    : sizeof(chunk);

			err = physmap_read_exact(map, s->start + done, chunk, n);
			if (!err &&
			    pwrite(ret->ram_fds[0], chunk, n, (off_t)(at + done)) != (ssize_t)n)
				abort();
		}
		at += s->length;
	}
	ret->ram_bytes[0] = at;
	return err;
}

static void tell_frames(struct vm *vm)
{
	size_t n;
	const struct vm_frame_note *notes = vm_frame_notes(vm, &n);

	tell_bytes("frames", notes, n * sizeof(*notes));
	printf("guest_ns %llu\n", (unsigned long long)vm_facts(vm).guest_ns);
	printf("touched %d\n", vm_facts(vm).touched);
	printf("digest %016llx\n", (unsigned long long)vm_facts(vm).digest);
}

static void tell_console(struct vm *vm)
{
	_cleanup_strbuf_ struct strbuf console = STRBUF_INIT;

	error_free(vm_console_read_tail(vm_facts(vm).console_path, 1 << 20, &console));
	tell_bytes("console", console.at, console.n);
}

/* While it is held, for a guest no time passes. */
static struct error *freeze_and_thaw(struct vm *vm)
{
	struct error *err = vm_await_hold(vm, clock_monotonic_ns() + HOLD_LIMIT_NS, NULL);

	for (int i = 0; i < 2 && !err; i++) {
		err = vm_freeze(vm);
		if (!err)
			err = vm_thaw(vm);
	}
	return err;
}

static bool run(const struct vm_spec *spec, struct vm_command *command, bool frozen,
		const char *input, struct left *ret)
{
	_cleanup_close_ int fd = input_file(input);
	_cleanup_vm_ struct vm *vm = NULL;
	struct streams s = { 0 };
	struct error *err;

	command->stdin_fd = fd;
	command->on_output = collect;
	command->context = &s;
	err = vm_start(spec, NULL, &vm);
	if (!err && frozen)
		err = freeze_and_thaw(vm);
	if (!err)
		err = vm_exec(vm, command, NULL, &ret->end);
	if (!err)
		err = copy_ram(vm, ret);
	if (err) {
		printf("error [%s] %s\n", error_tag(err), error_message(err));
		error_free(err);
		return false;
	}
	printf("end %d %u\n", ret->end.how, ret->end.value);
	tell_console(vm);
	tell_frames(vm);
	tell_bytes("stdout", s.out.at, s.out.n);
	tell_bytes("stderr", s.err.at, s.err.n);
	for (unsigned int i = 0; i < ret->nodes; i++)
		printf("ram %d\n", ret->ram_fds[i]);
	strbuf_deinit(&s.out);
	strbuf_deinit(&s.err);
	return true;
}

/* What the guest itself says about its pages, at the end of the same command. */
static struct error *ask_owners(const struct vm_spec *spec, const struct vm_command *command,
				struct streams *s)
{
	static const char script[] =
		"\"$@\" >/dev/null 2>&1 </dev/null; cat /proc/iomem; cat /proc/kpageflags >&2";
	_cleanup_vm_ struct vm *vm = NULL;
	const char *argv[64] = { "sh", "-c", script, "sh" };
	struct vm_command asked = {
		.argv = argv, .stdin_fd = -1, .on_output = collect, .context = s
	};
	struct error *err = vm_start(spec, NULL, &vm);
	struct vm_end end;

	for (size_t i = 0; command->argv[i] && i < 59; i++)
		argv[4 + i] = command->argv[i];
	return err ? err : vm_exec(vm, &asked, NULL, &end);
}

static struct error *diff(const struct vm_spec *spec, const struct vm_command *command,
			  const struct left *a, const struct left *b)
{
	_cleanup_vm_page_owners_ struct vm_page_owners owners = { 0 };
	_cleanup_page_diff_ struct page_diff d = { 0 };
	struct streams s = { 0 };
	struct error *err;

	err = page_diff_compare(a->ram_fds, b->ram_fds, a->ram_bytes, a->nodes, &d);
	if (!err)
		printf("pages %llu\n", (unsigned long long)d.n_pages);
	if (!err && d.n_pages)
		err = ask_owners(spec, command, &s);
	if (!err && d.n_pages)
		err = vm_page_owners_parse(strbuf_str(&s.out), s.out.n,
					   (struct bytes){ (const uint8_t *)s.err.at, s.err.n },
					   &owners);
	for (size_t i = 0; !err && i < d.pages.n && i < LISTED_LIMIT; i++) {
		const struct page_diff_page *page = &d.pages.at[i];
		_cleanup_strbuf_ struct strbuf owner = STRBUF_INIT;

		vm_page_owners_format(&owners, page->address, &owner);
		printf("page %#llx: %u bytes from %#x on: %s\n", (unsigned long long)page->address,
		       page->bytes, page->first, strbuf_str(&owner));
	}
	strbuf_deinit(&s.out);
	strbuf_deinit(&s.err);
	return err;
}

static void obey(const struct vm_spec *spec, struct vm_command *command)
{
	struct left first = { 0 }, last = { 0 };
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	ssize_t n;

	while ((n = getline(&line, &size, stdin)) > 0 && strcmp(line, "end\n") != 0) {
		line[n - 1] = '\0';
		if (strncmp(line, "run ", 4) == 0 || strncmp(line, "frozen ", 7) == 0) {
			left_deinit(&last);
			run(spec, command, line[0] == 'f', strchr(line, ' ') + 1,
			    first.nodes ? &last : &first);
		} else if (first.nodes && last.nodes) {
			struct error *err = diff(spec, command, &first, &last);

			if (err)
				printf("error [%s] %s\n", error_tag(err), error_message(err));
			error_free(err);
		}
		printf(".\n");
		fflush(stdout);
	}
	left_deinit(&first);
	left_deinit(&last);
}

int main(int argc, char **argv)
{
	_cleanup_kernel_ struct kernel *kernel = NULL;
	struct vm_spec spec = { .clock = VM_CLOCK_VIRTUAL, .seed = VM_SEED_DEFAULT };
	struct vm_command command = { 0 };
	struct error *err;

	if (argc < 4)
		return 2;
	err = kernel_resolve(NULL, &kernel);
	if (!err)
		err = topo_parse(argv[1], &spec.topology);
	if (err) {
		printf("error [%s] %s\n.\n", error_tag(err), error_message(err));
		error_free(err);
		return 1;
	}
	spec.kernel = kernel;
	spec.mips = (unsigned int)atoi(argv[2]);
	command.argv = (const char *const *)argv + 3;
	obey(&spec, &command);
	return 0;
}
