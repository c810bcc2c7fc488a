// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/closure_internal.h"

#include <elf.h>
#include <string.h>

#include "elf/limits.h"

const char *const *elf_closure_default_directories(uint16_t machine)
{
	/* Debian's multiarch directories, what others use, and glibc's own. */
	static const char *const x86_64[] = { "/lib/x86_64-linux-gnu",
					      "/usr/lib/x86_64-linux-gnu",
					      "/lib64",
					      "/usr/lib64",
					      "/lib",
					      "/usr/lib",
					      NULL };
	static const char *const aarch64[] = { "/lib/aarch64-linux-gnu",
					       "/usr/lib/aarch64-linux-gnu",
					       "/lib64",
					       "/usr/lib64",
					       "/lib",
					       "/usr/lib",
					       NULL };

	return machine == EM_AARCH64 ? aarch64 : x86_64;
}

struct word {
	const char *name;
	const char *value;
};

/* How many characters of text are this word, with its dollar sign; 0: another. */
static size_t matches(const char *text, size_t n, const char *name)
{
	size_t length = strlen(name);
	bool braces = n > 1 && text[1] == '{';
	size_t start = braces ? 2 : 1;

	if (n < start + length || memcmp(text + start, name, length) != 0)
		return 0;
	if (braces)
		return n > start + length && text[start + length] == '}' ? start + length + 1 : 0;
	/* $LIBRARY is not $LIB. */
	if (n > start + length) {
		char c = text[start + length];

		if (c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		    (c >= 'A' && c <= 'Z'))
			return 0;
	}
	return start + length;
}

bool elf_closure_expand(const char *text, size_t n, const char *origin, uint16_t machine,
			struct strbuf *into)
{
	bool arm = machine == EM_AARCH64;
	const struct word words[] = {
		{ "ORIGIN", origin },
		{ "LIB", arm ? "lib/aarch64-linux-gnu" : "lib/x86_64-linux-gnu" },
		{ "PLATFORM", arm ? "aarch64" : "x86_64" },
	};

	while (n) {
		size_t taken = 0;

		for (size_t i = 0; *text == '$' && i < ARRAY_SIZE(words) && !taken; i++) {
			taken = matches(text, n, words[i].name);
			if (taken)
				strbuf_append(into, words[i].value);
		}
		if (!taken) {
			strbuf_append_char(into, *text);
			taken = 1;
		}
		text += taken;
		n -= taken;
		if (into->n >= ELF_LIMIT_PATH_CHARS)
			return false;
	}
	return true;
}

bool elf_closure_next_directory(const char **at, const char *origin, uint16_t machine,
				struct strbuf *into)
{
	while (*at && **at) {
		size_t n = strcspn(*at, ":");
		const char *entry = *at;

		*at += n + (entry[n] == ':');
		strbuf_clear(into);
		if (elf_closure_expand(entry, n, origin, machine, into) &&
		    strbuf_str(into)[0] == '/')
			return true;
	}
	return false;
}
