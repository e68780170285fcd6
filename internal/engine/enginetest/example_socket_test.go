package enginetest_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

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

// lines is the Source of a connection with one message per line.
type lines struct {
	from    *bufio.Reader
	limit   int // of a message, in bytes
	session engine.Session
}

func (l *lines) Next() ([]byte, error) {
	for {
		line, err := l.read()
		switch msg := bytes.TrimSpace(line); {
		case len(line) > l.limit:
			l.session.Reject(fmt.Errorf("the message is larger than %d bytes", l.limit), line)
		case len(msg) > 0:
			return msg, nil
		case err != nil:
			return nil, err
		}
	}
}

// read reads one line, of which it keeps little more than the limit.
func (l *lines) read() (line []byte, err error) {
	for {
		part, err := l.from.ReadSlice('\n')
		if len(line) <= l.limit+len("\r\n") {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), err
		}
	}
}

func (*lines) Ready() bool { return false } // each response is sent when it is ready

func (*lines) Detach() {} // no message shares its memory with another

// closeTime is how long calls may run after the client has disconnected or ctx has ended.
const closeTime = 2 * time.Second

// serve serves one connection, until the client disconnects or ctx ends.
func serve(ctx context.Context, srv *runtime.Server, conn net.Conn) error {
	internal := runtime.Internal(private.Key{})
	// The end of ctx does not cancel the calls: Close waits for them.
	session := internal.Open(context.WithoutCancel(ctx), srv, &socket{to: conn})
	source := &lines{bufio.NewReader(conn), internal.Limits(srv.Limits).MaxMessageBytes, session}
	read := make(chan error, 1)
	go func() { read <- session.ReceiveFrom(source) }()

	var err error
	select {
	case err = <-read: // nil if the client has disconnected
	case <-ctx.Done():
	case <-session.Context().Done(): // the client cannot be reached any more
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	_ = session.Close(closing) // the session logs the calls that it cancels
	// The connection is closed after the session, which has sent the last answers. That ends ReceiveFrom.
	return errors.Join(err, conn.Close())
}

// A transport over Unix sockets. TestSocket tests its Conn, and TestLines its Source.
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
