package process

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Time reads the CPU-time clock of another process, see clock_getcpuclockid(3). Like getrusage it includes all threads,
// also those that have ended, but it has nanosecond resolution and works while the process runs, so the cost of start
// and warm-up can be subtracted exactly. It does not include child processes.
func Time(pid int) (time.Duration, error) {
	const schedulerClock = 2
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|schedulerClock), &t); err != nil {
		return 0, fmt.Errorf("the processor time of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// Peak reads the peak resident set size in bytes. The value of getrusage is not usable, since it starts with that of
// the parent at the time of the fork.
func Peak(pid int) (int64, error) { return fromStatus(pid, "VmHWM:") }

// Resident reads the resident set size of a process in bytes.
func Resident(pid int) (int64, error) { return fromStatus(pid, "VmRSS:") }

// fromStatus returns a size from /proc/PID/status, converted from kB to bytes.
func fromStatus(pid int, name string) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, name); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return kib << 10, err
		}
	}
	return 0, errors.New("the kernel does not report the peak memory of a process")
}

// Tree reads the resource usage of a process and its descendants. It skips processes that exit meanwhile, and does not
// find those whose parent has exited.
func Tree(pid int) (Usage, error) {
	parents, err := stats()
	if err != nil {
		return Usage{}, err
	}
	if _, ok := parents[pid]; !ok {
		return Usage{}, fmt.Errorf("process %d has ended", pid)
	}
	var sum Usage
	for id, s := range parents {
		if !descends(parents, id, pid) {
			continue
		}
		cpu, err := Time(id)
		if err != nil {
			continue
		}
		sum.CPU += cpu + s.reaped
		if now, err := Resident(id); err == nil { // a zombie has none
			sum.Resident += now
		}
		if most, err := Peak(id); err == nil {
			sum.Peak += most
		}
		sum.Processes++
	}
	if sum.Processes == 0 {
		return Usage{}, fmt.Errorf("process %d has ended or is not accessible", pid)
	}
	return sum, nil
}

// A stat has the required fields of /proc/PID/stat.
type stat struct {
	parent int
	reaped time.Duration // CPU time of reaped children, including their reaped children
}

// stats reads the stat of all processes.
func stats() (map[int]stat, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	all := make(map[int]stat, len(entries))
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // it has exited
		}
		if s, ok := parseStat(string(text)); ok {
			all[pid] = s
		}
	}
	return all, nil
}

// parseStat parses a line of proc_pid_stat(5). The program name, in parentheses, may contain spaces and parentheses.
func parseStat(text string) (stat, bool) {
	// The fields after the name start with number 3; 4 is the parent, 16 and 17 are ticks.
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 15 {
		return stat{}, false
	}
	parent, err := strconv.Atoi(fields[4-3])
	user, err1 := strconv.ParseInt(fields[16-3], 10, 64)
	system, err2 := strconv.ParseInt(fields[17-3], 10, 64)
	const tick = time.Second / 100 // USER_HZ, the same on all architectures supported by Go
	return stat{parent, time.Duration(user+system) * tick}, err == nil && err1 == nil && err2 == nil
}

// descends reports whether pid is from or one of its descendants.
func descends(all map[int]stat, pid, from int) bool {
	for range len(all) {
		if pid == from {
			return true
		}
		s, ok := all[pid]
		if !ok {
			return false
		}
		pid = s.parent
	}
	return false
}
