// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/member_lookup.h"

#include "base/vec.h"
#include "elf/member_search.h"
#include "elf/debug_file.h"

static struct error *check_query(const struct elf_member_query *query)
{
	if (!query->n_members || query->n_members > ELF_LIMIT_QUERY_MEMBERS)
		return base_error(BASE_LIMIT, 0, "a query for %zu members", query->n_members);
	return NULL;
}

struct error *elf_member_lookup_in_image(struct elf_image *img,
					 const struct elf_member_query *query,
					 uint64_t *ret_offsets)
{
	_cleanup_elf_member_search_ struct elf_member_search search = { .query = query };
	bool conclusive = false;
	struct error *err = check_query(query);

	if (!err)
		err = elf_image_search_quick(&search, img, &conclusive);
	if (!err && !conclusive)
		err = elf_image_search_walk(&search, img);
	return err ? err : elf_member_search_result(&search, elf_image_label(img), ret_offsets);
}

/* One lookup on its way from place to place. */
struct lookup {
	const struct elf_debug_place *place;
	const char
		*roots[2]; /* where each path is looked for: the target's view, then the host's */
	size_t n_roots;
	const struct elf_member_query *query;
	uint64_t *ret_offsets;
	struct strbuf *source;
	struct strbuf tried;
	size_t n_more;		   /* attempts that the list has no room for */
	struct error *telling;	   /* the most telling failure so far */
	char *build_id;		   /* NULL: none */
	struct elf_debuglink link; /* name NULL: none */
	struct elf_image *packages[2];
	size_t n_packages;
	bool done;
	bool walk_inline; /* the image's own units were not all ruled out */
};

/* How much a failure says about the object, as opposed to about a file that is not there. */
static int weight(const struct error *err)
{
	static const int weights[ELF_N_ERROR_KINDS] = {
		[ELF_NO_DEBUG_INFO] = 2,  [ELF_NOT_ELF] = 3,	       [ELF_ARCH] = 3,
		[ELF_TRUNCATED] = 3,	  [ELF_MALFORMED] = 3,	       [ELF_BAD_DWARF] = 4,
		[ELF_TYPE_MISSING] = 5,	  [ELF_BUILD_ID_MISMATCH] = 6, [ELF_CRC_MISMATCH] = 7,
		[ELF_MEMBER_MISSING] = 8, [ELF_MEMBER_LOCATION] = 9,
	};

	return error_domain_of(err) == &elf_error_domain ? weights[error_kind_of(err)] : 1;
}

/* A program of ten thousand units may miss ten thousand files: a list is for reading. */
static void note_text(struct lookup *l, const char *text)
{
	if (l->tried.n < ELF_LIMIT_TRIED_CHARS)
		strbuf_appendf(&l->tried, "%s%s", l->tried.n ? "; " : "", text);
	else
		l->n_more++;
}

/*
 * Notes a failed attempt and lets the lookup go on; NULL is success and ends
 * it. Only a cancellation comes back: it must not be answered with the next file.
 */
static struct error *note(struct lookup *l, const char *path, struct error *err)
{
	if (!err) {
		l->done = true;
		if (l->source)
			strbuf_append(l->source, path);
		return NULL;
	}
	if (error_is(err, &base_error_domain, BASE_CANCELLED))
		return err;
	note_text(l, error_message(err));
	if (!l->telling || weight(err) > weight(l->telling)) {
		error_free(l->telling);
		l->telling = err;
	} else {
		error_free(err);
	}
	return NULL;
}

/* The end of one search. */
static struct error *note_search(struct lookup *l, const struct elf_member_search *search,
				 const char *label, struct error *err)
{
	return note(l, label, err ? err : elf_member_search_result(search, label, l->ret_offsets));
}

static struct error *search_inline_quick(struct lookup *l)
{
	_cleanup_elf_member_search_ struct elf_member_search search = { .query = l->query };
	bool conclusive = false;
	struct error *err = elf_image_search_quick(&search, l->place->image, &conclusive);

	l->walk_inline = !err && !conclusive;
	return l->walk_inline ? NULL : note_search(l, &search, l->place->path, err);
}

static struct error *search_package(struct lookup *l, struct elf_image *package,
				    const struct elf_skeletons *skeletons)
{
	_cleanup_elf_member_search_ struct elf_member_search search = { .query = l->query };
	struct error *err = elf_split_dwarf_search(&search, package, skeletons);

	return note_search(l, &search, elf_image_label(package), err);
}

static struct error *search_dwo_at(struct lookup *l, const char *path,
				   const struct elf_skeletons *skeletons)
{
	for (size_t i = 0; i < l->n_roots && !l->done; i++) {
		_cleanup_elf_image_ struct elf_image *dwo = NULL;
		struct error *err = elf_debug_file_open(l->roots[i], path, &dwo);

		err = err ? note(l, path, err) : search_package(l, dwo, skeletons);
		if (err)
			return err;
	}
	return NULL;
}

/* As it is named, seen from where it was compiled, then from where the object lies. */
static struct error *search_dwo(struct lookup *l, struct elf_skeleton *skeleton,
				const struct elf_skeletons *skeletons)
{
	const char *slash = strrchr(l->place->path, '/');
	_cleanup_free_ char *compiled = NULL;
	_cleanup_free_ char *beside = NULL;
	struct error *err = NULL;

	if (!skeleton->dwo_name || skeleton->tried)
		return NULL;
	skeleton->tried = true;
	if (skeleton->dwo_name[0] == '/')
		return search_dwo_at(l, skeleton->dwo_name, skeletons);
	beside = xasprintf("%.*s%s", slash ? (int)(slash - l->place->path) + 1 : 0, l->place->path,
			   skeleton->dwo_name);
	compiled = xasprintf("%s/%s", skeleton->comp_dir ? skeleton->comp_dir : ".",
			     skeleton->dwo_name);
	if (skeleton->comp_dir)
		err = search_dwo_at(l, compiled, skeletons);
	if (!err && !l->done && strcmp(compiled, beside) != 0)
		err = search_dwo_at(l, beside, skeletons);
	return err;
}

static struct error *search_dwos(struct lookup *l, struct elf_image *parent,
				 const struct elf_skeletons *skeletons)
{
	struct elf_unit_hits first = { .n = 0 };
	struct error *err = NULL;

	if (l->query->anchor_symbol)
		elf_anchor_find_units(parent, l->query->anchor_symbol, &first);
	for (size_t h = 0; h < first.n && !err && !l->done; h++) {
		for (size_t i = 0; i < skeletons->n && !err && !l->done; i++) {
			if (skeletons->at[i].unit_offset == first.offsets[h])
				err = search_dwo(l, &skeletons->at[i], skeletons);
		}
	}
	for (size_t i = 0; i < skeletons->n && i < ELF_LIMIT_DWO_FILES && !err && !l->done; i++) {
		err = cancel_error(l->query->cancel, "searching .dwo files");
		if (!err)
			err = search_dwo(l, &skeletons->at[i], skeletons);
	}
	return err;
}

/* What the skeleton units of `parent` stand for, in the packages and in .dwo files. */
static struct error *search_split(struct lookup *l, struct elf_image *parent)
{
	_cleanup_elf_skeletons_ struct elf_skeletons skeletons = { 0 };
	struct error *err = elf_skeletons_read(parent, l->query->cancel, &skeletons);

	if (error_is(err, &base_error_domain, BASE_CANCELLED))
		return err;

	if (err || !skeletons.n) {
		/* Whatever is wrong with the parent's own units is noted where it is searched. */
		error_free(err);
		return NULL;
	}
	for (size_t i = 0; i < l->n_packages && !l->done; i++) {
		err = search_package(l, l->packages[i], &skeletons);
		if (err)
			return err;
	}
	return l->done ? NULL : search_dwos(l, parent, &skeletons);
}

static struct error *open_packages(struct lookup *l)
{
	_cleanup_free_ char *path = xasprintf("%s.dwp", l->place->path);
	struct error *err = NULL;

	for (size_t i = 0; i < l->n_roots && !err; i++) {
		err = elf_debug_file_open(l->roots[i], path, &l->packages[l->n_packages]);
		if (!err)
			l->n_packages++;
		else
			err = note(l, path, err);
	}
	return err;
}

enum link_kind {
	LINK_BESIDE,	/* a name made from the object's: nothing vouches for it */
	LINK_BUILD_ID,	/* found under the build-id */
	LINK_DEBUGLINK, /* the checksum must agree */
};

static struct error *check_crc(struct lookup *l, struct elf_image *file)
{
	uint32_t crc;
	struct error *err = elf_image_crc32(file, &crc);

	if (err || crc == l->link.crc)
		return err;
	return elf_error(ELF_CRC_MISMATCH, 0,
			 "%s: its CRC is %#010x, but .gnu_debuglink of %s says %#010x",
			 elf_image_label(file), crc, l->place->path, l->link.crc);
}

/* Two builds of one program look alike; offsets out of the wrong one would be read as numbers. */
static struct error *check_belongs(struct lookup *l, struct elf_image *file, enum link_kind kind)
{
	_cleanup_strbuf_ struct strbuf hex = STRBUF_INIT;
	_cleanup_error_ struct error *no_id = NULL;

	if (kind == LINK_DEBUGLINK)
		return check_crc(l, file);
	no_id = elf_build_id(file, &hex);
	if (no_id || !l->build_id)
		return l->link.name
			       ? check_crc(l, file)
			       : elf_error(ELF_BUILD_ID_MISMATCH, 0,
					   "%s: neither a build-id nor a checksum identifies it",
					   elf_image_label(file));
	if (strcmp(strbuf_str(&hex), l->build_id) == 0)
		return NULL;
	return elf_error(ELF_BUILD_ID_MISMATCH, 0, "%s: its build-id is %s, that of %s is %s",
			 elf_image_label(file), strbuf_str(&hex), l->place->path, l->build_id);
}

static struct error *search_external(struct lookup *l, const char *path, enum link_kind kind)
{
	struct error *err = NULL;

	for (size_t i = 0; i < l->n_roots && !err && !l->done; i++) {
		_cleanup_elf_image_ struct elf_image *file = NULL;

		err = elf_debug_file_open(l->roots[i], path, &file);
		if (!err)
			err = check_belongs(l, file, kind);
		if (err) {
			err = note(l, path, err);
			continue;
		}
		err = note(l, elf_image_label(file),
			   elf_member_lookup_in_image(file, l->query, l->ret_offsets));
		if (!err && !l->done)
			err = search_split(l, file);
	}
	return err;
}

static struct error *search_external_files(struct lookup *l)
{
	static const char *const suffixes[] = { "debuginfo", "debug" };
	struct elf_path_list linked = { 0 };
	struct error *err = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(suffixes) && !err && !l->done; i++) {
		_cleanup_free_ char *path = xasprintf("%s.%s", l->place->path, suffixes[i]);

		err = search_external(l, path, LINK_BESIDE);
	}
	if (l->link.name && !elf_debuglink_name_is_safe(l->link.name, strlen(l->link.name))) {
		_cleanup_free_ char *text = xasprintf(
			".gnu_debuglink \"%s\": refused, not a bare file name", l->link.name);

		note_text(l, text);
	}
	elf_debug_file_candidates(l->place->path, l->link.name, l->build_id, l->place->debug_dir,
				  &linked);
	for (size_t i = 0; i < linked.n && !err && !l->done; i++)
		err = search_external(l, linked.at[i],
				      i == 0 && l->build_id ? LINK_BUILD_ID : LINK_DEBUGLINK);
	elf_path_list_deinit(&linked);
	return err;
}

static struct error *walk_inline(struct lookup *l)
{
	_cleanup_elf_member_search_ struct elf_member_search search = { .query = l->query };

	return note_search(l, &search, l->place->path,
			   elf_image_search_walk(&search, l->place->image));
}

static struct error *run(struct lookup *l)
{
	struct error *err = search_inline_quick(l);

	if (!err && !l->done)
		err = open_packages(l);
	if (!err && !l->done)
		err = search_split(l, l->place->image);
	if (!err && !l->done)
		err = search_external_files(l);
	if (!err && !l->done && l->walk_inline)
		err = walk_inline(l);
	return err;
}

static void read_links(struct lookup *l)
{
	_cleanup_strbuf_ struct strbuf hex = STRBUF_INIT;
	struct error *err = elf_build_id(l->place->image, &hex);

	if (!err)
		l->build_id = strbuf_take(&hex);
	error_free(err);
	/* An unreadable section names no file; explain() reports that none was found. */
	error_free(elf_debuglink(l->place->image, &l->link));
}

/* Everything failed: why, of which kind, and where it was looked for. */
static struct error *explain(struct lookup *l)
{
	_cleanup_error_ struct error *nothing = NULL;
	enum elf_error_kind kind = ELF_NO_DEBUG_INFO;
	struct elf_path_list linked = { 0 };
	bool is_linked;

	elf_debug_file_candidates(l->place->path, l->link.name, l->build_id, l->place->debug_dir,
				  &linked);
	is_linked = linked.n > 0;
	elf_path_list_deinit(&linked);
	if (l->n_more)
		strbuf_appendf(&l->tried, "; and %zu more", l->n_more);
	if (error_domain_of(l->telling) == &elf_error_domain)
		kind = (enum elf_error_kind)error_kind_of(l->telling);
	if (kind != ELF_NO_DEBUG_INFO || is_linked)
		return elf_error(kind, 0,
				 "%s: no usable debug information about struct %s; tried: %s",
				 l->place->path, l->query->type_name, strbuf_str(&l->tried));
	nothing = elf_debug_file_no_candidate(l->place->path, l->link.name, l->build_id);
	return elf_error((enum elf_error_kind)error_kind_of(nothing), 0, "%s; tried: %s",
			 error_message(nothing), strbuf_str(&l->tried));
}

struct error *elf_member_lookup(const struct elf_debug_place *place,
				const struct elf_member_query *query, uint64_t *ret_offsets,
				struct strbuf *source)
{
	struct lookup l = {
		.place = place,
		.query = query,
		.ret_offsets = ret_offsets,
		.source = source,
	};
	struct error *err = check_query(query);

	if (err)
		return err;
	if (place->ns_root)
		l.roots[l.n_roots++] = place->ns_root;
	l.roots[l.n_roots++] = NULL;
	read_links(&l);
	err = run(&l);
	if (!err && !l.done)
		err = explain(&l);
	for (size_t i = 0; i < l.n_packages; i++)
		elf_image_free(l.packages[i]);
	elf_debuglink_deinit(&l.link);
	error_free(l.telling);
	strbuf_deinit(&l.tried);
	free(l.build_id);
	return err;
}
