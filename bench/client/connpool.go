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
	// maxIdle is how long a connection may be idle before it is not reused. Servers close connections after some
	// seconds, and a call on a closed connection fails.
	maxIdle = time.Second
	// maxDrain is how long a server may take to end a response after the answer.
	maxDrain = 50 * time.Millisecond
	// maxHead is the maximum size of the head of a response, in bytes, as in net/http.
	maxHead = 10 << 20
)

// A connPool is a pool of connections to a server for prepared calls, one call at a time on each. A call takes one
// write and usually one read, by the calling goroutine. With net/http, which uses two goroutines per connection, the
// same load takes 1.2 to 1.3 times the CPU time.
type connPool struct {
	web     *httpConnection
	address string // host and port

	mu     sync.Mutex
	free   []*pooledConn // last used at the end
	closed bool
}

// newConnPool returns nil if net/http is required: for TLS, proxies and URLs with passwords.
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

// head returns the part of a request before the value of Content-Length: the request line and headers.
func (l *connPool) head(ctx context.Context, r *request) ([]byte, error) {
	req, err := l.web.newPost(ctx, r)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: %s\r\n", req.URL.RequestURI(), req.Host)
	// The pool sets the headers that control framing.
	ours := map[string]bool{"Host": true, "Content-Length": true, "Transfer-Encoding": true, "Trailer": true, "Connection": true}
	if err := req.Header.WriteSubset(&b, ours); err != nil {
		return nil, err
	}
	b.WriteString("Content-Length: ")
	return b.Bytes(), nil
}

// exchange sends a prepared call and returns the response.
func (l *connPool) exchange(ctx context.Context, r *request) ([]byte, error) {
	on, err := l.take(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := on.exchange(ctx, l.web, r)
	if err != nil {
		_ = on.conn.Close() // the exchange error is more useful
		return nil, err
	}
	l.put(on)
	return answer, nil
}

// take returns a connection for exclusive use.
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
		_ = on.conn.Close() // errors on close do not matter
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

// put returns a connection to the pool.
func (l *connPool) put(on *pooledConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || on.last {
		_ = on.conn.Close() // errors on close do not matter
		return
	}
	l.free = append(l.free, on)
}

// close closes all idle connections. A connection in use is closed when its call ends.
func (l *connPool) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, on := range l.free {
		_ = on.conn.Close() // errors on close do not matter
	}
	l.free = nil
}

// A pooledConn is a connection of a pool.
type pooledConn struct {
	conn net.Conn
	most *io.LimitedReader // limits reads from conn
	in   *bufio.Reader     // reads from most
	out  []byte
	rest io.Reader // rest of the response after the answer; nil if empty
	used time.Time // time of the last answer
	last bool      // must not be reused
}

// settle drains the last response and reports whether the connection can be reused.
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

// exchange sends a call and reads the response. The caller has exclusive use of the connection.
func (l *pooledConn) exchange(ctx context.Context, w *httpConnection, r *request) ([]byte, error) {
	stop := context.AfterFunc(ctx, func() { _ = l.conn.SetDeadline(time.Unix(1, 0)) }) // unblocks the connection
	defer func() { l.last = !stop() || l.last }()
	l.out = strconv.AppendInt(append(l.out[:0], r.head...), int64(len(r.body)), 10)
	l.out = append(append(l.out, "\r\n\r\n"...), r.body...)
	_, failed := l.conn.Write(l.out)
	resp, err := l.response() //nolint:bodyclose // settle reads the rest before the next call; a server may reject a request before reading its body
	if err != nil {
		err = cmp.Or(failed, err)
		return nil, w.unreachable(w.dialError(err), err)
	}
	answer, err := w.answer(ctx, r, resp)
	if l.used, l.last = time.Now(), resp.Close || failed != nil; mediaType(resp) == "text/event-stream" {
		l.rest = resp.Body // other bodies were read to the end
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
