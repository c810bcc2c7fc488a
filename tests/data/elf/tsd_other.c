// SPDX-License-Identifier: GPL-2.0-or-later
/* Another source file of the same program, with another struct of the same name. */
struct tsd_s;
struct tsd_s {
	int unrelated;
};
struct declared_only;

int other_unit(struct tsd_s *tsd, struct declared_only *d);

int other_unit(struct tsd_s *tsd, struct declared_only *d)
{
	return tsd && d ? tsd->unrelated : 0;
}
