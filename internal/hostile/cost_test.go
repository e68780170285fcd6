package hostile_test

import (
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

// memory is the memory use of the process at some time.
type memory struct {
	total      int // bytes allocated since the start
	heap       int // bytes in use
	goroutines int
}

// cost is the cost of an operation.
type cost struct {
	allocated int           // bytes
	cpu       time.Duration // on all processors
}

// spent returns the cost since the start of the process.
func spent() cost { return cost{total(), hang.ProcessorTime()} }

// since returns the cost incurred since earlier.
func (c cost) since(earlier cost) cost {
	return cost{c.allocated - earlier.allocated, c.cpu - earlier.cpu}
}

// mostCPU is the limit of processor time for any message, with a large margin for slow machines. The faults that it
// detects take minutes or never end.
const mostCPU = 5 * time.Second

// now waits until the bubble is idle, collects garbage, and returns the memory use.
func now() memory {
	synctest.Wait()
	goruntime.GC()
	var stats goruntime.MemStats
	goruntime.ReadMemStats(&stats)
	return memory{int(stats.TotalAlloc), int(stats.HeapAlloc), goruntime.NumGoroutine()}
}

// total waits until the bubble is idle and returns the number of bytes allocated.
func total() int {
	synctest.Wait()
	var stats goruntime.MemStats
	goruntime.ReadMemStats(&stats)
	return int(stats.TotalAlloc)
}

// heldMost is how much memory may still be in use after a message, once the next one has been served: the line buffer
// that stdio keeps for reuse, up to 1 MiB, and the memory of the test itself.
const heldMost = 1<<20 + 256<<10

// checkCost checks the bytes allocated, the processor time, and the bytes still in use.
func checkCost(t *testing.T, name string, took, allowed cost, held int) {
	t.Helper()
	if took.allocated > allowed.allocated {
		t.Errorf("%s: %s were allocated, %s are allowed", name, size(took.allocated), size(allowed.allocated))
	}
	if took.cpu > allowed.cpu {
		t.Errorf("%s: took %v of processor time, %v are allowed", name, took.cpu, allowed.cpu)
	}
	if held > heldMost {
		t.Errorf("%s: %s are held", name, size(held))
	}
}

// size formats a number of bytes.
func size(n int) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	default:
		return fmt.Sprintf("%d B", n)
	}
}

// account is a table of costs with a row per message or scene and a column per way.
type account struct {
	ways  []string
	lines []string
	cells map[[2]string]string
	sent  map[string]int
	most  map[string]int
}

func newAccount(ways []way) *account {
	a := &account{cells: map[[2]string]string{}, sent: map[string]int{}, most: map[string]int{}}
	for _, w := range ways {
		a.ways = append(a.ways, w.name)
	}
	return a
}

// enter records the bytes sent, the allowed allocation in bytes, and the cost.
func (a *account) enter(line, way string, sent, most int, took cost) {
	if _, ok := a.most[line]; !ok {
		a.lines = append(a.lines, line)
	}
	a.sent[line], a.most[line] = sent, most
	a.cells[[2]string{line, way}] = fmt.Sprintf("%s %4dms", size(took.allocated), took.cpu.Milliseconds())
}

// String formats the table.
func (a *account) String() string {
	var b strings.Builder
	row := func(line string, cells ...string) {
		fmt.Fprintf(&b, "\n%-48s", line)
		for _, cell := range cells {
			fmt.Fprintf(&b, "%19s", cell)
		}
	}
	row("", append([]string{"sent", "allowed"}, a.ways...)...)
	for _, line := range a.lines {
		cells := []string{size(a.sent[line]), size(a.most[line])}
		for _, way := range a.ways {
			cells = append(cells, a.cells[[2]string{line, way}])
		}
		row(line, cells...)
	}
	return b.String()
}
