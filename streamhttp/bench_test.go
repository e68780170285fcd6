package streamhttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// BenchmarkPost is what the handler takes for a call, with bodies of several sizes, and net/http left out.
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
			h := streamhttp.NewHandler(&runtime.Server{Tools: tools})
			body := modern("1", "tools/call", `,"name":"echo","arguments":{"text":"`+strings.Repeat("x", size)+`"}`)
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
					if w.Code != http.StatusOK {
						b.Errorf("status %d: %s", w.Code, w.Body)
					}
				}
			})
		})
	}
}
