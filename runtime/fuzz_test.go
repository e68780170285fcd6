package runtime_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/fixture"
)

// FuzzReceive gives a session any bytes, one message per line, after a handshake of a
// revision and without one. It never panics, what it sends is valid JSON-RPC on one
// line, and in the end it still answers. The transcripts are the seeds.
func FuzzReceive(f *testing.F) {
	files, err := filepath.Glob("../testdata/transcripts/*/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatal("no transcripts to start from: ", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if msg, ok := strings.CutPrefix(line, "-> "); ok && !strings.Contains(msg, "sleep") {
				f.Add(uint8(len(msg)), []byte(strings.ReplaceAll(strings.TrimSpace(msg), "${META}",
					`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`)))
			}
		}
	}
	f.Fuzz(func(t *testing.T, revision uint8, text []byte) {
		srv, err := fixture.Server(map[string]string{"tools": "echo,add,hello,content,days,fail,caller,log,report_fast", "listens": "2", "batch": "4"})
		if err != nil {
			t.Fatal(err)
		}
		alive := make(chan bool, 1)
		session := srv.Open(t.Context(), outboxFunc(func(msg []byte) error {
			checkSent(t, msg)
			if string(msg) == `{"jsonrpc":"2.0","id":"alive?","result":{}}` {
				alive <- true
			}
			return nil
		}))
		if at := int(revision) % (len(revisions) + 1); at < len(revisions) {
			session.Receive([]byte(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + revisions[at] +
				`","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}}`))
			session.Receive([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
		}
		for line := range bytes.Lines(text) {
			session.Receive(line)
		}
		session.Receive([]byte(`{"jsonrpc":"2.0","id":"alive?","method":"ping"}`))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if err := session.Close(ctx); err != nil {
			t.Fatal(err)
		}
		select {
		case <-alive:
		default:
			t.Fatal("the session is dead")
		}
	})
}

// checkSent checks one message that the session sends.
func checkSent(t *testing.T, msg []byte) {
	t.Helper()
	if err := strictJSON(msg); err != nil || bytes.ContainsAny(msg, "\r\n") {
		t.Fatalf("sent %q: %v", msg, err)
	}
	if msg[0] == '[' {
		return
	}
	if m, err := envelope.Read(msg, 0); err != nil || m.Kind == envelope.Malformed || m.Kind == envelope.Request {
		t.Fatalf("sent %q: %v %s", msg, err, m.Flaw)
	}
}
