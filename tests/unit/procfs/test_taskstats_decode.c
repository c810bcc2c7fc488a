// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/taskstats.h"

#include "taskstats_message.h"
#include "taskstats_structs.h"
#include "unit.h"

/* Our struct of the test agrees with the header of this machine, as far as that goes. */
#define SAME_PLACE(field)                                                                         \
	_Static_assert(offsetof(struct taskstats_17, field) == offsetof(struct taskstats, field), \
		       #field)
SAME_PLACE(cpu_count);
SAME_PLACE(swapin_delay_total);
SAME_PLACE(hiwater_rss);
SAME_PLACE(hiwater_vm);
SAME_PLACE(freepages_count);
SAME_PLACE(thrashing_delay_total);
SAME_PLACE(compact_count);
SAME_PLACE(wpcopy_count);
SAME_PLACE(ac_tgid);
_Static_assert(sizeof(struct taskstats_15) == PROCFS_TASKSTATS_16_BYTES, "the same length");
_Static_assert(PROCFS_TASKSTATS_16_BYTES == 560, "as long as Linux 6.16 sends");

#define FILL(s, name, k)                                             \
	((s)->name##_count = (k), (s)->name##_delay_total = (k) + 1, \
	 (s)->name##_delay_max = (k) + 2, (s)->name##_delay_min = (k) + 3)

#define FILL_ALL(s)                      \
	do {                             \
		FILL(s, cpu, 100);       \
		FILL(s, blkio, 200);     \
		FILL(s, swapin, 300);    \
		FILL(s, freepages, 400); \
		FILL(s, thrashing, 500); \
		FILL(s, compact, 600);   \
		FILL(s, wpcopy, 700);    \
		FILL(s, irq, 800);       \
		(s)->hiwater_rss = 7;    \
		(s)->hiwater_vm = 9;     \
		(s)->ac_tgid = 4711;     \
	} while (0)

/* Every value that must be known is what was put in; every other one is not known. */
static void check(const struct procfs_taskstats_values *v, unsigned int version, int n_delays,
		  bool extremes)
{
	assert_int_equal(v->version, version);
	for (int i = 0; i < PROCFS_N_TASKSTATS_DELAYS; i++) {
		const struct procfs_taskstats_delay *d = &v->delays[i];
		uint64_t k = 100 * (uint64_t)(i + 1);

		assert_int_equal(d->count.known, i < n_delays);
		assert_int_equal(d->total_ns.known, i < n_delays);
		assert_int_equal(d->max_ns.known, extremes);
		assert_int_equal(d->min_ns.known, extremes);
		assert_true(d->count.value == (i < n_delays ? k : 0));
		assert_true(d->total_ns.value == (i < n_delays ? k + 1 : 0));
		assert_true(d->max_ns.value == (extremes ? k + 2 : 0));
		assert_true(d->min_ns.value == (extremes ? k + 3 : 0));
	}
	assert_int_equal(v->tgid.known, version >= 12);
	assert_true(v->tgid.value == (version >= 12 ? 4711 : 0));
	assert_true(v->hiwater_rss_bytes.known && v->hiwater_rss_bytes.value == 7 * 1024);
	assert_true(v->hiwater_vm_bytes.known && v->hiwater_vm_bytes.value == 9 * 1024);
}

static void each_taskstats_version_has_its_layout(void **state UNUSED)
{
	static const struct {
		uint16_t version;
		size_t n;
		int delays;
		bool extremes;
	} rows[] = {
		{ 8, PROCFS_TASKSTATS_8_BYTES, 4, false },
		{ 9, PROCFS_TASKSTATS_9_BYTES, 5, false },
		{ 10, PROCFS_TASKSTATS_10_BYTES, 5, false },
		{ 11, PROCFS_TASKSTATS_11_BYTES, 6, false },
		{ 12, PROCFS_TASKSTATS_12_BYTES, 6, false },
		{ 13, PROCFS_TASKSTATS_13_BYTES, 7, false },
		{ 14, PROCFS_TASKSTATS_14_BYTES, 8, false },
		{ 16, PROCFS_TASKSTATS_16_BYTES, 8, true },
		{ 17, sizeof(struct taskstats_17), 8, true },
		/* One to come, with more behind. */
		{ 18, sizeof(struct taskstats_17), 8, true },
	};
	struct procfs_taskstats_values v;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct taskstats_17 s = { .version = rows[i].version };

		FILL_ALL(&s);
		procfs_taskstats_values_parse((struct bytes){ (uint8_t *)&s, rows[i].n }, &v);
		check(&v, rows[i].version, rows[i].delays, rows[i].extremes);
	}
}

static void taskstats_version_15_has_its_own_layout(void **state UNUSED)
{
	struct taskstats_15 s = { .version = 15 };
	struct procfs_taskstats_values v;

	FILL_ALL(&s);
	procfs_taskstats_values_parse((struct bytes){ (uint8_t *)&s, sizeof(s) }, &v);
	check(&v, 15, 8, true);
}

static void a_version_does_not_have_what_came_later_however_long_it_is(void **state UNUSED)
{
	struct taskstats_17 s = { .version = 8 };
	struct procfs_taskstats_values v;

	FILL_ALL(&s);
	procfs_taskstats_values_parse((struct bytes){ (uint8_t *)&s, sizeof(s) }, &v);
	check(&v, 8, 4, false);
	s.version = 0;
	procfs_taskstats_values_parse((struct bytes){ (uint8_t *)&s, sizeof(s) }, &v);
	assert_false(v.delays[PROCFS_TASKSTATS_CPU].count.known || v.hiwater_rss_bytes.known);
	s.version = 2;
	procfs_taskstats_values_parse((struct bytes){ (uint8_t *)&s, sizeof(s) }, &v);
	assert_true(v.delays[PROCFS_TASKSTATS_SWAPIN].count.known);
	assert_false(v.hiwater_rss_bytes.known || v.delays[PROCFS_TASKSTATS_FREEPAGES].count.known);
}

static void taskstats_fields_past_the_end_are_unknown(void **state UNUSED)
{
	struct taskstats_17 s = { .version = 17 };
	struct procfs_taskstats_values v;

	FILL_ALL(&s);
	for (size_t n = 0; n <= sizeof(s); n++) {
		procfs_taskstats_values_parse((struct bytes){ (uint8_t *)&s, n }, &v);
		assert_int_equal(v.delays[PROCFS_TASKSTATS_CPU].count.known, n >= 24);
		assert_int_equal(v.hiwater_vm_bytes.known, n >= 216);
		assert_int_equal(v.delays[PROCFS_TASKSTATS_IRQ].total_ns.known, n >= 432);
		assert_int_equal(v.delays[PROCFS_TASKSTATS_IRQ].min_ns.known, n >= 560);
	}
}

static void a_watermark_too_large_for_bytes_is_the_largest(void **state UNUSED)
{
	struct taskstats_17 s = { .version = 16, .hiwater_rss = UINT64_MAX / 1024 };
	struct procfs_taskstats_values v;

	s.hiwater_vm = s.hiwater_rss + 1;
	procfs_taskstats_values_parse((struct bytes){ (uint8_t *)&s, sizeof(s) }, &v);
	assert_true(v.hiwater_rss_bytes.value == UINT64_MAX / 1024 * 1024);
	assert_true(v.hiwater_vm_bytes.known && v.hiwater_vm_bytes.value == UINT64_MAX);
}

enum { FAMILY = 27 };

static struct procfs_taskstats_reply parse(const struct strbuf *s)
{
	struct procfs_taskstats_reply reply;

	procfs_taskstats_reply_parse(message_bytes(s), FAMILY, &reply);
	return reply;
}

static void an_answer_carries_thread_and_values(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct taskstats_17 stats = { .version = 16 };
	struct procfs_taskstats_reply reply;

	FILL_ALL(&stats);
	put_answer(&s, FAMILY, 77, 4242, &stats, PROCFS_TASKSTATS_16_BYTES);
	reply = parse(&s);
	assert_int_equal(reply.kind, PROCFS_TASKSTATS_REPLY_VALUES);
	assert_int_equal(reply.seq, 77);
	assert_int_equal(reply.tid, 4242);
	check(&reply.values, 16, 8, true);
	/* Cut anywhere it is an error; only the header is needed to know whose. */
	for (size_t n = 0; n < s.n; n++) {
		procfs_taskstats_reply_parse((struct bytes){ (uint8_t *)s.at, n }, FAMILY, &reply);
		assert_int_equal(reply.kind, PROCFS_TASKSTATS_REPLY_SHORT);
		assert_int_equal(reply.seq, n >= 12 ? 77 : 0);
	}
}

static void a_refusal_has_its_errno(void **state UNUSED)
{
	static const int codes[] = { EPERM, ESRCH, EINVAL, ENOMEM };

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		put_error(&s, 5, -codes[i]);
		assert_int_equal(parse(&s).kind, PROCFS_TASKSTATS_REPLY_ERRNO);
		assert_int_equal(parse(&s).errnum, codes[i]);
		assert_int_equal(parse(&s).seq, 5);
	}
}

static void check_kind(const struct strbuf *s, enum procfs_taskstats_reply_kind kind)
{
	assert_int_equal(parse(s).kind, kind);
}

static void replies_without_values_are_classified(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf ack = STRBUF_INIT, positive = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf lowest = STRBUF_INIT, bare = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf other = STRBUF_INIT, command = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf headless = STRBUF_INIT, none = STRBUF_INIT;

	put_error(&ack, 1, 0);
	check_kind(&ack, PROCFS_TASKSTATS_REPLY_FOREIGN);
	put_error(&positive, 1, 3);
	check_kind(&positive, PROCFS_TASKSTATS_REPLY_FOREIGN);
	put_error(&lowest, 1, INT32_MIN);
	check_kind(&lowest, PROCFS_TASKSTATS_REPLY_FOREIGN);
	put_message(&bare, NLMSG_ERROR, 1, NULL, 0);
	check_kind(&bare, PROCFS_TASKSTATS_REPLY_FOREIGN);
	put_answer(&other, FAMILY + 1, 1, 2, "", 0);
	check_kind(&other, PROCFS_TASKSTATS_REPLY_FOREIGN);
	put_command(&command, FAMILY, 1, TASKSTATS_CMD_GET, &none);
	check_kind(&command, PROCFS_TASKSTATS_REPLY_FOREIGN);
	put_message(&headless, FAMILY, 1, "\2", 1);
	check_kind(&headless, PROCFS_TASKSTATS_REPLY_FOREIGN);
}

static void missing_taskstats_attributes_are_named(void **state UNUSED)
{
	static const struct {
		uint16_t aggregate, pid;
		size_t pid_n;
		uint16_t stats;
		enum procfs_taskstats_reply_kind kind;
	} rows[] = {
		{ TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID, 4, TASKSTATS_TYPE_STATS,
		  PROCFS_TASKSTATS_REPLY_VALUES },
		{ TASKSTATS_TYPE_AGGR_TGID, TASKSTATS_TYPE_PID, 4, TASKSTATS_TYPE_STATS,
		  PROCFS_TASKSTATS_REPLY_NO_PID },
		{ TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_TGID, 4, TASKSTATS_TYPE_STATS,
		  PROCFS_TASKSTATS_REPLY_NO_PID },
		{ TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID, 3, TASKSTATS_TYPE_STATS,
		  PROCFS_TASKSTATS_REPLY_NO_PID },
		{ TASKSTATS_TYPE_AGGR_PID, TASKSTATS_TYPE_PID, 4, 9,
		  PROCFS_TASKSTATS_REPLY_NO_STATS },
		/* The flag that says what is inside is no part of the type. */
		{ TASKSTATS_TYPE_AGGR_PID | NLA_F_NESTED, TASKSTATS_TYPE_PID, 4,
		  TASKSTATS_TYPE_STATS, PROCFS_TASKSTATS_REPLY_VALUES },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf inner = STRBUF_INIT, outer = STRBUF_INIT,
					       s = STRBUF_INIT;
		uint32_t tid = 5;

		put_attribute(&inner, rows[i].pid, &tid, rows[i].pid_n);
		put_attribute(&inner, rows[i].stats, "\20\0", 2);
		put_attribute(&outer, rows[i].aggregate, inner.at, inner.n);
		put_command(&s, FAMILY, 1, TASKSTATS_CMD_NEW, &outer);
		check_kind(&s, rows[i].kind);
	}
}

static void an_attribute_with_a_wrong_length_ends_the_search(void **state UNUSED)
{
	static const uint16_t lengths[] = { 0, 3, 9, 65535 };

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		_cleanup_strbuf_ struct strbuf outer = STRBUF_INIT, s = STRBUF_INIT;
		uint16_t header[4] = { lengths[i], TASKSTATS_TYPE_AGGR_PID, 0, 0 };

		strbuf_append_bytes(&outer, header, sizeof(header));
		put_command(&s, FAMILY, 1, TASKSTATS_CMD_NEW, &outer);
		check_kind(&s, PROCFS_TASKSTATS_REPLY_NO_PID);
	}
}

static void the_family_is_asked_for_by_name(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf good = STRBUF_INIT, refused = STRBUF_INIT, low = STRBUF_INIT,
				       other = STRBUF_INIT, empty = STRBUF_INIT, none = STRBUF_INIT;
	uint16_t family = 1;
	int errnum = -1;

	put_family(&good, 3, 31);
	assert_false(procfs_taskstats_family_parse(message_bytes(&good), 4, &family, &errnum));
	assert_int_equal(errnum, EBADMSG);
	assert_int_equal(family, 1);
	assert_true(procfs_taskstats_family_parse(message_bytes(&good), 3, &family, &errnum));
	assert_int_equal(family, 31);
	assert_int_equal(errnum, 0);
	for (size_t n = 0; n < good.n; n++)
		assert_false(procfs_taskstats_family_parse((struct bytes){ (uint8_t *)good.at, n },
							   3, &family, &errnum));
	put_error(&refused, 3, -ENOENT);
	assert_false(procfs_taskstats_family_parse(message_bytes(&refused), 3, &family, &errnum));
	assert_int_equal(errnum, ENOENT);
	/* A number of netlink's own would make every error an answer. */
	put_family(&low, 3, NLMSG_ERROR);
	assert_false(procfs_taskstats_family_parse(message_bytes(&low), 3, &family, &errnum));
	put_command(&other, GENL_ID_CTRL, 3, CTRL_CMD_DELFAMILY, &none);
	assert_false(procfs_taskstats_family_parse(message_bytes(&other), 3, &family, &errnum));
	put_command(&empty, GENL_ID_CTRL, 3, CTRL_CMD_NEWFAMILY, &none);
	assert_false(procfs_taskstats_family_parse(message_bytes(&empty), 3, &family, &errnum));
	assert_int_equal(errnum, EBADMSG);
	assert_int_equal(family, 31);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_taskstats_version_has_its_layout),
		cmocka_unit_test(taskstats_version_15_has_its_own_layout),
		cmocka_unit_test(a_version_does_not_have_what_came_later_however_long_it_is),
		cmocka_unit_test(taskstats_fields_past_the_end_are_unknown),
		cmocka_unit_test(a_watermark_too_large_for_bytes_is_the_largest),
		cmocka_unit_test(an_answer_carries_thread_and_values),
		cmocka_unit_test(a_refusal_has_its_errno),
		cmocka_unit_test(replies_without_values_are_classified),
		cmocka_unit_test(missing_taskstats_attributes_are_named),
		cmocka_unit_test(an_attribute_with_a_wrong_length_ends_the_search),
		cmocka_unit_test(the_family_is_asked_for_by_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
