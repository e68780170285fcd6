package enginetest_test

import (
	"bufio"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
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
