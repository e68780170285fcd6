package runtime

import (
	"bytes"
	"log/slog"
	"sync"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// notifyExtension passes the notification to its extension, if any.
//
//nolint:contextcheck,nolintlint // the session's context
func notifyExtension(r *request, name string) {
	n, known := r.from.extensions.notifications[name]
	params := r.params
	if !known || params.Kind != rawjson.Invalid && params.Kind != rawjson.Object || params.Twice != "" {
		return
	}
	if r.version = notificationVersion(r); !n.span.Includes(r.version) {
		return
	}
	s, who := r.from, r.access.caller()
	if err := s.inFlight.Take(who, 1, admission.Within); err != nil { // it runs an author's func, over HTTP for each request
		s.log.LogAttrs(s.ctx, slog.LevelWarn, "notification dropped, because too many calls are in flight", slog.String("method", name), slog.Any("error", err))
		return
	}
	defer s.inFlight.Give(who, 1)
	raw := bytes.Clone(params.Raw) // the buffer may be reused
	if params.Kind == rawjson.Invalid {
		raw = []byte("{}")
	}
	ctx := s.ctx
	if r.op != nil {
		ctx = r.op.ctx
	}
	ctx = internals.WithHost(ctx, &notifier{from: s, method: name, info: r.callInfo()})
	var running sync.WaitGroup
	running.Go(func() { // the func may end its goroutine
		defer contain.Panic(s.ctx, s.log.With(slog.String("method", name)), "notification failed")
		n.handle(ctx, raw)
	})
	running.Wait()
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

// notifier is the host, in terms of package mcptool, of a func that handles a notification.
type notifier struct {
	from   *origin
	method string
	info   *mcptool.CallInfo // copies, since the func may keep its context
}

// CallInfo implements host of package mcptool.
func (n *notifier) CallInfo() mcptool.CallInfo { return *n.info }

// Progress implements host of package mcptool. It does nothing, because there is no request.
func (n *notifier) Progress(float64, float64, string) {}

// LogHandler implements host of package mcptool. Records are written to the log of the server.
func (n *notifier) LogHandler() slog.Handler {
	return n.from.log.Handler().WithAttrs([]slog.Attr{slog.String("method", n.method)})
}
