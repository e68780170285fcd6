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

// Time reads the processor-time clock of another process, as clock_getcpuclockid(3) names
// it. It counts what getrusage counts, of all threads and of those that have ended, but
// exactly, in nanoseconds, and while the process runs: so what it took to start and to warm up
// need not be guessed and taken off. Processes that it has started are not counted.
func Time(pid int) (time.Duration, error) {
	const schedulerClock = 2
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|schedulerClock), &t); err != nil {
		return 0, fmt.Errorf("the processor time of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// Peak reads the high-water mark of the resident set, in bytes. That of getrusage will not do: it
// begins with what the parent had when it forked.
func Peak(pid int) (int64, error) { return fromStatus(pid, "VmHWM:") }

// Resident reads how much memory a process has resident, in bytes.
func Resident(pid int) (int64, error) { return fromStatus(pid, "VmRSS:") }

// fromStatus returns a size that the kernel tells in kB.
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
	return 0, errors.New("the kernel does not say how much memory a process had")
}

// Tree reads what a process and its descendants have cost. A process that ends while it reads
// is left out; one whose parent ended before it is not found.
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
		return Usage{}, fmt.Errorf("process %d has ended, or is not ours to look at", pid)
	}
	return sum, nil
}

// A stat is what we need of /proc/PID/stat.
type stat struct {
	parent int
	reaped time.Duration // processor time of the children that have ended and were waited for, and of theirs
}

// stats reads those of all processes.
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
			continue // it has ended
		}
		if s, ok := parseStat(string(text)); ok {
			all[pid] = s
		}
	}
	return all, nil
}

// parseStat reads a line of proc_pid_stat(5). The name of the program, in parentheses, may
// have spaces and parentheses in it.
func parseStat(text string) (stat, bool) {
	// The fields after the name, from the third on; 4 is the parent, 16 and 17 are the ticks.
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 15 {
		return stat{}, false
	}
	parent, err := strconv.Atoi(fields[4-3])
	user, err1 := strconv.ParseInt(fields[16-3], 10, 64)
	system, err2 := strconv.ParseInt(fields[17-3], 10, 64)
	const tick = time.Second / 100 // USER_HZ, which is the same on every architecture that Go knows
	return stat{parent, time.Duration(user+system) * tick}, err == nil && err1 == nil && err2 == nil
}

// descends reports whether a process is another, or was started by it or by one that was.
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
