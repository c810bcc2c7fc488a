// SPDX-License-Identifier: LGPL-2.1-or-later
#include "host/host_facts.h"

#include <dirent.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/io.h"
#include "procfs/cpu_list.h"

/* The file's text without the blanks at its end; NULL when there is none. */
static char *read_text(const char *root, const char *path)
{
	_cleanup_free_ char *full = xasprintf("%s/%s", root, path);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = io_read_file(full, HOST_LIMIT_FILE_BYTES, &text);

	if (err)
		return NULL;
	while (text.n && strchr(" \t\n", text.at[text.n - 1]))
		text.at[--text.n] = '\0';
	return text.n ? strbuf_take(&text) : NULL;
}

/* The value behind "key<blanks>:" in the first line that has it. */
static char *find_value(const char *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *at;

		line += *line == '\n';
		if (strncmp(line, key, n) != 0)
			continue;
		at = line + n + strspn(line + n, " \t");
		if (*at++ != ':')
			continue;
		at += strspn(at, " \t");
		return xstrndup(at, strcspn(at, "\n"));
	}
	return NULL;
}

static struct host_number find_number(const char *text, const char *key)
{
	_cleanup_free_ char *value = text ? find_value(text, key) : NULL;
	struct slice rest = slice_of(value ? value : "");
	struct host_number number = { 0 };

	/* A unit may follow: "16384 kB". */
	number.known = slice_take_u64(&rest, &number.value) && (!rest.n || *rest.at == ' ');
	return number.known ? number : (struct host_number){ 0 };
}

/* How many numbers "0-3,5" holds. */
static struct host_number count_list(const char *root, const char *path)
{
	_cleanup_free_ char *text = read_text(root, path);
	_cleanup_procfs_cpu_ids_ struct procfs_cpu_ids ids = { 0 };

	if (!text || !procfs_cpu_list_parse(text, strlen(text), &ids))
		return (struct host_number){ 0 };
	return (struct host_number){ true, ids.ids.n };
}

static void read_memory(const char *root, struct host_facts *f)
{
	_cleanup_free_ char *text = read_text(root, "proc/meminfo");

	f->total_memory_kib = find_number(text, "MemTotal");
	f->hugepages_total = find_number(text, "HugePages_Total");
	f->hugepages_free = find_number(text, "HugePages_Free");
	f->hugepages_size_kib = find_number(text, "Hugepagesize");
	f->thp_enabled = read_text(root, "sys/kernel/mm/transparent_hugepage/enabled");
	f->thp_defrag = read_text(root, "sys/kernel/mm/transparent_hugepage/defrag");
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(((const struct host_pair *)a)->name, ((const struct host_pair *)b)->name);
}

/* A pair for each entry of a directory that fits the pattern: its name from `skip` on, its text. */
static void read_pairs_of(const char *root, const char *directory, const char *pattern, size_t skip,
			  const char *below, size_t limit, struct host_pairs *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", root, directory);
	_cleanup_dir_ DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && ret->rows.n < limit && (entry = readdir(dir))) {
		_cleanup_free_ char *file = xasprintf("%s/%s%s", directory, entry->d_name, below);
		char *value = fnmatch(pattern, entry->d_name, 0) ? NULL : read_text(root, file);

		if (value)
			vec_push(&ret->rows,
				 (struct host_pair){ xstrdup(entry->d_name + skip), value });
	}
	if (ret->rows.n)
		qsort(ret->rows.at, ret->rows.n, sizeof(*ret->rows.at), by_name);
	ret->known = dir != NULL;
}

void host_facts_read(const char *root, struct host_facts *ret)
{
	_cleanup_free_ char *cpuinfo = read_text(root, "proc/cpuinfo");
	struct host_facts f = { 0 };
	struct utsname name;

	if (cpuinfo) {
		f.cpu_model = find_value(cpuinfo, "model name");
		f.cpu_vendor = find_value(cpuinfo, "vendor_id");
	}
	read_memory(root, &f);
	read_pairs_of(root, "proc/sys/kernel", "sched_*", 0, "", HOST_LIMIT_TUNABLES,
		      &f.sched_tunables);
	read_pairs_of(root, "sys/devices/system/cpu", "cpu[0-9]*", strlen("cpu"),
		      "/cpufreq/scaling_governor", HOST_LIMIT_CPUS, &f.cpufreq_governor);
	/* A machine without governors does not say so. */
	f.cpufreq_governor.known = false;
	f.online_cpus = count_list(root, "sys/devices/system/cpu/online");
	f.numa_nodes = count_list(root, "sys/devices/system/node/online");
	f.kernel_name = read_text(root, "proc/sys/kernel/ostype");
	f.kernel_release = read_text(root, "proc/sys/kernel/osrelease");
	/* Since Linux 6.1. */
	f.arch = read_text(root, "proc/sys/kernel/arch");
	if (!f.arch && !*root && uname(&name) == 0)
		f.arch = xstrdup(name.machine);
	f.kernel_cmdline = read_text(root, "proc/cmdline");
	host_accounting_read(root, &f.accounting);
	*ret = f;
}

#define WORD(id, word) word,
static const char *const delayacct_names[] = { HOST_DELAYACCT_STATES(WORD) };
static const char *const xacct_names[] = { HOST_XACCT_STATES(WORD) };
#undef WORD

static bool has_line(const char *text, size_t n, const char *wanted)
{
	struct slice rest = { text, n }, line;

	while (slice_take_line(&rest, &line))
		if (slice_equal(line, wanted))
			return true;
	return false;
}

enum host_xacct host_xacct_parse(const char *text, size_t n)
{
	if (has_line(text, n, "CONFIG_TASK_XACCT=y"))
		return HOST_XACCT_ON;
	if (has_line(text, n, "# CONFIG_TASK_XACCT is not set"))
		return HOST_XACCT_OFF;
	return HOST_XACCT_UNKNOWN;
}

/* Compressed or not. False when it cannot be read whole. */
static bool read_config(const char *path, struct strbuf *into)
{
	gzFile file = gzopen(path, "re");
	char part[65536];
	int n;

	if (!file)
		return false;
	while ((n = gzread(file, part, sizeof(part))) > 0 &&
	       into->n + (size_t)n <= HOST_LIMIT_FILE_BYTES)
		strbuf_append_bytes(into, part, (size_t)n);
	/* A file that was cut in the middle fails only when it is closed. */
	return gzclose(file) == Z_OK && n == 0;
}

static enum host_xacct read_xacct(const char *root)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/config.gz", root), *boot = NULL;
	_cleanup_free_ char *release = read_text(root, "proc/sys/kernel/osrelease");
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (release)
		boot = xasprintf("%s/boot/config-%.*s", root, (int)strcspn(release, "/\n"),
				 release);
	if (!read_config(path, &text)) {
		strbuf_clear(&text);
		if (!boot || !read_config(boot, &text))
			return HOST_XACCT_UNKNOWN;
	}
	return host_xacct_parse(strbuf_str(&text), text.n);
}

static enum host_delayacct read_delayacct(const char *root)
{
	_cleanup_free_ char *directory = xasprintf("%s/proc/sys/kernel", root);
	_cleanup_free_ char *path = xasprintf("%s/task_delayacct", directory);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = io_read_file(path, HOST_LIMIT_FILE_BYTES, &text);

	if (err && (error_errno(err) != ENOENT || access(directory, F_OK) != 0))
		return HOST_DELAYACCT_UNKNOWN;
	while (text.n && strchr(" \t\n", text.at[text.n - 1]))
		text.at[--text.n] = '\0';
	/* The switch is there since Linux 5.14 in every kernel that can count. */
	if (err || text.n == 0)
		return HOST_DELAYACCT_CONFIG_OFF;
	return strcmp(text.at, "1") == 0 ? HOST_DELAYACCT_ON : HOST_DELAYACCT_RUNTIME_OFF;
}

void host_accounting_read(const char *root, struct host_accounting *ret)
{
	*ret = (struct host_accounting){ read_delayacct(root), read_xacct(root) };
}

/* The facts as a document. */
static struct error *read_pairs(const struct json_value *value, void *member)
{
	struct host_pairs *pairs = member;
	struct json_iter it = json_iter_over(value);

	if (json_type_of(value) != JSON_OBJECT)
		return base_error(BASE_PARSE, 0, "not an object");
	if (json_length(value) > HOST_LIMIT_CPUS)
		return base_error(BASE_LIMIT, 0, "more than %d members", HOST_LIMIT_CPUS);
	pairs->known = true;
	while (json_iter_next(&it)) {
		struct json_text text = json_string(it.value);

		if (!text.at)
			return base_error(BASE_PARSE, 0, "%.*s is not a string", (int)it.key.n,
					  it.key.at);
		vec_push(&pairs->rows, (struct host_pair){ xstrndup(it.key.at, it.key.n),
							   xstrndup(text.at, text.n) });
	}
	return NULL;
}

static bool pairs_are_absent(const void *member)
{
	const struct host_pairs *pairs = member;

	return pairs->rows.n == 0 && !pairs->known;
}

static void write_pairs(const void *member, struct json_writer *w)
{
	const struct host_pairs *pairs = member;

	json_begin_object(w);
	for (size_t i = 0; i < pairs->rows.n; i++)
		json_add_string(w, pairs->rows.at[i].name, pairs->rows.at[i].value);
	json_end_object(w);
}

static void pairs_deinit(void *member)
{
	struct host_pairs *pairs = member;

	for (size_t i = 0; i < pairs->rows.n; i++) {
		free(pairs->rows.at[i].name);
		free(pairs->rows.at[i].value);
	}
	vec_deinit(&pairs->rows);
}

static const struct json_codec pairs_codec = {
	.type = "object of strings",
	.read = read_pairs,
	.is_absent = pairs_are_absent,
	.write = write_pairs,
	.deinit = pairs_deinit,
};

#define TEXT_(name, means_) { JSON_SCALAR(struct host_facts, name), .means = (means_) },
#define RENAMED_(name_, older_, means_)                           \
	{ JSON_SCALAR_AS(struct host_facts, name_.value, #name_), \
	  JSON_HAS(struct host_facts, name_.known), .older_name = (older_), .means = (means_) },
#define NUMBER_(name, means_) RENAMED_(name, NULL, means_)
#define PAIRS_(name, means_) \
	{ JSON_CUSTOM(struct host_facts, name, &pairs_codec), .means = (means_) },

static const struct json_row rows[] = {
	HOST_FACTS(TEXT_, NUMBER_, RENAMED_, PAIRS_)
	/* The first word of both is unknown, which is what any other word is too. */
	{ JSON_WORD_AS(struct host_facts, accounting.delayacct, "task_delayacct", delayacct_names),
	  .lenient = true, .absent_zero = true,
	  .means = "whether the kernel counts delays of tasks" },
	{ JSON_WORD_AS(struct host_facts, accounting.xacct, "config_task_xacct", xacct_names),
	  .lenient = true, .absent_zero = true,
	  .means = "whether the kernel keeps the memory watermarks of tasks" },
};

const struct json_rows host_facts_rows = { JSON_TABLE(rows), .null_is_absent = true };

void host_facts_deinit(struct host_facts *facts)
{
	json_rows_deinit(&host_facts_rows, facts);
	*facts = (struct host_facts){ 0 };
}

void host_facts_write(const struct host_facts *facts, struct json_writer *w)
{
	json_rows_write(&host_facts_rows, facts, w);
}

struct error *host_facts_load(const struct json_value *object, const char *path,
			      struct host_facts *ret)
{
	_cleanup_host_facts_ struct host_facts facts = { 0 };
	struct error *err = json_rows_read(&host_facts_rows, object, path, &facts);

	if (err)
		return err;
	*ret = facts;
	facts = (struct host_facts){ 0 };
	return NULL;
}
