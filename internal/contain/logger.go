package contain

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Logger returns a logger like l that survives a panicking or blocking handler. Records at which the handler of l
// panics are lost. If the handler blocks, for example because nobody reads its output, a caller waits for it once,
// for at most 200 ms; then records are queued up to a limit, and dropped beyond it. When the handler continues, it
// gets the queued records, and one that reports how many were dropped. For nil Logger returns nil.
func Logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		return nil
	}
	return slog.New(handler{l.Handler(), &queue{root: l.Handler()}})
}

// Flush waits until l's handler has received all records, at most as long as given. l must be a logger returned by
// [Logger]; for others Flush returns at once.
func Flush(l *slog.Logger, most time.Duration) {
	if h, ok := l.Handler().(handler); ok {
		h.queue.wait(most)
	}
}

// handler is a handler that may panic or block.
type handler struct {
	may   slog.Handler
	queue *queue
}

// Enabled implements [slog.Handler].
func (h handler) Enabled(ctx context.Context, level slog.Level) (enabled bool) {
	defer func() {
		if recover() != nil {
			enabled = false
		}
	}()
	return h.may.Enabled(ctx, level)
}

// Handle implements [slog.Handler].
func (h handler) Handle(ctx context.Context, record slog.Record) error {
	h.queue.mu.Lock()
	return h.queue.handle(h.may, Record{Context: ctx, Record: record})
}

// Record is a log record, and the context with which it was logged.
type Record struct {
	Context context.Context //nolint:containedctx // like the one that is passed to Handle
	slog.Record
	// Shared are attributes that precede those of the record; nil if there are none.
	Shared *Shared
}

// Shared are attributes that several records have. The handler of the logger formats them once: it gets the records by a
// handler that its WithAttrs returns.
type Shared struct {
	attrs   []slog.Attr
	derived slog.Handler // nil until the first record is handled; used by whoever handles records of the logger
}

// Share returns the attributes for the records of one logger. Their values must not change.
func Share(attrs ...slog.Attr) *Shared { return &Shared{attrs: attrs} }

// size returns how many bytes the attributes count while a record with them is queued.
func (s *Shared) size() (size int) {
	if s == nil {
		return 0
	}
	for _, a := range s.attrs {
		_, n, _ := fixedAttr(a)
		size += n
	}
	return size
}

// on returns the handler for records with the attributes. It may block and panic, as the handler may.
func (s *Shared) on(handler slog.Handler) slog.Handler {
	if s.derived == nil {
		s.derived = handler.WithAttrs(s.attrs)
	}
	return s.derived
}

// errNotContained is returned for loggers of other packages.
var errNotContained = errors.New("contain: not a logger returned by Logger")

// HandleAll passes the records that take returns to l's handler, in order. It is like a call of Handle for each of them,
// but the caller waits only once, until all are handled, so that several records cost little more than the handler does.
// It returns the first error. l must be a logger returned by [Logger].
//
// Whoever finds the records taken, and then calls [Flush], waits for them: take is called when the queue of the logger is
// locked. It must not log.
func HandleAll(l *slog.Logger, take func() []Record) error {
	h, ok := l.Handler().(handler)
	if !ok {
		return errNotContained
	}
	h.queue.mu.Lock()
	return h.queue.handle(h.may, take()...)
}

// HandleHere is like [HandleAll] for a goroutine that the handler may block as long as it likes, and may end with
// runtime.Goexit: it calls l's handler itself, which saves the hand-over to another goroutine and back. Other callers of
// the logger are released meanwhile, as always. If a record is being handled already, HandleHere takes nothing and
// reports false.
func HandleHere(l *slog.Logger, take func() []Record) bool {
	h, ok := l.Handler().(handler)
	return ok && h.queue.handleHere(h.may, take)
}

// handle passes the record to its handler.
func (e *entry) handle() (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the log handler panicked: %v", v)
		}
	}()
	handler := e.handler
	if e.shared != nil {
		handler = e.shared.on(handler)
	}
	return handler.Handle(e.ctx, e.record)
}

// WithAttrs implements [slog.Handler].
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.with(func() slog.Handler { return h.may.WithAttrs(attrs) })
}

// WithGroup implements [slog.Handler].
func (h handler) WithGroup(name string) slog.Handler {
	return h.with(func() slog.Handler { return h.may.WithGroup(name) })
}

// with returns the result of derive, or h itself if derive panics.
func (h handler) with(derive func() slog.Handler) (derived slog.Handler) {
	defer func() {
		if recover() != nil {
			derived = h
		}
	}()
	return handler{derive(), h.queue}
}
