# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest beside ktstr, profiled and scx_ktfifo. Everything it sees stands in files, and an
# archive of them is its output.
#   facts                what profiled says it did
#   older                who began before delays were counted
#   slow-1 fast slow-2   snapshots through /proc, through BPF, through /proc again
#   NAME.out             what the command said
#   spin-1 spin-2 spin-3 the same three of a process that does not stand still
#   ext ext-slow         while a sched_ext scheduler runs
#   cgroup.*             files of the cgroup that profiled is in
cd /root || exit 1
mkdir seen
cg=/sys/fs/cgroup

# Too old to have its delays counted.
sleep 10000 &
echo $! >seen/older
echo 1 >/proc/sys/kernel/task_delayacct
echo 1 >/proc/sys/kernel/sched_schedstats
echo +cpu +memory +pids +io >$cg/cgroup.subtree_control
mkdir "$cg/kt a (x)" $cg/kt-b
echo 30000 100000 >"$cg/kt a (x)/cpu.max"
echo 268435456 >"$cg/kt a (x)/memory.max"
echo 77 >"$cg/kt a (x)/pids.max"
echo 50 >$cg/kt-b/cpu.weight

# In a cgroup from its first instruction on.
start() {
	directory=$1
	into=$2
	shift 2
	sh -c 'echo 0 >"$0/cgroup.procs"; exec "$@"' "$directory" ./profiled "$@" >"$into" &
	while [ ! -s "$into" ] && kill -0 $! 2>/dev/null; do
		sleep 0.1
	done
}

# capture NAME [options]
capture() {
	name=$1
	shift
	timeout -s KILL 100 ./ktstr ctprof capture -v --no-heap -o seen/$name "$@" >seen/$name.out 2>&1
	echo $? >seen/$name.rc
}

start "$cg/kt a (x)" seen/facts
start $cg/kt-b seen/spin spin
capture slow-1 --no-bpf
capture fast --bpf
capture slow-2 --no-bpf
for f in cpu.stat cpu.max memory.max memory.current pids.current pids.max cpu.pressure memory.stat; do
	cat "$cg/kt a (x)/$f" >seen/cgroup.$f
done
cat /proc/pressure/cpu >seen/pressure.cpu
if [ -d /sys/kernel/sched_ext ]; then
	./scx_ktfifo >seen/scx.out 2>seen/scx.err &
	while [ ! -s seen/scx.out ] && kill -0 $! 2>/dev/null; do
		sleep 0.1
	done
	capture ext --bpf
	capture ext-slow --no-bpf
	kill -INT "$(pidof scx_ktfifo)"
	wait $!
fi
dmesg | tail -50 >seen/kernel
tar c -C seen .
