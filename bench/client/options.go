package client

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"
)

// An Era is a family of revisions of the protocol that share a handshake.
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
	// Revision is the revision that a server of the legacy era is asked for; "" means 2025-11-25. The server may choose
	// another one, see [Server.Revision].
	Revision string
	// Timeout is the longest time for connecting, and for a request without activity (progress is activity, and so is an
	// elicitation that the user has not answered). 0 means [DefaultTimeout], and 2 min for a command to start: some are
	// built first, as by go run, or downloaded, as by npx.
	Timeout time.Duration
	// Bounded limits calls as a whole: activity extends a call to [MaxExtension] times the timeout at most. Connecting is
	// never extended, and listing the tools is always limited so.
	Bounded bool
	// Stderr gets what a command writes to its stderr; nil drops it. The last 4 KiB are kept
	// for the texts of errors.
	Stderr io.Writer
	// Notify gets the notifications of the server, one at a time and in order, those of a request before it returns.
	// Nil means that neither progress nor logs are requested.
	Notify func(method string, params json.RawMessage)
	// Elicit answers an elicitation of the server; it may be called concurrently. The server gets its error as a
	// cancellation. Nil means that the capability is not declared.
	Elicit func(ctx context.Context, q Elicitation) (ElicitResult, error)
	// Unexpected gets what a correct server does not send, and why it is not expected: lines and events that are no messages,
	// responses to no request, requests for which no capability is declared, and what follows the response on the
	// stream of a request; for that, such a stream is read to its end before the request returns. A
	// response to a request that was cancelled is reported too, though it may have been on its way. Unexpected may be called
	// concurrently, and holds up what the server sends until it returns. Nil drops all that.
	Unexpected func(message []byte, why string)
	// Tasks declares to servers of the modern era that any call may run as a task, of which [Client.Call] waits for the end.
	// Without it, that is declared only for tools that cannot be called otherwise.
	Tasks bool

	// Transport sends the requests over HTTP; nil means one of the client's own. It may be called concurrently.
	Transport http.RoundTripper

	probe      time.Duration // instead of probeTime, for tests
	afterProbe bool          // the era is Legacy because the server did not survive the probe
}

// MaxExtension is how many times its timeout a request may take if the server reports progress or logs without pause.
const MaxExtension = 4

// The timeouts that are meant if none is given.
const (
	DefaultTimeout      = 30 * time.Second
	defaultStartTimeout = 2 * time.Minute
)

// startTimeout returns how long the server may take until it can be talked to.
func (o Options) startTimeout(t Target) time.Duration {
	if o.Timeout <= 0 && t.URL == "" {
		return defaultStartTimeout
	}
	return o.timeout()
}

func (o Options) timeout() time.Duration {
	if o.Timeout <= 0 {
		return DefaultTimeout
	}
	return o.Timeout
}
