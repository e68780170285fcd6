package swap_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/swap"
)

const (
	// childKey is the environment variable that names the server to run instead of the tests.
	childKey = "SWAP_CHILD"
	// versionKey has the version of the server.
	versionKey = "SWAP_VERSION"
	// logKey has the path of a file for what the server has to report.
	logKey = "SWAP_LOG"
	// addrKey has the address to listen on, if any.
	addrKey = "SWAP_ADDR"
)

// patient is how long tests wait for events that normally come much sooner.
const patient = time.Minute

// swaps returns how often tests replace a server.
func swaps() int {
	if testing.Short() {
		return 2
	}
	return 10
}

func TestMain(m *testing.M) {
	if child := children[os.Getenv(childKey)]; child != nil {
		child()
		return
	}
	code := m.Run()
	if left := leftOver(); code == 0 && left != "" {
		fmt.Fprintf(os.Stderr, "what fronts have left running:\n%s\n", left)
		code = 1
	}
	os.Exit(code)
}

// leftOver returns the goroutines that still run code of package swap after all tests, once they have had time to end.
func leftOver() string {
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		buf := make([]byte, 1<<20)
		buf = buf[:runtime.Stack(buf, true)]
		var left []string
		for _, stack := range bytes.Split(buf, []byte("\n\n")) {
			if strings.Contains(string(stack), "/internal/swap.") {
				left = append(left, string(stack))
			}
		}
		if len(left) == 0 {
			return ""
		}
		if time.Now().After(end) {
			return strings.Join(left, "\n\n")
		}
	}
}

// version returns a version that runs this binary as the named server on stdio.
func version(child, name string, env ...string) swap.Version {
	return swap.Version{
		Command: []string{os.Args[0]},
		Env:     append([]string{childKey + "=" + child, versionKey + "=" + name, "GORACE=atexit_sleep_ms=0"}, env...),
	}
}

// A journal collects what a front logs, and the stderr of its processes.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) logf(format string, args ...any) {
	_, _ = fmt.Fprintf(j, "LOG "+format+"\n", args...)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// newFront returns a front that the end of the test closes, and its journal.
func newFront(t *testing.T, o swap.Options) (*swap.Front, *journal) {
	t.Helper()
	j := new(journal)
	o.Stderr, o.Logf = j, j.logf
	f := swap.New(o)
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the journal:\n%s", j)
		}
	})
	return f, j
}

// waitFor waits until is returns true.
func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patient); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after %v: not yet %s", patient, what)
		}
	}
}

// logFile returns an environment variable with the path of a log, and a func that reads it.
func logFile(t *testing.T) (env string, read func() string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	return logKey + "=" + path, func() string {
		text, _ := os.ReadFile(path) // it may not exist yet
		return string(text)
	}
}
