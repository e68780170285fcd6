package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A web is a contender that serves HTTP.
type web struct {
	*child
	address *url.URL
}

// openWeb starts a contender and waits for its address.
func (r *rig) openWeb(ctx context.Context, c contender) (*web, error) {
	ch, err := r.start(ctx, c, "-http")
	if err != nil {
		return nil, err
	}
	line, err := ch.out.next(true)
	if err != nil {
		return nil, errors.Join(err, ch.stop())
	}
	address, err := url.Parse(string(line))
	if err != nil {
		return nil, errors.Join(err, ch.stop())
	}
	return &web{ch, address}, nil
}

// drive keeps one call in flight on each of some connections for a while, and returns how
// many calls there were.
func (w *web) drive(q *questions, connections int, d time.Duration) (calls int, err error) {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		until = time.Now().Add(d)
	)
	for i := range connections {
		wg.Go(func() {
			n, failed := w.driveOne(q, firstID+i*10_000_000, until)
			mu.Lock()
			defer mu.Unlock()
			calls += n
			err = errors.Join(err, failed)
		})
	}
	wg.Wait()
	return calls, err
}

// driveOne asks on one connection, with ids from the given one on.
func (w *web) driveOne(q *questions, id int, until time.Time) (calls int, err error) {
	var dialer net.Dialer
	nc, err := dialer.Dial("tcp", w.address.Host)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, nc.Close()) }()
	c := &connection{conn: nc, reader: bufio.NewReaderSize(nc, 64<<10), judge: newJudge(q, modern)}
	head := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
		"MCP-Protocol-Version: %s\r\nMcp-Method: tools/call\r\nMcp-Name: %s\r\nContent-Length: ", w.address.Path, w.address.Host, modern, q.tool)
	var request, body []byte
	for calls == 0 || time.Now().Before(until) {
		body = q.appendRequest(body[:0], id)
		request = strconv.AppendInt(append(request[:0], head...), int64(len(body)), 10)
		request = append(append(request, "\r\n\r\n"...), body...)
		if err := c.call(request, id); err != nil {
			return calls, err
		}
		id++
		calls++
	}
	return calls, nil
}

// A connection asks one question after the other. It reads responses by hand, because
// what the driver takes, the server does not get: they share the machine.
type connection struct {
	conn   net.Conn
	reader *bufio.Reader
	judge  *judge
	body   bytes.Buffer
}

// call sends a request and judges the answer to it.
func (c *connection) call(request []byte, id int) error {
	if _, err := c.conn.Write(request); err != nil {
		return err
	}
	if err := c.readResponse(); err != nil {
		return err
	}
	got, err := c.judge.judge(bytes.TrimSuffix(c.body.Bytes(), []byte("\n")))
	if err == nil && got != id {
		err = fmt.Errorf("request %d got the answer to %d", id, got)
	}
	return err
}

// readResponse reads a response with status 200 and JSON in its body.
func (c *connection) readResponse() error {
	status, err := c.reader.ReadSlice('\n')
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(status, []byte("HTTP/1.1 200 ")) {
		rest, _ := c.reader.Peek(c.reader.Buffered())
		return fmt.Errorf("the answer is %s%s", status, rest)
	}
	length, chunked := 0, false
	for {
		line, err := c.reader.ReadSlice('\n')
		if err != nil {
			return err
		}
		name, value, ok := bytes.Cut(bytes.TrimSpace(line), []byte(": "))
		if !ok {
			break
		}
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(value)); err != nil {
				return err
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = true
		case bytes.EqualFold(name, []byte("Content-Type")) && !strings.HasPrefix(string(value), "application/json"):
			return fmt.Errorf("the answer is %s, not JSON", value)
		}
	}
	c.body.Reset()
	if chunked {
		_, err = c.body.ReadFrom(httputil.NewChunkedReader(c.reader))
		if err == nil {
			_, err = c.reader.ReadSlice('\n') // the end of the trailer
		}
		return err
	}
	_, err = io.CopyN(&c.body, c.reader, int64(length))
	return err
}
