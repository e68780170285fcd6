package mcptooltest

import (
	"context"
	"log/slog"
	"slices"
)

// ProgressReport contains the arguments of a call of [mcptool.Progress]. A Total of 0 means unknown.
type ProgressReport struct {
	Done, Total float64
	Message     string
}

// recorder is a log handler that keeps records in a client, and passes them on to next.
type recorder struct {
	client *Client
	next   slog.Handler // nil if there is none
	scopes []logScope   // the innermost last
}

// logScope is a group with the attributes that were added in it.
type logScope struct {
	group string // "" for the root
	attrs []slog.Attr
}

// Enabled implements [slog.Handler].
func (*recorder) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements [slog.Handler].
func (r *recorder) Handle(ctx context.Context, record slog.Record) error {
	attrs := make([]slog.Attr, 0, record.NumAttrs())
	record.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, a)
		return true
	})
	for _, scope := range slices.Backward(r.scopes) {
		attrs = append(slices.Clone(scope.attrs), attrs...)
		if scope.group != "" && len(attrs) > 0 {
			attrs = []slog.Attr{{Key: scope.group, Value: slog.GroupValue(attrs...)}}
		}
	}
	whole := slog.NewRecord(record.Time, record.Level, record.Message, record.PC)
	whole.AddAttrs(attrs...)
	r.client.mu.Lock()
	r.client.records = append(r.client.records, whole)
	r.client.mu.Unlock()
	if r.next != nil && r.next.Enabled(ctx, record.Level) {
		return r.next.Handle(ctx, whole)
	}
	return nil
}

// WithAttrs implements [slog.Handler].
func (r *recorder) WithAttrs(attrs []slog.Attr) slog.Handler { return r.with(logScope{attrs: attrs}) }

// WithGroup implements [slog.Handler].
func (r *recorder) WithGroup(name string) slog.Handler {
	if name == "" {
		return r
	}
	return r.with(logScope{group: name})
}

func (r *recorder) with(scope logScope) *recorder {
	return &recorder{client: r.client, next: r.next, scopes: append(slices.Clip(r.scopes), scope)}
}
