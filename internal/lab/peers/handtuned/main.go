// Command handtuned serves the tools of the measurements as cheaply as possible in handwritten Go. It is a lower bound
// for a framework that does the same work: a framework is generic and limits the resources of its callers; this server
// does neither.
//
// Messages are scanned once, strictly, directly into the inputs of the tools, with validation of their constraints.
// Results are appended to the output buffer without validation. An argument of a wrong type is handled like invalid
// JSON. Over stdio one read and one write handle all messages that have arrived. It supports revisions 2025-06-18 and
// 2026-07-28, without batches.
package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"

	"github.com/mcptool-go/mcptool/internal/lab/peers/peer"
)

func main() {
	peer.Main(func(setup peer.Setup) error {
		if setup.Many > 0 {
			return errors.New("handtuned serves its four tools only, and not -many")
		}
		if setup.HTTP {
			return peer.ServeHTTP(http.HandlerFunc(serveHTTP))
		}
		return serve(context.Background(), os.Stdin, os.Stdout)
	})
}

// serve answers the lines of in.
func serve(ctx context.Context, in io.Reader, out io.Writer) error {
	var (
		s       server
		buf     = make([]byte, 64<<10)
		used    int // bytes of buf in use
		scanned int // of those, bytes without a line break
		answers []byte
	)
	for {
		n, err := in.Read(buf[used:])
		used += n
		begin := 0
		for {
			end := bytes.IndexByte(buf[scanned:used], '\n')
			if end < 0 {
				break
			}
			if line := buf[begin : scanned+end]; len(line) > 0 {
				answers = endLine(answers, s.answer(ctx, answers, line))
			}
			scanned += end + 1
			begin = scanned
		}
		if len(answers) > 0 {
			if _, err := out.Write(answers); err != nil {
				return err
			}
			answers = answers[:0]
		}
		used = copy(buf, buf[begin:used])
		scanned = used
		if used == len(buf) {
			buf = append(buf, make([]byte, len(buf))...)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// endLine appends a line break to after if it is longer than before.
func endLine(before, after []byte) []byte {
	if len(after) > len(before) {
		after = append(after, '\n')
	}
	return after
}

// An exchange has the reusable state of one HTTP request.
type exchange struct {
	server
	body, answer []byte
}

var exchanges = sync.Pool{New: func() any { return new(exchange) }}

const maxBody = 16 << 20

// Header names in the canonical form of net/http.
const (
	protocolHeader = "Mcp-Protocol-Version"
	methodHeader   = "Mcp-Method"
	nameHeader     = "Mcp-Name"
)

// serveHTTP answers one message of revision 2026-07-28.
func serveHTTP(w http.ResponseWriter, r *http.Request) {
	x, _ := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	if r.Method != http.MethodPost || r.ContentLength < 0 || r.ContentLength > maxBody {
		http.Error(w, "POST a message of at most 16 MB, with its length", http.StatusBadRequest)
		return
	}
	size := int(r.ContentLength)
	if cap(x.body) < size {
		x.body = make([]byte, size)
	}
	x.body = x.body[:size]
	if _, err := io.ReadFull(r.Body, x.body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	x.answer = x.server.answer(r.Context(), x.answer[:0], x.body)
	h := r.Header
	if m := &x.message; m.isModern && (!is(h, protocolHeader, "2026-07-28") || !is(h, methodHeader, string(m.method)) || m.name != nil && !is(h, nameHeader, string(m.name))) {
		http.Error(w, "the headers differ from the message", http.StatusBadRequest)
		return
	}
	if len(x.answer) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	header := w.Header()
	header["Content-Type"] = contentType
	header["Content-Length"] = []string{strconv.Itoa(len(x.answer))}
	_, _ = w.Write(x.answer)
}

var contentType = []string{"application/json"}

// is reports whether a header has exactly one value, equal to value.
func is(h http.Header, name, value string) bool {
	values := h[name]
	return len(values) == 1 && values[0] == value
}
