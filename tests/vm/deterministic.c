// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs the same guest again and again for test_deterministic.py, which looks at console,
 * frames and RAM itself, through our descriptors in /proc.
 *
 * usage: deterministic TOPOLOGY MIPS COMMAND...
 *
 * Standard input of this program is read for words: "run INPUT" (the rest of the line is the
 * command's input), "diff" (lists the pages in which the last run differs from the first, by owner)
 * and "end". An answer ends with a line that is a single dot.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "kernel/kernel.h"
#include "vm/deterministic/deterministic.h"
#include "page_diff.h"
#include "page_owner.h"

enum { LISTED_LIMIT = 200 };

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

static bool run(struct vm_deterministic_spec *spec, const char *input,
		struct vm_deterministic_result *ret)
{
	_cleanup_close_ int fd = input_file(input);
	struct streams s = { 0 };
	struct error *err;

	spec->command.stdin_fd = fd;
	spec->command.on_output = collect;
	spec->command.context = &s;
	err = vm_deterministic_run(spec, NULL, ret);
	if (err) {
		printf("error [%s] %s\n", error_tag(err), error_message(err));
		error_free(err);
	} else {
		printf("end %d %u\n", ret->end.how, ret->end.value);
		printf("guest_ns %llu\n", (unsigned long long)ret->guest_ns);
		tell_bytes("console", ret->console.at, ret->console.n);
		tell_bytes("frames", ret->frames.at, ret->frames.n);
		tell_bytes("stdout", s.out.at, s.out.n);
		tell_bytes("stderr", s.err.at, s.err.n);
		for (unsigned int i = 0; i < ret->nodes; i++)
			printf("ram %d\n", ret->ram_fds[i]);
	}
	strbuf_deinit(&s.out);
	strbuf_deinit(&s.err);
	return !err;
}

/* What the guest itself says about its pages, at the end of the same command. */
static struct error *ask_owners(const struct vm_deterministic_spec *spec, struct streams *s)
{
	static const char script[] =
		"\"$@\" >/dev/null 2>&1 </dev/null; cat /proc/iomem; cat /proc/kpageflags >&2";
	_cleanup_vm_deterministic_result_ struct vm_deterministic_result result = { 0 };
	struct vm_deterministic_spec asked = *spec;
	const char *argv[64] = { "sh", "-c", script, "sh" };

	for (size_t i = 0; spec->command.argv[i] && i < 59; i++)
		argv[4 + i] = spec->command.argv[i];
	asked.command = (struct vm_command){
		.argv = argv, .stdin_fd = -1, .on_output = collect, .context = s
	};
	return vm_deterministic_run(&asked, NULL, &result);
}

static struct error *diff(const struct vm_deterministic_spec *spec,
			  const struct vm_deterministic_result *a,
			  const struct vm_deterministic_result *b)
{
	_cleanup_page_owners_ struct page_owners owners = { 0 };
	_cleanup_page_diff_ struct page_diff d = { 0 };
	struct streams s = { 0 };
	struct error *err;

	err = page_diff_compare(a->ram_fds, b->ram_fds, a->ram_bytes, a->nodes, &d);
	if (!err)
		printf("pages %llu\n", (unsigned long long)d.n_pages);
	if (!err && d.n_pages)
		err = ask_owners(spec, &s);
	if (!err && d.n_pages)
		err = page_owners_parse(strbuf_str(&s.out), s.out.n,
					(struct bytes){ (const uint8_t *)s.err.at, s.err.n },
					&owners);
	for (size_t i = 0; !err && i < d.pages.n && i < LISTED_LIMIT; i++) {
		const struct page_diff_page *page = &d.pages.at[i];
		_cleanup_strbuf_ struct strbuf owner = STRBUF_INIT;

		page_owners_format(&owners, page->address, &owner);
		printf("page %#llx: %u bytes from %#x on: %s\n", (unsigned long long)page->address,
		       page->bytes, page->first, strbuf_str(&owner));
	}
	strbuf_deinit(&s.out);
	strbuf_deinit(&s.err);
	return err;
}

static void obey(struct vm_deterministic_spec *spec)
{
	struct vm_deterministic_result first = { 0 }, last = { 0 };
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	ssize_t n;

	while ((n = getline(&line, &size, stdin)) > 0 && strcmp(line, "end\n") != 0) {
		line[n - 1] = '\0';
		if (strncmp(line, "run ", 4) == 0) {
			vm_deterministic_result_deinit(&last);
			run(spec, line + 4, first.nodes ? &last : &first);
		} else if (first.nodes && last.nodes) {
			struct error *err = diff(spec, &first, &last);

			if (err)
				printf("error [%s] %s\n", error_tag(err), error_message(err));
			error_free(err);
		}
		printf(".\n");
		fflush(stdout);
	}
	vm_deterministic_result_deinit(&first);
	vm_deterministic_result_deinit(&last);
}

int main(int argc, char **argv)
{
	_cleanup_kernel_ struct kernel *kernel = NULL;
	struct vm_deterministic_spec spec = { 0 };
	struct error *err;

	if (argc < 4)
		return 2;
	err = kernel_resolve(NULL, &kernel);
	if (!err)
		err = topo_parse(argv[1], &spec.vm.topology);
	if (err) {
		printf("error [%s] %s\n.\n", error_tag(err), error_message(err));
		error_free(err);
		return 1;
	}
	spec.vm.kernel = kernel;
	spec.mips = (unsigned int)atoi(argv[2]);
	spec.command.argv = (const char *const *)argv + 3;
	obey(&spec);
	return 0;
}
