# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Host packages: which rows of packages.list are not met, and meeting them.

# packages_missing PURPOSE: "name minimum" of each row for it that the system does not meet.
# Of alternatives any one meets the row; when none is there, the first is missing.
packages_missing() {
	local names name on purpose minimum why have alternative
	declare -A installed
	while read -r name have; do
		installed[$name]=$have
	done < <(dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\n' | sed -n 's/^installed //p')
	while read -r names on purpose minimum why; do
		[[ $names == \#* || -z $names || -z $why ]] && continue
		[[ ,$on, == *,$OS_VERSION,* ]] || continue
		[[ $purpose == build || $1 == test ]] || continue
		name=${names%%|*} have=
		for alternative in ${names//|/ }; do
			have=${have:-${installed[$alternative]:-}}
		done
		if [[ -n $have ]] && { [[ $minimum == - ]] || dpkg --compare-versions "$have" ge "$minimum"; }; then
			continue
		fi
		printf '%s %s\n' "$name" "$minimum"
	done <"$LIB/packages.list"
}

# Turns "name minimum" rows into apt's arguments: name, or name/suite where the
# release's own package is too old.
packages_choose() {
	local name minimum candidate
	while read -r name minimum; do
		candidate=$(apt_candidate "$name")
		if [[ $minimum == - ]] || dpkg --compare-versions "${candidate:-0}" ge "$minimum"; then
			printf '%s\n' "$name"
		else
			printf '%s/%s-backports\n' "$name" "$OS_CODENAME"
		fi
	done
}

packages_simulate() {
	local plan
	plan=$(apt_get -s install --no-install-recommends "$@")
	printf '%s\n' "$plan"
	if grep -q '^Remv ' <<<"$plan"; then
		echo "apt would remove packages for this; set-up never does that:"
		grep '^Remv ' <<<"$plan"
		return 1
	fi
}

packages_install() {
	export DEBIAN_FRONTEND=noninteractive
	download packages apt_get install --no-install-recommends --no-remove --download-only "$@"
	apt_get install --no-install-recommends --no-remove "$@"
	rm -f "$APT_DIR"/private/cache/archives/*.deb
}

# As root. Names that the lists lack or files the mirror no longer has are a
# reason to refresh once.
packages_meet() {
	local missing=$1 chosen
	cache_lock packages.lock
	apt_init
	download "package lists" apt_refresh
	mapfile -t chosen < <(packages_choose <<<"$missing")
	if ! (packages_simulate "${chosen[@]}") >>"$LOG" 2>&1; then
		apt_refresh force
		mapfile -t chosen < <(packages_choose <<<"$missing")
	fi
	step "checking that nothing would be removed" packages_simulate "${chosen[@]}"
	step "installing ${#chosen[@]} packages: ${chosen[*]}" packages_install "${chosen[@]}"
	cache_unlock
}
