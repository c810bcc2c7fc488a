// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/walk.h"

void kmem_walk_begin(struct kmem_walk *walk)
{
	*walk = (struct kmem_walk){ .wanted = walk->wanted,
				    .written = walk->written,
				    .most_written = walk->most_written,
				    .steps_left = walk->steps_left };
}

bool kmem_walk_step(struct kmem_walk *walk)
{
	if (walk->n_steps >= KMEM_LIMIT_WALK || (walk->steps_left && !*walk->steps_left)) {
		walk->end = KMEM_WALK_LIMITED;
		return false;
	}
	walk->n_steps++;
	if (walk->steps_left)
		--*walk->steps_left;
	return true;
}

bool kmem_walk_read(struct kmem_walk *walk, struct kmem_space *space, uint64_t address, void *buf,
		    size_t n)
{
	walk->status = kmem_read(space, address, buf, n, NULL);
	if (walk->status == KMEM_READ_OK)
		return true;
	walk->end = KMEM_WALK_UNREADABLE;
	walk->failed = address;
	return false;
}

bool kmem_walk_shows(struct kmem_walk *walk)
{
	walk->n++;
	if ((walk->wanted && walk->n_shown >= walk->wanted) ||
	    (walk->written && *walk->written >= walk->most_written))
		return false;
	walk->n_shown++;
	return true;
}

bool kmem_walk_circles(struct kmem_walk *walk, struct kmem_circle *circle, uint64_t at)
{
	if (circle->until && at == circle->remembered) {
		walk->end = KMEM_WALK_CYCLE;
		return true;
	}
	if (circle->since++ == circle->until) {
		circle->remembered = at;
		circle->since = 0;
		circle->until = circle->until ? 2 * circle->until : 1;
	}
	return false;
}

void kmem_walk_join(struct kmem_walk *walk, const struct kmem_walk *part)
{
	walk->n_bad_backlinks += part->n_bad_backlinks;
	if (walk->end != KMEM_WALK_WHOLE || part->end == KMEM_WALK_WHOLE)
		return;
	walk->end = part->end;
	walk->status = part->status;
	walk->failed = part->failed;
}

void kmem_walk_format(const struct kmem_walk *walk, struct strbuf *into)
{
	unsigned long long n = walk->n, shown = walk->n_shown;

	if (walk->end == KMEM_WALK_WHOLE && n == shown)
		strbuf_appendf(into, "%llu", n);
	else
		strbuf_appendf(into, "shown %llu of %s%llu", shown,
			       walk->end == KMEM_WALK_WHOLE ? "" : "at least ", n);
	switch (walk->end) {
	case KMEM_WALK_WHOLE:
	case KMEM_WALK_STOPPED:
		break;
	case KMEM_WALK_LIMITED:
		strbuf_appendf(into, ": given up after %llu steps",
			       (unsigned long long)walk->n_steps);
		break;
	case KMEM_WALK_CYCLE:
		strbuf_append(into, ": it contains a cycle");
		break;
	case KMEM_WALK_UNREADABLE:
		strbuf_appendf(into, ": address %#llx is %s", (unsigned long long)walk->failed,
			       kmem_status_name(walk->status));
	}
	if (walk->n_bad_backlinks)
		strbuf_appendf(into, "; %llu links do not point back",
			       (unsigned long long)walk->n_bad_backlinks);
}
