package contain_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/mcptool-go/mcptool/internal/contain"
)

// moody panics in the method that it names.
type moody struct {
	slog.Handler
	in string
}

func (m moody) mind(method string) {
	if m.in == method {
		panic("in " + method)
	}
}

func (m moody) Enabled(ctx context.Context, l slog.Level) bool {
	m.mind("Enabled")
	return m.Handler.Enabled(ctx, l)
}

func (m moody) Handle(ctx context.Context, r slog.Record) error {
	m.mind("Handle")
	return m.Handler.Handle(ctx, r)
}

func (m moody) WithAttrs(attrs []slog.Attr) slog.Handler {
	m.mind("WithAttrs")
	return moody{m.Handler.WithAttrs(attrs), m.in}
}

func (m moody) WithGroup(name string) slog.Handler {
	m.mind("WithGroup")
	return moody{m.Handler.WithGroup(name), m.in}
}

func TestLogger(t *testing.T) {
	t.Parallel()
	if contain.Logger(nil) != nil {
		t.Error("a logger was made of nil")
	}
	for _, test := range []struct{ in, want string }{
		{"", `{"level":"WARN","msg":"x","a":1,"g":{"b":2,"c":3}}`},
		{"Enabled", ""},
		{"Handle", ""},
		{"WithAttrs", `{"level":"WARN","msg":"x","g":{"c":3}}`},
		{"WithGroup", `{"level":"WARN","msg":"x","a":1,"b":2,"c":3}`},
	} {
		var out bytes.Buffer
		noTime := func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}
		log := contain.Logger(slog.New(moody{slog.NewJSONHandler(&out, &slog.HandlerOptions{ReplaceAttr: noTime}), test.in}))
		log.With("a", 1).WithGroup("g").With("b", 2).Warn("x", "c", 3)
		if got := string(bytes.TrimSpace(out.Bytes())); got != test.want {
			t.Errorf("a panic in %q: got %s, want %s", test.in, got, test.want)
		}
	}
}
