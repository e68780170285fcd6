package contain

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Logger returns a logger like l that tolerates a panicking or blocking handler. A record for which the handler panics
// is lost. If the handler blocks, for example because its output is not read, a caller waits once, for at most 200 ms;
// after that, records are queued without waiting, up to 1 MiB, and further ones are dropped. When the handler
// continues, it gets the queued records and one that reports how many were dropped. For nil Logger returns nil.
func Logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		return nil
	}
	return slog.New(handler{l.Handler(), &queue{root: l.Handler()}})
}

// Flush waits until l's handler has handled all records, for at most the duration most. l must be a logger returned by
// [Logger]; for others Flush returns at once.
func Flush(l *slog.Logger, most time.Duration) {
	if h, ok := l.Handler().(handler); ok {
		h.queue.wait(most)
	}
}

// handler is a [slog.Handler] for a handler that may panic or block.
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

// Record is a log record with the context of the logging call.
type Record struct {
	Context context.Context //nolint:containedctx // passed to Handle
	slog.Record
	// Shared are additional attributes, which precede the attributes of the record; may be nil.
	Shared *Shared
}

// Shared are attributes that several records of a logger have in common. The handler can format them once, because the
// records are passed to the handler that its WithAttrs method returns for them.
type Shared struct {
	attrs   []slog.Attr
	derived slog.Handler // nil until the first record is handled; accessed while a record is handled, one at a time
}

// Share returns attributes for records of a single logger. Their values must not change.
func Share(attrs ...slog.Attr) *Shared { return &Shared{attrs: attrs} }

// size returns the size in bytes that the attributes add to each queued record.
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

// on returns the handler for records with the attributes. It calls WithAttrs of handler, which may block or panic.
func (s *Shared) on(handler slog.Handler) slog.Handler {
	if s.derived == nil {
		s.derived = handler.WithAttrs(s.attrs)
	}
	return s.derived
}

// errNotContained is returned for loggers of other packages.
var errNotContained = errors.New("contain: not a logger returned by Logger")

// HandleAll passes the records that take returns to l's handler, in order. It is like calling Handle for each of them,
// but the caller waits only once, until all are handled, so several records cost little more than the handler itself.
// It returns the first error. l must be a logger returned by [Logger].
//
// take is called while the queue of the logger is locked, so it must not log. A goroutine that sees that take has
// removed the records from their source, and then calls [Flush], therefore waits for them.
func HandleAll(l *slog.Logger, take func() []Record) error {
	h, ok := l.Handler().(handler)
	if !ok {
		return errNotContained
	}
	h.queue.mu.Lock()
	return h.queue.handle(h.may, take()...)
}

// HandleHere is like [HandleAll], but calls l's handler in the calling goroutine, which saves two context switches. The
// handler may block that goroutine for any time, or end it with runtime.Goexit; other callers of the logger are
// released as usual. HandleHere does not call take, and reports false, if records are being handled or queued, or if l
// was not returned by [Logger].
func HandleHere(l *slog.Logger, take func() []Record) bool {
	h, ok := l.Handler().(handler)
	return ok && h.queue.handleHere(h.may, take)
}

// handle passes the record to its handler. A panic becomes an error.
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
