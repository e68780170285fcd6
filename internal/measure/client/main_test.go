package client_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// childKey is the environment variable that names the server to run instead of the tests.
const childKey = "BENCH_CLIENT_CHILD"

// patient is how long tests wait for events that normally come much sooner.
const patient = 2 * time.Minute

// largest is the maximum message size in tests.
const largest = 4 << 20

func TestMain(m *testing.M) {
	if child := children()[os.Getenv(childKey)]; child != nil {
		child()
		return
	}
	client.MaxMessage(largest)
	code := m.Run()
	if left := leftOver(); code == 0 && left != "" {
		fmt.Fprintf(os.Stderr, "what clients have left running:\n%s\n", left)
		code = 1
	}
	os.Exit(code)
}

// leftOver returns the goroutines still running code of package client after all tests, once
// they have had time to end.
func leftOver() string {
	for end := time.Now().Add(patient); ; time.Sleep(10 * time.Millisecond) {
		buf := make([]byte, 1<<20)
		buf = buf[:runtime.Stack(buf, true)]
		var left []string
		for _, stack := range bytes.Split(buf, []byte("\n\n")) {
			if strings.Contains(string(stack), "/measure/client.") {
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

// child returns a target that runs this binary as the named server.
func child(name string) client.Target {
	return client.Target{Command: []string{os.Args[0]}, Env: []string{childKey + "=" + name, "GORACE=atexit_sleep_ms=0"}}
}
