package hostile_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

// stdioClient is connected to a server by pipes.
type stdioClient struct {
	t      *testing.T
	conn   net.Conn
	stop   context.CancelFunc // acts like a signal
	served chan struct{}      // closed when Serve has returned

	writing sync.Mutex
	mu      sync.Mutex
	waiting map[string]chan answer // by id
	gone    bool
}

func openStdio(t *testing.T, e era, srv *runtime.Server) client {
	t.Helper()
	ours, theirs := net.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	c := &stdioClient{t: t, conn: theirs, stop: stop, served: make(chan struct{}), waiting: map[string]chan answer{}}
	go func() {
		defer close(c.served)
		if err := stdio.Serve(ctx, srv, stdio.In(ours), stdio.Out(ours)); err != nil {
			t.Errorf("Serve: %v", err)
		}
		ours.Close()
	}()
	go c.read()
	t.Cleanup(c.vanish)
	if !e.modern {
		if a := c.send(e.initialize()); a.err != nil {
			t.Fatal(a.err)
		}
		c.send(initialized)
	}
	return c
}

// read passes each response to the call that waits for it.
func (c *stdioClient) read() {
	lines := bufio.NewReaderSize(c.conn, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var head struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(line, &head) == nil && head.Method != "" {
			continue // a notification
		}
		c.mu.Lock()
		waits, ok := c.take(string(head.ID))
		c.mu.Unlock()
		if !ok {
			c.t.Errorf("an answer to nothing: %.200s", line)
			continue
		}
		var a answer
		a.read(line[:len(line)-1])
		waits <- a
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	for id, waits := range c.waiting {
		delete(c.waiting, id)
		waits <- answer{err: errVanished}
	}
}

// take returns the channel for the response with this id. A response without an id belongs to the only message in
// flight. The caller holds c.mu.
func (c *stdioClient) take(id string) (waits chan answer, ok bool) {
	if id == "" && len(c.waiting) == 1 {
		for id = range c.waiting {
		}
	}
	waits, ok = c.waiting[id]
	delete(c.waiting, id)
	return waits, ok
}

var errVanished = errors.New("the connection is closed")

// expect returns the channel for the response to m.
func (c *stdioClient) expect(m message) chan answer {
	answers := make(chan answer, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.gone:
		answers <- answer{err: errVanished}
	case !m.silent:
		c.waiting[m.id] = answers
	}
	return answers
}

func (c *stdioClient) send(m message) answer {
	answers := c.expect(m)
	c.writing.Lock()
	err := m.writeTo(c.conn)
	if err == nil {
		_, err = c.conn.Write([]byte{'\n'})
	}
	c.writing.Unlock()
	if m.silent || err != nil {
		return answer{err: err}
	}
	return <-answers
}

func (c *stdioClient) repeat(m message, times int, each func(answer)) {
	for range times {
		each(c.send(m))
	}
}

func (c *stdioClient) crawl(m message) (ended func() []crawled) {
	done := make(chan crawled, 1)
	began := time.Now()
	go func() {
		a := c.send(m.slowly())
		done <- crawled{"a line", time.Since(began), a}
	}()
	return func() []crawled { return []crawled{<-done} }
}

func (c *stdioClient) vanish() {
	c.conn.Close()
	<-c.served
	c.stop()
}

func (c *stdioClient) shutdown() {
	c.stop()
	<-c.served
}
