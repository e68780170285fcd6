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
	"sync"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/runtime"
)

// socket is the Conn of a connection with one message per line.
type socket struct {
	engine.NoAsk // the messages of a Session are requests as well

	mu sync.Mutex
	to io.Writer
}

func (s *socket) Notify(msg []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.to.Write(append(slices.Clip(msg), '\n')) // Clip: msg must not be modified, nor the bytes after it
	return err
}

func (s *socket) Respond(msg []byte, end engine.End) error {
	defer end.Wrote()
	if msg == nil {
		return nil
	}
	return s.Notify(msg)
}

func (*socket) Flush() error { return nil } // no response is held back

func (*socket) Probe([]byte) (reached func() bool, err error) { return nil, engine.ErrNoProbe }

// serve serves one connection, until the client disconnects or ctx ends.
func serve(ctx context.Context, srv *runtime.Server, conn net.Conn) error {
	session := runtime.Internal(private.Key{}).Open(ctx, srv, &socket{to: conn})
	stop := context.AfterFunc(session.Context(), func() { conn.Close() }) //nolint:contextcheck // the session may end first
	defer stop()
	lines := bufio.NewScanner(conn)
	lines.Buffer(nil, runtime.Internal(private.Key{}).Limits(srv.Limits).MaxMessageBytes)
	for lines.Scan() {
		session.Receive(lines.Bytes())
	}
	closing, cancel := context.WithCancel(ctx)
	cancel()                   // calls of a client that has disconnected do not continue
	_ = session.Close(closing) // the session logs the calls that it cancels
	return errors.Join(lines.Err(), conn.Close())
}

// A transport over Unix sockets. TestSocket tests its Conn.
func Example_socket() {
	dir, err := os.MkdirTemp("", "mcp")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	listener, err := new(net.ListenConfig).Listen(context.Background(), "unix", filepath.Join(dir, "socket"))
	if err != nil {
		fmt.Println(err)
		return
	}
	served := make(chan error)
	go func() {
		conn, err := listener.Accept()
		if err == nil {
			err = serve(context.Background(), &runtime.Server{Name: "weather", Version: "1.2.3"}, conn)
		}
		served <- err
	}()

	client, err := new(net.Dialer).DialContext(context.Background(), "unix", listener.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Fprintln(client, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	answer, err := bufio.NewReader(client).ReadString('\n')
	fmt.Print(answer, err, "\n")
	client.Close()
	fmt.Println(<-served, listener.Close())
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{}}
	// <nil>
	// <nil> <nil>
}
