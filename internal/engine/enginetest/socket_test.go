package enginetest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestSocket tests the Conn of the example.
func TestSocket(t *testing.T) {
	t.Parallel()
	enginetest.TestConn(t, enginetest.Kind{}, func(tb testing.TB) enginetest.Client[engine.Conn] {
		tb.Helper()
		client, server := connect(tb)
		var mu sync.Mutex
		var received []string
		done := make(chan struct{})
		go func() {
			defer close(done)
			for lines := bufio.NewReader(client); ; {
				line, err := lines.ReadString('\n')
				if err != nil {
					return
				}
				mu.Lock()
				received = append(received, line[:len(line)-1])
				mu.Unlock()
			}
		}()
		leave := func() {
			client.Close()
			<-done
		}
		tb.Cleanup(leave)
		return enginetest.Client[engine.Conn]{
			Writer: &socket{to: server},
			Received: func() []string {
				mu.Lock()
				defer mu.Unlock()
				return slices.Clone(received)
			},
			Leave: leave,
		}
	})
}

// TestLines tests the Source of the example.
func TestLines(t *testing.T) {
	t.Parallel()
	enginetest.TestSource(t, func(_ testing.TB, in io.Reader, limit int, session engine.Session) engine.Source {
		return &lines{bufio.NewReader(in), limit, session}
	})
}

// TestSocketEnd checks that the client gets the answer to a call that runs when the connection ends.
func TestSocketEnd(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(client net.Conn, stop func()) error{
		"the context of the server ends": func(_ net.Conn, stop func()) error { stop(); return nil },
		"the client sends no more":       func(client net.Conn, _ func()) error { return client.(*net.UnixConn).CloseWrite() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			started := make(chan struct{})
			tool, err := mcptool.New(func(context.Context, struct{}) (string, error) {
				close(started)
				time.Sleep(50 * time.Millisecond) // the server notices the end before the tool returns
				return "done", nil
			}, mcptool.Name("wait"))
			if err != nil {
				t.Fatal(err)
			}
			registry := new(mcptool.Registry)
			if err := registry.Add(tool); err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			client, server := connect(t)
			defer client.Close()
			served := make(chan error, 1)
			go func() { served <- serve(ctx, &runtime.Server{Tools: registry}, server) }()
			fmt.Fprintln(client, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
			answers := bufio.NewReader(client)
			if _, err := answers.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(client, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`)
			<-started
			if err := end(client, stop); err != nil {
				t.Fatal(err)
			}
			if answer, err := answers.ReadString('\n'); err != nil || !strings.Contains(answer, `"text":"done"`) {
				t.Errorf("the client received %q and the error %v, want the answer to the call", answer, err)
			}
			if rest, err := answers.ReadString('\n'); !errors.Is(err, io.EOF) {
				t.Errorf("the client received %q and the error %v behind the answer, want EOF", rest, err)
			}
			if err := <-served; err != nil {
				t.Errorf("serve returned %v, want nil", err)
			}
		})
	}
}

// TestSocketLongLine checks that the connection continues after a message that is too large.
func TestSocketLongLine(t *testing.T) {
	t.Parallel()
	client, server := connect(t)
	defer client.Close()
	const limit = 1000
	go func() {
		_ = serve(t.Context(), &runtime.Server{Tools: new(mcptool.Registry), Limits: runtime.Limits{MaxMessageBytes: limit}}, server)
	}()
	fmt.Fprintf(client, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"text":%q}}`+"\n", strings.Repeat("x", limit))
	fmt.Fprintln(client, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	answers := bufio.NewReader(client)
	for _, want := range []string{
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"the message is larger than 1000 bytes"}}`,
		`{"jsonrpc":"2.0","id":2,"result":{}}`,
	} {
		if answer, err := answers.ReadString('\n'); err != nil || answer != want+"\n" {
			t.Errorf("the client received %q and the error %v, want %s", answer, err, want)
		}
	}
}

// connect returns the two ends of a Unix socket.
func connect(tb testing.TB) (client, server net.Conn) {
	tb.Helper()
	dir, err := os.MkdirTemp("", "mcp") //nolint:usetesting // its path is too long for a socket
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "unix", filepath.Join(dir, "socket"))
	if err != nil {
		tb.Fatal(err)
	}
	defer listener.Close()
	if client, err = new(net.Dialer).DialContext(tb.Context(), "unix", listener.Addr().String()); err != nil {
		tb.Fatal(err)
	}
	if server, err = listener.Accept(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = server.Close() })
	return client, server
}
