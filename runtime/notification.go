package runtime

import (
	"log/slog"
	"runtime/debug"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// notifyExtension passes the notification to the extension that has it, if there is one.
//
//nolint:contextcheck,nolintlint // the context is that of the session
func (r *request) notifyExtension(name string) {
	n, known := r.session.extensions.notifications[name]
	params := r.params
	if !known || params.Kind != jsonscan.Invalid && params.Kind != jsonscan.Object || params.Twice != "" {
		return
	}
	if r.version = r.notificationVersion(); !n.span.Includes(r.version) {
		return
	}
	raw := params.Raw
	if params.Kind == jsonscan.Invalid {
		raw = []byte("{}")
	}
	s := r.session
	defer func() {
		if v := recover(); v != nil {
			s.log.LogAttrs(s.ctx, slog.LevelError, "notification failed", slog.String("method", name), slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
		}
	}()
	n.handle(mcptool.WithHost(s.ctx, &notifier{request: r, method: name}), raw)
}

// notificationVersion returns the revision of a notification: modern ones need not name it.
func (r *request) notificationVersion() wire.Version {
	if named := r.params.Meta.ProtocolVersion; jsonscan.KindOf(named) == jsonscan.String {
		if v := wire.ParseVersion(jsonscan.Unquote(named)); v.Has(wire.PerRequest) {
			return v
		}
	}
	if v := r.session.agreed(); v != wire.NoVersion && !r.stateless {
		return v
	}
	return wire.Latest
}

// notifier is the [mcptool.Host] of a func that gets a notification.
type notifier struct {
	request *request
	method  string
}

// CallInfo implements [mcptool.Host].
func (n *notifier) CallInfo() mcptool.CallInfo {
	r := n.request
	return r.session.callInfo(r.version, r.access, r.params.Meta.Raw)
}

// Progress implements [mcptool.Host]: there is no request that it could be the progress of.
func (n *notifier) Progress(float64, float64, string) {}

// LogHandler implements [mcptool.Host]: records are written to the log of the server.
func (n *notifier) LogHandler() slog.Handler {
	return n.request.session.log.Handler().WithAttrs([]slog.Attr{slog.String("method", n.method)})
}

// callInfo describes a request of revision v with this _meta, which may be nil.
func (s *Session) callInfo(v wire.Version, a *Access, meta []byte) mcptool.CallInfo {
	info := mcptool.CallInfo{ProtocolVersion: v.String(), Principal: a.principal(), Meta: meta}
	if v.Has(wire.PerRequest) {
		wire.Members(meta, func(name string, value []byte) {
			switch name {
			case wire.MetaClientInfo:
				info.Client, _ = wire.ReadClientInfo(value)
			case wire.MetaClientCapabilities:
				info.Capabilities = value
			}
		})
		return info
	}
	if h := s.hello.Load(); h != nil {
		info.Client, info.Capabilities = h.client, h.capabilities
	}
	return info
}
