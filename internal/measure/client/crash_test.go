package client_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// goroutines returns what the Go runtime prints after a panic for n goroutines.
func goroutines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "goroutine %d [running]:\nmain.work(0x1, 0x2)\n\t/srv/main.go:12 +0x1d\n\n", i+1)
	}
	return b.String()
}

// crashes returns servers that write these texts to stderr and exit.
func crashes() map[string]func() {
	children := map[string]func(){}
	for name, text := range crashTexts {
		children["crash "+name] = func() {
			_, _ = os.Stderr.WriteString(text)
			os.Exit(2)
		}
	}
	return children
}

var crashTexts = map[string]string{
	"go":         strings.Repeat("2026/01/01 listening\n", 30) + "panic: no token in SECRET_FILE\n\n" + goroutines(3) + "exit status 2\n",
	"go, long":   "panic: no token in SECRET_FILE\n\n" + goroutines(2000) + "exit status 2\n",
	"go, fatal":  "runtime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack overflow\n\n" + goroutines(500),
	"go, nested": "panic: first [recovered]\n\tpanic: second\n\n" + goroutines(50),
	"python": "Error: cache is cold\nTraceback (most recent call last):\n" + strings.Repeat("  File \"/srv/a.py\", line 7, in f\n    g()\n", 300) +
		"ValueError: bad port\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n" +
		strings.Repeat("  File \"/srv/a.py\", line 9, in h\n    k()\n", 300) + "KeyError: 'PORT'\n",
	"node":             "starting\n/srv/index.js:3\n  throw new Error('no token');\n  ^\n\nError: no token\n" + strings.Repeat("    at f (/srv/index.js:3:9)\n", 20) + "\nNode.js v22.19.0\n",
	"node, module":     "node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module '/srv/x.js'\n" + strings.Repeat("    at g (node:internal:1:1)\n", 20) + "Node.js v22.19.0\n",
	"rust":             "thread 'main' panicked at src/main.rs:2:5:\nno token\n" + strings.Repeat("   0: std::frame\n", 40),
	"error, then more": "Error: no token is set\n" + strings.Repeat("usage line\n", 40),
	"colors":           "\x1b[31mTypeError: x is not a function\x1b[0m\n" + strings.Repeat("    at g (a.js:1:1)\n", 40),
	"no cause":         strings.Repeat("a line\n", 40) + "the last line\n",
	"no line end":      "panic: at once",
	"a long line":      strings.Repeat("x", 9000) + "\npanic: " + strings.Repeat("y", 9000) + "\n\n" + goroutines(5),
}

// The stderr of a crashed server is shown from the cause on, however much follows it.
func TestCrash(t *testing.T) {
	const most = 10
	for _, test := range []struct {
		name, first, last string
		gap               bool // lines in between are left out
	}{
		{"go", "panic: no token in SECRET_FILE", "exit status 2", true},
		{"go, long", "panic: no token in SECRET_FILE", "exit status 2", true},
		{"go, fatal", "fatal error: stack overflow", "\t/srv/main.go:12 +0x1d", true},
		{"go, nested", "panic: first [recovered]", "\t/srv/main.go:12 +0x1d", true},
		{"python", "Traceback (most recent call last):", "KeyError: 'PORT'", true},
		{"node", "  throw new Error('no token');", "Node.js v22.19.0", true},
		{"node, module", "  throw err;", "Node.js v22.19.0", true},
		{"rust", "thread 'main' panicked at src/main.rs:2:5:", "   0: std::frame", true},
		{"error, then more", "Error: no token is set", "usage line", true},
		{"colors", "\x1b[31mTypeError: x is not a function\x1b[0m", "    at g (a.js:1:1)", true},
		{"no cause", "a line", "the last line", false},
		{"no line end", "panic: at once", "panic: at once", false},
		{"a long line", "panic: yyy", "\t/srv/main.go:12 +0x1d", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := client.Dial(t.Context(), child("crash "+test.name), client.Options{Era: client.Legacy, Timeout: patient})
			var lost *client.UnreachableError
			if !errors.As(err, &lost) {
				t.Fatal(err)
			}
			lines := strings.Split(lost.Stderr, "\n")
			if len(lines) == 0 || len(lines) > most || !strings.HasPrefix(lines[0], test.first) || lines[len(lines)-1] != test.last {
				t.Errorf("of %d bytes there are %d lines:\n%s", len(crashTexts[test.name]), len(lines), strings.Join(lines, "\n"))
			}
			if gap := slices.Contains(lines, client.Gap); gap != test.gap {
				t.Errorf("that something is left out: %v\n%s", gap, strings.Join(lines, "\n"))
			}
			if i := slices.IndexFunc(lines, func(line string) bool { return len(line) > 600 }); i >= 0 {
				t.Errorf("line %d has %d bytes", i, len(lines[i]))
			}
		})
	}
}
