package thirdparty_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/syncbuffer"
)

// startTimeout is how long a server may take to listen.
const startTimeout = 2 * time.Minute

// portAttempts is the maximum number of ports tried: another process may take a port before the server does.
const portAttempts = 5

// An addressInOutput finds the listening address in a server's output so far; "" before it is printed.
type addressInOutput func(output string) string

var listening = regexp.MustCompile(`http://(127\.0\.0\.1:[0-9]+)/`)

// firstAddress returns the address in the first URL.
func firstAddress(output string) string {
	if found := listening.FindStringSubmatch(output); found != nil {
		return found[1]
	}
	return ""
}

// serve starts a server and returns its URL. The server ends with the test.
func (s *server) serve(t *testing.T, command []string) string {
	t.Helper()
	failed := ""
	for range portAttempts {
		addr, output := s.start(t, command)
		if addr != "" {
			return "http://" + addr + s.path
		}
		failed += output
	}
	t.Fatalf("%s does not listen:\n%s", s.name, failed)
	return ""
}

// start starts a server once. It returns its address, or its output if it exited.
func (s *server) start(t *testing.T, command []string) (addr, output string) {
	t.Helper()
	port := 0
	if s.port == nil {
		port = freePort(t)
		addr = fmt.Sprintf("127.0.0.1:%d", port)
	}
	fill := func(words []string) []string {
		var filled []string
		for _, word := range words {
			filled = append(filled, strings.ReplaceAll(word, "%d", fmt.Sprint(port)))
		}
		return filled
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], fill(s.args)...)...)
	cmd.Env = append(os.Environ(), fill(s.env)...)
	cmd.Dir = t.TempDir()
	log := new(syncbuffer.Buffer)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.WaitDelay = time.Second // in case a child process keeps the pipe open
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_ = cmd.Wait() // it was killed
	}()
	t.Cleanup(func() {
		cancel()
		<-exited
	})
	for end := time.Now().Add(startTimeout); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		select {
		case <-exited:
			return "", log.String()
		default:
		}
		if addr == "" {
			addr = s.port(log.String())
			continue
		}
		if answersHTTP(ctx, addr) {
			return addr, ""
		}
	}
	t.Fatalf("%s does not listen within %v:\n%s", s.name, startTimeout, log)
	return "", ""
}

// answersHTTP reports whether an address responds to HTTP. Another process that has taken the port usually does not,
// and the server exits.
func answersHTTP(ctx context.Context, addr string) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodOptions, "http://"+addr+"/", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return true
}

// freePort returns an unused port.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // the server opens it again
	if addr, ok := l.Addr().(*net.TCPAddr); ok {
		return addr.Port
	}
	t.Fatalf("%v has no port", l.Addr())
	return 0
}
