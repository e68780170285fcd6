package runtime

import (
	"bytes"
	"context"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// plainOutbox keeps the last message.
type plainOutbox struct{ last []byte }

func (o *plainOutbox) Send(msg []byte) error {
	o.last = bytes.Clone(msg)
	return nil
}

// pieceOutbox keeps the pieces of the last message as they are.
type pieceOutbox struct {
	plainOutbox
	pieces [][]byte
}

func (g *pieceOutbox) SendPieces(pieces ...[]byte) error {
	g.pieces = nil
	for _, p := range pieces {
		g.pieces = append(g.pieces, bytes.Clone(p))
	}
	return nil
}

func TestKeptListIsSentInPieces(t *testing.T) {
	t.Parallel()
	const list = `{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	for _, test := range []struct {
		name  string
		tools int
		whole bool
	}{
		{"a few tools", 3, true},
		{"many tools", 2000, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tools := &mcptool.Registry{}
			if err := tools.Add(newTools(t, test.tools)...); err != nil {
				t.Fatal(err)
			}
			srv := &Server{Name: "s", Version: "1", Tools: tools, Limits: Limits{ToolsPerPage: 5000}}
			answer := func(out Outbox) {
				session := srv.Open(context.Background(), out)
				session.Receive([]byte(list))
				if err := session.Close(context.Background()); err != nil {
					t.Error(err)
				}
			}
			want, got := &plainOutbox{}, &pieceOutbox{}
			answer(want)
			answer(got)
			if test.whole != (got.pieces == nil) {
				t.Fatalf("in %d pieces, whole: %t", len(got.pieces), got.last != nil)
			}
			if text := bytes.Join(append(got.pieces, got.last), nil); !bytes.Equal(text, want.last) {
				t.Errorf("got %.80s… of %d bytes, want %.80s… of %d", text, len(text), want.last, len(want.last))
			}
		})
	}
}
