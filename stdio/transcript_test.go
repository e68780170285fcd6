package stdio_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/internal/testing/fixture"
	"github.com/mcptool-go/mcptool/internal/testing/transcript"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

// blank is a transcript with an empty message, which cannot be sent as a line.
const blank = "base/empty"

// TestTranscripts plays the engine's transcripts over this transport.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	all, err := transcript.Load(os.DirFS("../testdata/transcripts"))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("no transcripts")
	}
	for _, tr := range all {
		if tr.Name == blank {
			continue
		}
		t.Run(tr.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv, err := fixture.Server(tr.Server)
				if err != nil {
					t.Fatal(err)
				}
				conn := dial(t.Context(), srv)
				if err := tr.Play(t.Context(), conn); err != nil {
					t.Error(err)
				}
				_ = conn.CloseSend()
				if err := <-conn.done; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// pipeConn is a client connected to a server by two pipes with large buffers,
// so that Send does not block.
type pipeConn struct {
	lines   chan []byte
	answers chan []byte // closed at the end of output
	done    chan error
	closed  bool
}

func dial(ctx context.Context, srv *runtime.Server) *pipeConn {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	c := &pipeConn{lines: make(chan []byte, 1<<10), answers: make(chan []byte, 1<<14), done: make(chan error, 1)}
	go func() {
		for line := range c.lines {
			_, _ = toServer.Write(line) // fails after the server has ended
		}
		toServer.Close()
	}()
	go func() {
		err := stdio.Serve(ctx, srv, stdio.In(in), stdio.Out(out))
		in.Close()
		out.Close()
		c.done <- err
	}()
	go func() {
		defer close(c.answers)
		r := bufio.NewReader(fromServer)
		for {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			c.answers <- line
		}
	}()
	return c
}

// Send implements [transcript.Conn].
func (c *pipeConn) Send(line []byte) error {
	if bytes.ContainsAny(line, "\n") {
		return fmt.Errorf("not one line: %q", line)
	}
	c.lines <- append(bytes.Clone(line), '\n')
	return nil
}

// CloseSend implements [transcript.Conn].
func (c *pipeConn) CloseSend() error {
	if !c.closed {
		c.closed = true
		close(c.lines)
	}
	return nil
}

// Receive implements [transcript.Conn].
func (c *pipeConn) Receive(ctx context.Context) ([]byte, error) {
	select {
	case line, ok := <-c.answers:
		if !ok {
			return nil, io.EOF
		}
		return line, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
