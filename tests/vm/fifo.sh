# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest beside scx_ktfifo: one scheduler after the other, and what the kernel
# says of each. Everything it sees stands in files, and an archive of them is its output.
#   NAME.rc NAME.out NAME.err   of the scheduler
#   NAME.during NAME.after      /sys/kernel/sched_ext: state, name of the scheduler
#   NAME.kernel                 what the kernel's log says of it
#   NAME.cpu                    pid and CPU time (ticks) of spinning processes
cd /root || exit 1
mkdir seen
sys=/sys/kernel/sched_ext
[ -d $sys ] || { tar c -C seen . ; exit; }

look() {
	cat $sys/state
	cat $sys/root/ops 2>/dev/null
}

# Attached, or gone before that. Nothing may take for ever, also with bugs planted.
start() {
	name=$1
	shift
	dmesg -c >/dev/null
	: >seen/$name.out
	timeout -s KILL 60 ./scx_ktfifo "$@" >seen/$name.out 2>seen/$name.err &
	waiter=$!
	while [ ! -s seen/$name.out ] && kill -0 $waiter 2>/dev/null; do
		sleep 0.05
	done
	look >seen/$name.during
}

# Ends it with a signal, or waits until it has ended without one.
finish() {
	[ -z "$1" ] || kill -"$1" "$(pidof scx_ktfifo)"
	wait $waiter 2>/dev/null
	echo $? >seen/$name.rc
	look >seen/$name.after
	dmesg -c >seen/$name.kernel
}

# Two spinning processes per CPU, half of them with even pids.
spin() {
	odd=0 even=0 spinners=
	while [ $odd -lt 2 ] || [ $even -lt 2 ]; do
		(while :; do :; done) &
		if [ $(($! % 2)) = 1 ] && [ $odd -lt 2 ]; then
			odd=$((odd + 1))
		elif [ $(($! % 2)) = 0 ] && [ $even -lt 2 ]; then
			even=$((even + 1))
		else
			kill $!
			continue
		fi
		spinners="$spinners $!"
	done
}

ticks() {
	for pid in $spinners; do
		echo $pid "$(cut -d ' ' -f 14 /proc/$pid/stat)"
	done
}

# Measured in CPU time: a slow host makes it longer, not different.
compare() {
	ticks >seen/$name.before
	first=$(total <seen/$name.before)
	rounds=0
	while ticks >seen/$name.cpu && [ $(($(total <seen/$name.cpu) - first)) -lt 400 ] && [ $rounds -lt 60 ]; do
		rounds=$((rounds + 1))
		sleep 0.5
	done
}

total() {
	sum=0
	while read -r pid used; do
		sum=$((sum + used))
	done
	echo $sum
}

start plain
timeout -s KILL 60 ./scx_ktfifo >seen/second.out 2>seen/second.err
echo $? >seen/second.rc
look >seen/second.after
finish INT
start terminated --slice-us 5000 --verbose
finish TERM
start early --fault exit
finish
start later --fault exit-later --after-ms 300
finish
start crash --fault crash --after-ms 300
finish
start refused --fault verifier
finish
start error --fault error --after-ms 300
finish

# It says nothing and so is not waited for; its programs are there when it has loaded.
dmesg -c >/dev/null
name=loaded
timeout -s KILL 60 ./scx_ktfifo --fault no-attach >seen/loaded.out 2>seen/loaded.err &
waiter=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
	ls -l /proc/"$(pidof scx_ktfifo)"/fd >seen/loaded.fds 2>&1
	grep -q bpf-prog seen/loaded.fds && break
	sleep 0.3
done
sleep 0.3
look >seen/loaded.during
finish TERM

start fair
spin
compare
finish INT
start lopsided --fault lopsided
compare
finish INT
start stall --fault stall --after-ms 0 --timeout-ms 4000
finish
kill $spinners
start again
finish INT
tar c -C seen .
