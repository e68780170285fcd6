package strangers

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// patient is how long a server may take to listen.
const patient = 2 * time.Minute

// tries is how many ports are tried: another process may take one before the server does.
const tries = 5

// A portOf finds the address that a server listens at in what it has written so far; "" if it
// is not there yet.
type portOf func(log string) string

var listening = regexp.MustCompile(`http://(127\.0\.0\.1:[0-9]+)/`)

// portInLog finds the first URL.
func portInLog(log string) string {
	if found := listening.FindStringSubmatch(log); found != nil {
		return found[1]
	}
	return ""
}

// serve starts a server and returns its URL. It ends with the test.
func (s *stock) serve(t *testing.T, command []string) string {
	t.Helper()
	log := ""
	for range tries {
		addr, ended := s.start(t, command)
		if addr != "" {
			return "http://" + addr + s.path
		}
		log += ended
	}
	t.Fatalf("%s does not listen:\n%s", s.Name, log)
	return ""
}

// start starts a server once. It returns where it listens, or what it has written before its
// end.
func (s *stock) start(t *testing.T, command []string) (addr, ended string) {
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
	log := new(record)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.WaitDelay = time.Second // nobody else should be left who writes
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = cmd.Wait() // it is killed
	}()
	t.Cleanup(func() {
		cancel()
		<-over
	})
	for end := time.Now().Add(patient); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		select {
		case <-over:
			return "", log.String()
		default:
		}
		if addr == "" {
			addr = s.port(log.String())
			continue
		}
		if conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr); err == nil {
			_ = conn.Close()
			return addr, ""
		}
	}
	t.Fatalf("%s does not listen within %v:\n%s", s.Name, patient, log)
	return "", ""
}

// freePort returns a port that nobody listens at.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // it only had to be open
	if addr, ok := l.Addr().(*net.TCPAddr); ok {
		return addr.Port
	}
	t.Fatalf("%v has no port", l.Addr())
	return 0
}

// A record keeps what is written to it.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}
