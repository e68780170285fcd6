package jetstream_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/runtime/bus"
)

// TestAddressSecrets checks that neither errors nor the log contain the user info of an
// address.
func TestAddressSecrets(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"user:secret@127.0.0.1:1",
		"nats://user:secret@127.0.0.1:1,user:secret@127.0.0.1:2",
		"nats://secret@127.0.0.1:1, secret@localhost",
		"nats://user:secret%@127.0.0.1:1",
		"nats://user:secret#1@127.0.0.1:1",
		"nats://user:secret/1@127.0.0.1:1",
		"nats://user:secret@1@127.0.0.1:1",
		"nats://user:1@secret/1@127.0.0.1:1",
		"nats://secret#1@127.0.0.1:1",
		"nats://secret/@127.0.0.1:1",
		"nats://user:secret@",
		"nats://user:secret@127.0.0.1:1,",
	} {
		_, err := jetstream.Connect(address, jetstream.Options{})
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("Connect(%q): %v", address, err)
		}
	}

	log := &logs{}
	address := natsServer(t)
	p, through := newProxy(t, strings.TrimPrefix(address, "nats://"))
	through = "user:secret@" + strings.TrimPrefix(through, "nats://")
	js := connect(t, through, jetstream.Options{Logger: log.logger()})
	p.set(true)
	eventually(t, "the interruption is logged", func() error { return log.wants("is broken") })
	if err := log.wants("secret"); err == nil {
		t.Errorf("the log has the password:\n%s", log)
	}
	p.set(false)
	eventually(t, "the connection is back", func() error { return js.Bus().Publish(t.Context(), bus.Notice{Kind: "x"}) })
}

// calling is a [slog.Handler] that calls a func when a broken connection is logged.
type calling struct {
	slog.Handler
	f func()
}

func (c calling) Enabled(context.Context, slog.Level) bool { return true }
func (c calling) WithAttrs([]slog.Attr) slog.Handler       { return c }
func (c calling) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "is broken") {
		c.f()
	}
	return nil
}

// TestLoggerUsesConn checks that a logger may use the connection that the log record is
// about.
func TestLoggerUsesConn(t *testing.T) {
	t.Parallel()
	p, through := newProxy(t, strings.TrimPrefix(natsServer(t), "nats://"))
	conn, done := make(chan *jetstream.Conn, 1), make(chan error, 1)
	handler := calling{slog.DiscardHandler, func() {
		js := <-conn
		done <- js.Bus().Publish(context.Background(), bus.Notice{Kind: "x"})
	}}
	js := connect(t, through, jetstream.Options{Logger: slog.New(handler)})
	conn <- js
	p.set(true)
	select {
	case err := <-done:
		wantErr(t, "Publish", err, jetstream.ErrUnavailable)
	case <-time.After(15 * time.Second):
		t.Fatal("the logger waits for ever")
	}
	p.set(false)
	eventually(t, "the connection is back", func() error { return js.Bus().Publish(t.Context(), bus.Notice{Kind: "x"}) })
}
