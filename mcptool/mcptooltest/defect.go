package mcptooltest

import (
	"context"
	"log/slog"
	"sync"
)

// A defect is a mistake of a tool's author that the server logs but does not send to the client.
type defect struct {
	err   string
	stack string // of a panic
}

// defects is a log handler that keeps the defects by the id of the request.
type defects struct {
	mu   sync.Mutex
	byID map[string]*defect
}

// of returns the defect of a request; nil if it had none.
func (d *defects) of(id string) *defect {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := d.byID[id]
	delete(d.byID, id)
	return found
}

// Enabled implements [slog.Handler].
func (d *defects) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelError }

// Handle implements [slog.Handler].
func (d *defects) Handle(_ context.Context, r slog.Record) error {
	var found defect
	id := ""
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "error":
			found.err = a.Value.String()
		case "stack":
			found.stack = a.Value.String()
		case "request_id":
			id = a.Value.String()
		}
		return true
	})
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.byID == nil {
		d.byID = map[string]*defect{}
	}
	if id != "" {
		d.byID[id] = &found
	}
	return nil
}

// WithAttrs implements [slog.Handler]. The attributes that matter are in the record itself.
func (d *defects) WithAttrs([]slog.Attr) slog.Handler { return d }

// WithGroup implements [slog.Handler].
func (d *defects) WithGroup(string) slog.Handler { return d }
