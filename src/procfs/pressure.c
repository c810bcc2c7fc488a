// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/cgroup.h"

#include <fcntl.h>

#include "base/slice.h"
#include "procfs/reading.h"

#define NAME_(id, name) name,
const char *const procfs_pressure_resource_names[] = { PROCFS_PRESSURE_RESOURCES(NAME_) };
#undef NAME_
const char *const procfs_pressure_half_names[] = { "some", "full" };

static bool are_digits(struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.at[i] < '0' || s.at[i] > '9')
			return false;
	return true;
}

/* "12.34" in hundredths; what does not parse is 0, what does not fit is the largest. */
static uint64_t parse_PERCENT(struct slice text)
{
	struct slice whole_text;
	uint64_t whole = 0, fraction = 0;

	if (!slice_take_until(&text, '.', &whole_text) || whole_text.n == 0 ||
	    !are_digits(whole_text) || !are_digits(text))
		return 0;
	if (text.n)
		fraction = (uint64_t)(text.at[0] - '0') * 10;
	if (text.n > 1)
		fraction += (uint64_t)(text.at[1] - '0');
	if (!slice_u64(whole_text, &whole) || whole > PROCFS_LIMIT_PRESSURE_PERCENT / 100)
		return PROCFS_LIMIT_PRESSURE_PERCENT;
	whole = whole * 100 + fraction;
	return whole < PROCFS_LIMIT_PRESSURE_PERCENT ? whole : PROCFS_LIMIT_PRESSURE_PERCENT;
}

static uint64_t parse_US(struct slice text)
{
	uint64_t value;

	return slice_u64(text, &value) ? value : 0;
}

/* "avg10=1.50" or "total=7". */
static void take_value(struct slice value, struct procfs_pressure_half *half)
{
	struct slice key;

	if (!slice_take_until(&value, '=', &key))
		return;
#define TAKE_(member, key_, unit, what) \
	if (slice_equal(key, key_))     \
		half->member = parse_##unit(value);
	PROCFS_PRESSURE_VALUES(TAKE_)
#undef TAKE_
}

static void take_line(struct slice line, struct procfs_pressure_file *file)
{
	struct slice name, word;

	if (!slice_take_word(&line, &name))
		return;
	for (int i = 0; i < PROCFS_N_PRESSURE_HALVES; i++) {
		if (!slice_equal(name, procfs_pressure_half_names[i]))
			continue;
		file->half[i].known = true;
		while (slice_take_word(&line, &word))
			take_value(word, &file->half[i]);
	}
}

void procfs_pressure_file_parse(const char *text, size_t n, struct procfs_pressure_file *ret)
{
	struct procfs_pressure_file file = { .known = true };
	struct slice rest = { text, n }, line;

	while (slice_take_line(&rest, &line))
		take_line(line, &file);
	*ret = file;
}

void procfs_pressure_read_at(int dir, const char *suffix, struct procfs_pressure *ret)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct procfs_pressure pressure = { 0 };

	for (int i = 0; i < PROCFS_N_PRESSURE_RESOURCES; i++) {
		char name[32];

		snprintf(name, sizeof(name), "%s%s", procfs_pressure_resource_names[i], suffix);
		/* With psi=0 the files are there and refuse to be read. */
		if (procfs_small_file_read(dir, name, &text))
			procfs_pressure_file_parse(strbuf_str(&text), text.n,
						   &pressure.resources[i]);
	}
	*ret = pressure;
}

void procfs_pressure_read(const char *dir, const char *suffix, struct procfs_pressure *ret)
{
	_cleanup_close_ int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	*ret = (struct procfs_pressure){ 0 };
	if (fd >= 0)
		procfs_pressure_read_at(fd, suffix, ret);
}

void procfs_sched_ext_read(const char *root, struct intern *names, struct procfs_sched_ext *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/sys/kernel/sched_ext", root);
	_cleanup_close_ int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct procfs_sched_ext scx = { 0 };

	if (dir >= 0) {
		scx.known = true;
		scx.state = procfs_text_read(dir, "state", names);
		scx.switch_all = procfs_reading_read(dir, "switch_all");
		scx.nr_rejected = procfs_reading_read(dir, "nr_rejected");
		scx.hotplug_seq = procfs_reading_read(dir, "hotplug_seq");
		scx.enable_seq = procfs_reading_read(dir, "enable_seq");
		/* The directory root is there while a scheduler is loaded; events since Linux 6.15.
		 */
		scx.ops = procfs_text_read(dir, "root/ops", names);
		procfs_named_readings_read(dir, "root/events", names, &scx.events);
	}
	*ret = scx;
}

void procfs_sched_ext_deinit(struct procfs_sched_ext *scx)
{
	procfs_named_readings_deinit(&scx->events);
	*scx = (struct procfs_sched_ext){ 0 };
}
