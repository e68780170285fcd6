package wire

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"
)

// scopeHandler encodes records as for clients.
type scopeHandler struct {
	scope LogScope
	out   *string
}

func (h scopeHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h scopeHandler) Handle(_ context.Context, r slog.Record) error {
	*h.out = string(h.scope.Append(nil, r, nil)) //nolint:contextcheck // Append needs no context
	return nil
}

func (h scopeHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return scopeHandler{h.scope.With(attrs), h.out}
}

func (h scopeHandler) WithGroup(name string) slog.Handler {
	return scopeHandler{h.scope.Within(name), h.out}
}

type secret struct{}

func (secret) LogValue() slog.Value { return slog.StringValue("***") }

// noError is an error whose Error panics for a nil pointer.
type noError struct{ text string }

func (e *noError) Error() string { return e.text }

func TestLogData(t *testing.T) {
	t.Parallel()
	endless := map[string]any{}
	endless["self"] = endless
	for _, test := range []struct {
		name string
		log  func(*slog.Logger)
		want string
	}{
		{"message", func(l *slog.Logger) { l.Info("hi\n") }, `{"msg":"hi\n"}`},
		{"kinds", func(l *slog.Logger) {
			l.Info("", slog.Int("i", 1), slog.Bool("b", true), slog.Float64("f", 0.5), slog.Uint64("u", math.MaxUint64), slog.Any("n", nil))
		}, `{"b":true,"f":0.5,"i":1,"msg":"","n":null,"u":18446744073709551615}`},
		{"times", func(l *slog.Logger) {
			l.Info("", slog.Duration("d", time.Minute), slog.Time("t", time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)))
		}, `{"d":"1m0s","msg":"","t":"2026-01-02T03:04:05.000006Z"}`},
		{"errors and values", func(l *slog.Logger) {
			l.Info("", slog.Any("e", errors.New("no")), slog.Any("s", secret{}), slog.Any("m", map[string]int{"a": 1}))
		}, `{"e":"no","m":{"a":1},"msg":"","s":"***"}`},
		{"not a number", func(l *slog.Logger) { l.Info("", slog.Float64("f", math.Inf(1)), slog.Any("n", math.NaN())) }, `{"f":"+Inf","msg":"","n":"NaN"}`},
		{"not representable in JSON", func(l *slog.Logger) { l.Info("", slog.Any("f", func() {})) }, `{"f":"!ERROR:json: unsupported type: func()","msg":""}`},
		{"nested too deeply", func(l *slog.Logger) {
			l.Info("a\x1b[1mb", slog.Any("r", json.RawMessage(strings.Repeat("[", 2000)+strings.Repeat("]", 2000))))
		}, `{"msg":"ab"}`},
		{"not UTF-8", func(l *slog.Logger) { l.Info("", slog.Any("r", json.RawMessage("\"\xff\""))) }, `{"msg":"","r":"` + "\ufffd" + `"}`},
		{"cycle", func(l *slog.Logger) { l.Info("", slog.Any("m", endless)) }, `{"m":"!ERROR:json: unsupported value: encountered a cycle via map[string]interface {}","msg":""}`},
		{"panic", func(l *slog.Logger) { l.Info("", slog.Any("e", (*noError)(nil))) }, `{"e":"<nil>","msg":""}`},
		{"groups", func(l *slog.Logger) {
			l.With("a", 1).WithGroup("g").With("b", 2).WithGroup("h").Info("", "c", 3)
		}, `{"a":1,"g":{"b":2,"h":{"c":3}},"msg":""}`},
		{"empty groups", func(l *slog.Logger) { l.WithGroup("g").Info("", slog.Group("x"), slog.Attr{}) }, `{"msg":""}`},
		{"inlined group", func(l *slog.Logger) { l.Info("", slog.Group("", slog.Int("a", 1))) }, `{"a":1,"msg":""}`},
		{"same name", func(l *slog.Logger) { l.With("a", 1).Info("", "a", 2) }, `{"a":2,"msg":""}`},
		{"group over value", func(l *slog.Logger) { l.With("a", 1).Info("", slog.Group("a", slog.Int("b", 2))) }, `{"a":{"b":2},"msg":""}`},
		{"attribute msg", func(l *slog.Logger) { l.Info("real", "msg", "other") }, `{"msg":"real"}`},
		{"siblings share a parent", func(l *slog.Logger) {
			parent := l.With("p", 0)
			parent.With("x", 1)
			parent.With("y", 2).Info("")
		}, `{"msg":"","p":0,"y":2}`},
	} {
		var got string
		test.log(slog.New(scopeHandler{out: &got}))
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}
