package streamhttp_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// BenchmarkPost measures the handler without net/http for a call, with bodies of several sizes.
func BenchmarkPost(b *testing.B) {
	echo, err := mcptool.New(func(_ context.Context, in struct {
		Text string `json:"text"`
	},
	) (mcptool.Text, error) {
		return mcptool.Text{Text: strconv.Itoa(len(in.Text))}, nil
	}, mcptool.Name("echo"))
	if err != nil {
		b.Fatal(err)
	}
	tools := &mcptool.Registry{}
	if err := tools.Add(echo); err != nil {
		b.Fatal(err)
	}
	for _, size := range []int{10, 100 << 10, 4 << 20} {
		b.Run(strconv.Itoa(size)+" bytes", func(b *testing.B) {
			h := newHandler(b, &runtime.Server{Tools: tools})
			body := modern("1", "tools/call", `,"name":"echo","arguments":{"text":"`+strings.Repeat("x", size)+`"}`)
			length := []byte(`"text":"` + strconv.Itoa(size) + `"`)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
					r.Header.Set("Content-Type", "application/json")
					for name, value := range heading("tools/call", "echo") {
						r.Header.Set(name, value)
					}
					w := httptest.NewRecorder()
					h.ServeHTTP(w, r)
					if w.Code != http.StatusOK || !bytes.Contains(w.Body.Bytes(), length) {
						b.Errorf("status %d: %s", w.Code, w.Body)
					}
				}
			})
		})
	}
}

// nowhere is an [http.ResponseWriter] that discards the response.
type nowhere struct {
	header http.Header
	status int
	result bool // a result was written
}

func (n *nowhere) Header() http.Header { return n.header }
func (n *nowhere) Write(p []byte) (int, error) {
	n.result = n.result || bytes.Contains(p, []byte(`"structuredContent":{"text":"abc"}`))
	return len(p), nil
}
func (n *nowhere) WriteHeader(status int) { n.status = status }
func (n *nowhere) FlushError() error      { return nil }

// poster posts one quick call repeatedly to the handler, without net/http.
type poster struct {
	handler http.Handler
	request *http.Request
	body    *strings.Reader // of request
	text    string          // its content
	w       nowhere
}

func newPoster(tb testing.TB) *poster {
	tb.Helper()
	type text struct {
		Text string `json:"text"`
	}
	echo, err := mcptool.New(func(_ context.Context, in text) (text, error) { return in, nil }, mcptool.Name("echo"))
	if err != nil {
		tb.Fatal(err)
	}
	tools := &mcptool.Registry{}
	if err := tools.Add(echo); err != nil {
		tb.Fatal(err)
	}
	p := &poster{
		handler: newHandler(tb, &runtime.Server{Tools: tools}), body: &strings.Reader{},
		text: modern("1", "tools/call", `,"name":"echo","arguments":{"text":"abc"}`),
	}
	p.request = httptest.NewRequest(http.MethodPost, "http://127.0.0.1:80/mcp", io.NopCloser(p.body))
	p.request.ContentLength = int64(len(p.text))
	p.request = p.request.WithContext(context.WithValue(p.request.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}))
	p.request.Header.Set("Content-Type", "application/json")
	p.request.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range heading("tools/call", "echo") {
		p.request.Header.Set(name, value)
	}
	p.w.header = http.Header{}
	return p
}

// post posts the call and returns the status, or 0 if the response is not the result.
func (p *poster) post() (status int) {
	p.body.Reset(p.text)
	p.w.status, p.w.result = 0, false
	p.handler.ServeHTTP(&p.w, p.request)
	if !p.w.result {
		return 0
	}
	return p.w.status
}

// BenchmarkQuickPost measures what the handler adds to net/http for a quick call.
func BenchmarkQuickPost(b *testing.B) {
	p := newPoster(b)
	b.ReportAllocs()
	for b.Loop() {
		if status := p.post(); status != http.StatusOK {
			b.Fatal("status ", status)
		}
	}
}
