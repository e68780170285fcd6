package client

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"
)

// An Era is a family of protocol revisions with the same handshake.
type Era string

// The eras.
const (
	Auto   Era = "auto"   // modern if the server supports it, else legacy
	Legacy Era = "legacy" // initialize and a session, up to revision 2025-11-25
	Modern Era = "modern" // revision 2026-07-28
)

// Options configure a Client. The zero value is usable.
type Options struct {
	// Era is the era to use; "" means Auto.
	Era Era
	// Revision is the revision to request from a legacy server; "" means 2025-11-25. The server may choose another one,
	// see [Server.Revision].
	Revision string
	// Timeout limits connecting, and the time without activity of a request. Progress and unanswered elicitations count
	// as activity. 0 means [DefaultTimeout], and 2 min for a command to start, since some are built first, as by go
	// run, or downloaded, as by npx.
	Timeout time.Duration
	// Bounded also limits the total time of a call to [MaxExtension] times the timeout, despite activity. Connecting is
	// never extended, and listing tools always has this limit.
	Bounded bool
	// Stderr receives the stderr of a command; nil discards it. Errors have the end of it, see [UnreachableError].
	Stderr io.Writer
	// Notify receives the server's notifications, one at a time and in order, and the notifications of a request before it returns.
	// If nil, the client requests neither progress nor logs.
	Notify func(method string, params json.RawMessage)
	// Elicit answers elicitations of the server. It may be called concurrently. An error is sent to the server as a
	// cancellation. If nil, the client does not declare the capability.
	Elicit func(ctx context.Context, q Elicitation) (ElicitResult, error)
	// Unexpected receives messages that a correct server does not send, with the reason: lines and events that are not
	// messages, messages that are not valid JSON, responses without a request, requests for undeclared capabilities, and
	// messages after the response on the stream of a request. To detect the latter, a request returns only at the end of
	// its stream. A response to a cancelled request is also reported, though it may have been in flight. Unexpected may be
	// called concurrently, and blocks further messages until it returns. Nil discards these messages.
	Unexpected func(message []byte, why string)
	// Tasks declares to modern servers that any call may run as a task, and asks legacy servers for a task if the tool
	// supports them. [Client.Call] waits for its result. By default the client does this only for tools that require it.
	Tasks bool
	// Task receives the id and the status of the task that a [Client.Call] runs as, when it begins and after each poll. ctx is
	// that of the call. Task may be called concurrently. Nil ignores them.
	Task func(ctx context.Context, id, status string)
	// CallMeta are further members of the _meta of each [Client.Call].
	CallMeta map[string]json.RawMessage

	// Trace receives each message that is sent or received, except those of [Client.Start] and [Client.Stream]. ctx is the
	// context of the request that the message belongs to, as far as the transport tells: of the request itself, of its
	// response, and over HTTP of what its response stream carries. For all others it has no values of a request. Trace may
	// be called concurrently, blocks further messages until it returns, and must not retain or change the message. Nil
	// traces nothing.
	Trace func(ctx context.Context, sent bool, message []byte)
	// Transport sends the HTTP requests; nil means a transport owned by the client. It may be called concurrently.
	Transport http.RoundTripper

	probe      time.Duration // overrides probeTime in tests
	afterProbe bool          // Era is Legacy because the server exited after the probe
}

// MaxExtension is the total time limit of a request with progress or logs, as a multiple of its timeout.
const MaxExtension = 4

// Default timeouts.
const (
	DefaultTimeout      = 30 * time.Second
	defaultStartTimeout = 2 * time.Minute
)

// startTimeout returns the time limit for the handshake.
func (o Options) startTimeout(t Target) time.Duration {
	if t.URL == "" {
		return cmp.Or(max(o.Timeout, 0), defaultStartTimeout)
	}
	return o.timeout()
}

func (o Options) timeout() time.Duration { return cmp.Or(max(o.Timeout, 0), DefaultTimeout) }
