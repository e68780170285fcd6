package runtime_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/internal/testing/fixture"
	"github.com/mcptool-go/mcptool/internal/testing/transcript"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// TestTranscripts plays the transcripts to the engine in memory. An auditor checks every
// message of the server, and there must be messages of every revision.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	all, err := transcript.Load(os.DirFS("../testdata/transcripts"))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	played, spoken := 0, map[string]int{}
	t.Cleanup(func() {
		for _, revision := range revisions {
			if played == len(all) && spoken[revision] == 0 {
				t.Errorf("no message of revision %s was sent", revision)
			}
		}
	})
	for _, tr := range all {
		t.Run(tr.Name, func(t *testing.T) {
			t.Parallel()
			auditor := newAuditor(t)
			synctest.Test(t, func(t *testing.T) {
				srv, err := fixture.Server(tr.Server)
				if err != nil {
					t.Fatal(err)
				}
				l := new(ledger)
				srv.Observer = l
				conn := dial(srv)
				if err := tr.Play(t.Context(), audited{conn, auditor}); err != nil {
					t.Error(err)
				}
				_ = conn.CloseSend()
				<-conn.ended
				synctest.Wait()
				l.check(t, observe.KindTask)
			})
			auditor.report(t)
			mu.Lock()
			defer mu.Unlock()
			played++
			for revision, n := range auditor.spoken {
				spoken[revision] += n
			}
		})
	}
}

// memoryConn is an in-memory transport: a goroutine reads the lines, and the messages of
// the session are buffered.
type memoryConn struct {
	lines  chan []byte
	out    chan []byte
	ended  chan struct{}
	closed bool
}

// dial connects to srv.
func dial(srv *runtime.Server) *memoryConn {
	c := &memoryConn{lines: make(chan []byte, 1<<10), out: make(chan []byte, 1<<14), ended: make(chan struct{})}
	session := srv.Open(context.Background(), enginetest.Conn{Send: func(msg []byte) error {
		c.out <- bytes.Clone(msg)
		return nil
	}})
	go func() {
		defer close(c.ended)
		for line := range c.lines {
			session.Receive(line)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = session.Close(ctx)
	}()
	return c
}

func (c *memoryConn) Send(line []byte) error {
	c.lines <- line
	return nil
}

func (c *memoryConn) CloseSend() error {
	if !c.closed {
		c.closed = true
		close(c.lines)
	}
	return nil
}

func (c *memoryConn) Receive(ctx context.Context) ([]byte, error) {
	select {
	case msg := <-c.out:
		return msg, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.ended:
	}
	select {
	case msg := <-c.out:
		return msg, nil
	default:
		return nil, io.EOF
	}
}

// audited is a connection whose messages are checked by an auditor.
type audited struct {
	*memoryConn
	auditor *auditor
}

func (c audited) Send(line []byte) error {
	c.auditor.received(line)
	return c.memoryConn.Send(line)
}

func (c audited) Receive(ctx context.Context) ([]byte, error) {
	msg, err := c.memoryConn.Receive(ctx)
	if err == nil {
		c.auditor.sent(msg)
	}
	return msg, err
}
