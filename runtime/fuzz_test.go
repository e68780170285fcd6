package runtime_test

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/testing/fixture"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/internal/testing/transcript"
	"github.com/mcptool-go/mcptool/runtime"
)

// FuzzReceive sends arbitrary messages to a session, one per line, with or without a
// handshake. The session must not panic, must send valid JSON-RPC, one message per line,
// and must answer the last message. The seeds are the transcripts.
func FuzzReceive(f *testing.F) {
	transcripts, err := transcript.Load(os.DirFS("../testdata/transcripts"))
	if err != nil || len(transcripts) == 0 {
		f.Fatal("no seed transcripts: ", err)
	}
	for _, t := range transcripts {
		for _, line := range t.Sent() {
			if !bytes.Contains(line, []byte("sleep")) {
				f.Add(uint8(len(line)), line)
			}
		}
	}
	for _, retry := range []string{
		`,"name":"ask_book"`, `,"name":"ask_book","requestState":"","inputResponses":{}`, `,"name":"ask_pet","inputResponses":{"pet":{"action":"accept","content":{"name":"Tom"}}}`,
		`,"name":"ask_pet","inputResponses":{"pet":7}`, `,"name":"ask_all","arguments":{"for":"pet text roots"}`, `,"name":"ask_swallow","inputResponses":{"q1":{"action":"cancel"}}`,
	} {
		f.Add(uint8(len(retry)), []byte(able("1", "tools/call", retry)))
	}
	srv, err := fixture.Server(map[string]string{"tools": "echo,add,hello,content,days,fail,caller,log,report_fast,ask_pet,ask_book,ask_all,ask_swallow", "listens": "2"})
	if err != nil {
		f.Fatal(err)
	}
	runtime.Fixed(srv).MaxBatchMessages = 4
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, revision uint8, text []byte) {
		defer watch()()
		alive := make(chan bool, 1)
		session := srv.Open(t.Context(), enginetest.Conn{Send: func(msg []byte) error {
			checkSent(t, msg)
			if string(msg) == `{"jsonrpc":"2.0","id":"alive?","result":{}}` {
				alive <- true
			}
			return nil
		}})
		if at := int(revision) % (len(revisions) + 1); at < len(revisions) {
			session.Receive([]byte(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + revisions[at] +
				`","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}}`))
			session.Receive([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
		}
		for line := range bytes.Lines(text) {
			session.Receive(line)
		}
		session.Receive([]byte(`{"jsonrpc":"2.0","id":"alive?","method":"ping"}`))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := session.Close(ctx); err != nil {
			t.Fatal(err)
		}
		select {
		case <-alive:
		default:
			t.Fatal("the session did not answer the ping")
		}
	})
}

// checkSent checks a message sent by the session.
func checkSent(t *testing.T, msg []byte) {
	t.Helper()
	if err := strictJSON(msg); err != nil || bytes.ContainsAny(msg, "\r\n") {
		t.Fatalf("sent %q: %v", msg, err)
	}
	if msg[0] == '[' {
		return
	}
	var m envelope.Message
	if err := m.Read(msg, 0); err != nil || m.Kind == envelope.Malformed || m.Kind == envelope.Request {
		t.Fatalf("sent %q: %v %s", msg, err, m.Flaw)
	}
}
