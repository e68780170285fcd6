package client

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

const (
	// maxIdle is how long a connection may have been idle to be used again: servers close those that
	// were for some seconds, and a call that meets that end has failed.
	maxIdle = time.Second
	// maxDrain is how long a server may take to end a response when the answer was in it.
	maxDrain = 50 * time.Millisecond
	// maxHead is how long the head of a response may be, in bytes, as in net/http.
	maxHead = 10 << 20
)

// A connPool is a pool of connections to a server for prepared calls, one call after the other on each. Each call is one
// write and, mostly, one read, by who waits for it. With net/http, which has two goroutines for each
// connection, the same load cost the server 1.2 to 1.3 times the CPU.
type connPool struct {
	web     *httpConnection
	address string // host and port

	mu     sync.Mutex
	free   []*pooledConn // the one used last is at the end
	closed bool
}

// newConnPool returns nil for what is better left to net/http: TLS, proxies and passwords in URLs.
func newConnPool(w *httpConnection) *connPool {
	at, err := url.Parse(w.url)
	if err != nil || at.Scheme != "http" || at.User != nil {
		return nil
	}
	if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: at}); err != nil || proxy != nil {
		return nil
	}
	port := at.Port()
	if port == "" {
		port = "80"
	}
	return &connPool{web: w, address: net.JoinHostPort(at.Hostname(), port)}
}

// head returns what is sent before the length of a message: a request line, and headers.
func (l *connPool) head(ctx context.Context, r *request) ([]byte, error) {
	req, err := l.web.newPost(ctx, r)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: %s\r\n", req.URL.RequestURI(), req.Host)
	// What says how the message is sent is for us to say.
	ours := map[string]bool{"Host": true, "Content-Length": true, "Transfer-Encoding": true, "Trailer": true, "Connection": true}
	if err := req.Header.WriteSubset(&b, ours); err != nil {
		return nil, err
	}
	b.WriteString("Content-Length: ")
	return b.Bytes(), nil
}

// exchange sends a prepared call and returns its answer.
func (l *connPool) exchange(ctx context.Context, r *request) ([]byte, error) {
	on, err := l.take(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := on.exchange(ctx, l.web, r)
	if err != nil {
		_ = on.conn.Close() // the error says more
		return nil, err
	}
	l.put(on)
	return answer, nil
}

// take returns a connection that nobody else uses.
func (l *connPool) take(ctx context.Context) (*pooledConn, error) {
	for {
		l.mu.Lock()
		n := len(l.free)
		if n == 0 {
			l.mu.Unlock()
			return l.open(ctx)
		}
		on := l.free[n-1]
		l.free = l.free[:n-1]
		l.mu.Unlock()
		if on.settle() {
			return on, nil
		}
		_ = on.conn.Close() // nothing is expected of it any more
	}
}

func (l *connPool) open(ctx context.Context) (*pooledConn, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", l.address)
	if err != nil {
		return nil, l.web.unreachable(l.web.dialError(err), err)
	}
	most := &io.LimitedReader{R: conn}
	return &pooledConn{conn: conn, most: most, in: bufio.NewReaderSize(most, 32<<10)}, nil
}

// put takes a connection back.
func (l *connPool) put(on *pooledConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || on.last {
		_ = on.conn.Close() // nothing is expected of it any more
		return
	}
	l.free = append(l.free, on)
}

// close closes all connections; one on which a call is under way when it has ended.
func (l *connPool) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, on := range l.free {
		_ = on.conn.Close() // nothing is expected of it any more
	}
	l.free = nil
}

// A pooledConn is one connection of a pool.
type pooledConn struct {
	conn net.Conn
	most *io.LimitedReader // what is read of conn, at most
	in   *bufio.Reader     // of most
	out  []byte
	rest io.Reader // what is behind the answer in its response; nil if nothing is
	used time.Time // when the answer came
	last bool      // no call may follow
}

// settle reads what was left of the last response, and reports whether another call may follow.
func (l *pooledConn) settle() bool {
	if time.Since(l.used) > maxIdle {
		return false
	}
	if l.rest == nil {
		return true
	}
	if err := l.conn.SetDeadline(time.Now().Add(maxDrain)); err != nil {
		return false
	}
	const most = 64 << 10
	if _, err := io.CopyN(io.Discard, l.rest, most); !errors.Is(err, io.EOF) {
		return false
	}
	l.rest = nil
	return l.conn.SetDeadline(time.Time{}) == nil
}

// exchange sends a call and reads its answer. No other call uses the connection meanwhile.
func (l *pooledConn) exchange(ctx context.Context, w *httpConnection, r *request) ([]byte, error) {
	stop := context.AfterFunc(ctx, func() { _ = l.conn.SetDeadline(time.Unix(1, 0)) }) // what waits fails, in the past
	defer func() { l.last = !stop() || l.last }()
	l.out = strconv.AppendInt(append(l.out[:0], r.head...), int64(len(r.body)), 10)
	l.out = append(append(l.out, "\r\n\r\n"...), r.body...)
	_, failed := l.conn.Write(l.out)
	resp, err := l.response() //nolint:bodyclose // what is left of it is read before the next call; and a server may refuse what it has not read to its end
	if err != nil {
		err = cmp.Or(failed, err)
		return nil, w.unreachable(w.dialError(err), err)
	}
	answer, err := w.answer(ctx, r, resp)
	if l.used, l.last = time.Now(), resp.Close || failed != nil; mediaType(resp) == "text/event-stream" {
		l.rest = resp.Body // all else was read to its end
	}
	return answer, err
}

var errLongHead = fmt.Errorf("the head of its response is longer than %d MiB", maxHead>>20)

// response reads the head of a response.
func (l *pooledConn) response() (*http.Response, error) {
	l.most.N = maxHead
	defer func() { l.most.N = math.MaxInt64 }()
	for {
		resp, err := http.ReadResponse(l.in, nil)
		if err != nil && l.most.N <= 0 {
			err = errLongHead
		}
		if err != nil || resp.StatusCode/100 != 1 || resp.StatusCode == http.StatusSwitchingProtocols {
			return resp, err
		}
	}
}
