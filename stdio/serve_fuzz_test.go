package stdio_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

// FuzzServe sends arbitrary input. The server must write only valid messages
// and answer the call that follows.
func FuzzServe(f *testing.F) {
	f.Add([]byte(echoCall(1, "a")+echoCall(2, "b")), 1000)
	f.Add([]byte("\xef\xbb\xbf{}\r\n[]\n\"\n\x00\n1e10000000\n"), 1000)
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`+
		"\n"+`[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","method":"x"}]`+"\n"), 1000)
	f.Add([]byte(strings.Repeat(`{"a":`, 300)+"\n"), 100)
	tool, err := mcptool.New(echo)
	if err != nil {
		f.Fatal(err)
	}
	registry := new(mcptool.Registry)
	if err := registry.Add(tool); err != nil {
		f.Fatal(err)
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, in []byte, limit int) {
		defer watch()()
		last := echoCall(424242, "still here")
		limits := runtime.Limits{MaxMessageBytes: len(last) + int(uint(limit)%5000)}
		input := append(append(bytes.Clone(in), '\n'), last...)
		var out bytes.Buffer
		srv := &runtime.Server{Tools: registry, Limits: limits}
		if err := stdio.Serve(t.Context(), srv, stdio.In(bytes.NewReader(input)), stdio.Out(&out)); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if !strings.HasSuffix(line, "\n") || !json.Valid([]byte(line)) {
				t.Errorf("%q is not a message", line)
			}
		}
		if !strings.Contains(out.String(), "still here") {
			t.Errorf("the last call was not answered; output:\n%s", out.String())
		}
	})
}
