package runtime

import (
	"bytes"
	"log/slog"
	"runtime/debug"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// notifyExtension passes the notification to its extension, if any.
//
//nolint:contextcheck,nolintlint // the context is that of the session
func notifyExtension(r *request, name string) {
	n, known := r.from.extensions.notifications[name]
	params := r.params
	if !known || params.Kind != rawjson.Invalid && params.Kind != rawjson.Object || params.Twice != "" {
		return
	}
	if r.version = notificationVersion(r); !n.span.Includes(r.version) {
		return
	}
	s, who := r.from, r.access.Caller()
	if err := s.inFlight.Take(who, 1); err != nil { // it runs an author's func, over HTTP for each request
		s.log.LogAttrs(s.ctx, slog.LevelWarn, "notification dropped, because too many calls are in flight", slog.String("method", name), slog.Any("error", err))
		return
	}
	defer s.inFlight.Give(who, 1)
	raw := bytes.Clone(params.Raw) // the buffer may be reused
	if params.Kind == rawjson.Invalid {
		raw = []byte("{}")
	}
	ctx := mcptool.WithHost(s.ctx, &notifier{from: s, method: name, info: r.callInfo()})
	done := make(chan struct{})
	go func() { // in its own goroutine, which the func may end
		defer close(done)
		returned := false
		defer func() {
			if v := recover(); !returned {
				s.log.LogAttrs(s.ctx, slog.LevelError, "notification failed", slog.String("method", name), slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
			}
		}()
		n.handle(ctx, raw)
		returned = true
	}()
	<-done
}

// notificationVersion returns the revision of a notification, which a modern one need not contain.
func notificationVersion(r *request) wire.Version {
	if named := r.params.Meta.ProtocolVersion; rawjson.KindOf(named) == rawjson.String {
		if v := wire.ParseVersion(rawjson.Unquote(named)); v.Has(wire.PerRequest) {
			return v
		}
	}
	if v := r.from.agreed(); v != wire.NoVersion && !r.stateless {
		return v
	}
	return wire.Latest
}

// notifier is the [mcptool.Host] of a func that handles a notification.
type notifier struct {
	from   *origin
	method string
	info   *mcptool.CallInfo // copies, since the func may keep its context
}

// CallInfo implements [mcptool.Host].
func (n *notifier) CallInfo() mcptool.CallInfo { return *n.info }

// Progress implements [mcptool.Host]. It does nothing, because there is no request.
func (n *notifier) Progress(float64, float64, string) {}

// LogHandler implements [mcptool.Host]. Records are written to the log of the server.
func (n *notifier) LogHandler() slog.Handler {
	return n.from.log.Handler().WithAttrs([]slog.Attr{slog.String("method", n.method)})
}
