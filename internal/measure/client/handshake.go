package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// The modern revision, and the legacy revision to request.
const (
	modernRevision = "2026-07-28"
	legacyRevision = "2025-11-25"
)

// knownLegacy are the legacy revisions that a server may choose.
var knownLegacy = []string{legacyRevision, "2025-06-18", "2025-03-26", "2024-11-05"}

// probeTime is how long a command may take to answer the modern probe before the client also sends initialize. Some
// servers do not respond to unknown methods.
const probeTime = 10 * time.Second

// probeRest is how long to wait for the answer to the probe after initialize was answered. A server with a slow start
// answers both in order.
const probeRest = 2 * time.Second

// A probeKilledError means that the command exited after the modern probe.
type probeKilledError struct{ *UnreachableError }

func (e *probeKilledError) Unwrap() error { return e.UnreachableError }

// handshake detects the era and completes the handshake.
func (c *Client) handshake(ctx context.Context, era Era) error {
	switch era {
	case Legacy:
		h := c.begin(ctx, Legacy)
		if h.err != nil && !c.opts.afterProbe {
			return c.wrongEra(h, Modern)
		}
		return c.finishLegacy(ctx, h)
	case Modern:
		h := c.begin(ctx, Modern)
		if h.err != nil {
			return c.wrongEra(h, Legacy)
		}
		return c.finishModern(h)
	default:
		return c.probe(ctx)
	}
}

// begin sends the first request of an era.
func (c *Client) begin(ctx context.Context, era Era) *handshakeResult {
	if era == Modern {
		return c.discover(ctx)
	}
	c.conn.agree(Legacy, "")
	return c.initialize(ctx)
}

// wrongEra returns the error for a server that rejected the first request of the only requested era, with the result h. It
// names the other era if the server may support that.
func (c *Client) wrongEra(h *handshakeResult, other Era) error {
	lost, silent, old := (*UnreachableError)(nil), (*NoAnswerError)(nil), (*notModernError)(nil)
	switch {
	case errors.As(h.err, &old) && !old.legacy():
		return c.conn.unreachable(old.Error()+", which is the latest known here", old)
	case errors.As(h.err, &old):
		lost = c.conn.unreachable(old.Error(), old)
	case !errors.As(h.err, &lost) || asRefusal(h.err) == nil && !errors.As(h.err, &silent) && !errors.Is(h.err, errEnded):
		return h.err
	}
	advised := *lost
	advised.What += fmt.Sprintf("; if it knows only the other era, use --era %s, or leave --era out", other)
	return &advised
}

// probe detects the era. It sends the modern request first, and takes any rejection of this request, or over stdio a
// missing response, as a sign of the legacy era.
func (c *Client) probe(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	found := make(chan *handshakeResult, 1)
	c.work.Go(func() { found <- c.discover(ctx) })
	var silence <-chan time.Time // over HTTP every server responds
	if c.conn.pid() != 0 {
		silence = time.After(cmp.Or(c.opts.probe, probeTime))
	}
	var initialized chan *handshakeResult
	for {
		select {
		case <-silence: // from here on, the first response determines the era
			initialized = make(chan *handshakeResult, 1)
			c.work.Go(func() { initialized <- c.initialize(ctx) })
		case h := <-found:
			switch {
			case h.err == nil:
				return c.finishModern(h)
			case initialized != nil:
				return c.finishLegacy(ctx, <-initialized)
			default:
				return c.afterDiscover(ctx, h)
			}
		case h := <-initialized:
			if h.err != nil {
				return c.finishModern(<-found)
			}
			select {
			case late := <-found:
				if late.err == nil {
					return c.finishModern(late)
				}
			case <-time.After(probeRest):
			}
			return c.finishLegacy(ctx, h)
		}
	}
}

// afterDiscover ends a probe whose modern request has failed before it was taken as unanswered.
func (c *Client) afterDiscover(ctx context.Context, h *handshakeResult) error {
	if ctx.Err() != nil || !h.refused() {
		if lost := (*UnreachableError)(nil); errors.Is(h.err, errEnded) && errors.As(h.err, &lost) {
			return &probeKilledError{lost}
		}
		return h.err
	}
	legacy := c.begin(ctx, Legacy)
	if legacy.err != nil && ctx.Err() == nil {
		return c.inBothEras(h.err, legacy.err)
	}
	return c.finishLegacy(ctx, legacy)
}

// A handshakeResult is the result of the first request in either era.
type handshakeResult struct {
	server Server
	err    error
}

// A notModernError means that a server answers server/discover but supports no modern revision of the client.
type notModernError struct{ supported []string }

// legacy reports whether the server supports a legacy revision.
func (e *notModernError) legacy() bool {
	return slices.ContainsFunc(e.supported, func(revision string) bool { return slices.Contains(knownLegacy, revision) })
}

func (e *notModernError) Error() string {
	if len(e.supported) == 0 {
		return "it names no revisions that it speaks, not even " + modernRevision
	}
	return "it speaks revisions " + strings.Join(e.supported, ", ") + ", not " + modernRevision
}

// refused reports whether a server of the other era could have sent this result. It could have sent anything but a
// rejection of all requests: old servers answer unknown methods with any status, with nothing, or with null.
func (h *handshakeResult) refused() bool {
	status, silent, dial, old := (*StatusError)(nil), (*NoAnswerError)(nil), (*net.OpError)(nil), (*notModernError)(nil)
	switch {
	case errors.As(h.err, &status):
		return !slices.Contains(refusesAll, status.Status)
	case errors.Is(h.err, errEnded), errors.As(h.err, &silent), errors.As(h.err, &dial) && dial.Op == "dial":
		return false
	default:
		return errors.As(h.err, &old) || errors.As(h.err, new(*UnreachableError))
	}
}

// refusesAll are the statuses of a server that rejects all requests of this client, for now or for good.
var refusesAll = []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable}

// inBothEras adds the error of server/discover to the error of the initialize that followed, unless it is the same.
func (c *Client) inBothEras(discover, initialize error) error {
	before, after, what := (*UnreachableError)(nil), (*UnreachableError)(nil), discover.Error()
	if errors.As(discover, &before) {
		what = before.What
	}
	if !errors.As(initialize, &after) || after.What == what {
		return initialize
	}
	both := *after
	both.What += "; before that, server/discover failed: " + strings.TrimPrefix(what, c.name+": ")
	return &both
}

// A hello is the answer to the first request of either era.
type hello struct {
	SupportedVersions []string        `json:"supportedVersions"` // of a modern server
	ProtocolVersion   string          `json:"protocolVersion"`   // of a legacy server
	Capabilities      json.RawMessage `json:"capabilities"`
	Instructions      string          `json:"instructions"`
	Server            Server          `json:"serverInfo"` // of a legacy server
	Meta              struct {
		Server Server `json:"io.modelcontextprotocol/serverInfo"` // of a modern server
	} `json:"_meta"`
}

// hello sends the first request of an era. A server that rejects it is unusable.
func (c *Client) hello(ctx context.Context, method string, params json.RawMessage, meta members) (answer hello, err error) {
	raw, err := c.requestWith(ctx, method, params, meta)
	if refused := asRefusal(err); refused != nil {
		return answer, c.conn.unreachable("it refuses "+method+": "+refused.Error(), refused)
	}
	if err == nil {
		err = c.decode(method, raw, &answer)
	}
	return answer, err
}

// result returns the result of the handshake with a server.
func (h hello) result(s Server, revision string, err error) *handshakeResult {
	s.Revision, s.Instructions, s.Capabilities = revision, h.Instructions, h.Capabilities
	return &handshakeResult{s, err}
}

// discover sends server/discover, the modern handshake.
func (c *Client) discover(ctx context.Context) *handshakeResult {
	c.conn.agree(Modern, modernRevision)
	h, err := c.hello(ctx, "server/discover", nil, c.modernMeta(false))
	if err == nil && !slices.Contains(h.SupportedVersions, modernRevision) {
		err = &notModernError{h.SupportedVersions}
	}
	return h.result(h.Meta.Server, modernRevision, err)
}

// initialize sends initialize, the legacy handshake.
func (c *Client) initialize(ctx context.Context) *handshakeResult {
	params := json.RawMessage(`{"protocolVersion":"` + cmp.Or(c.opts.Revision, legacyRevision) + `","capabilities":` + string(c.capabilities(false)) + `,"clientInfo":` + clientInfo + `}`)
	h, err := c.hello(ctx, "initialize", params, nil)
	if err == nil && !slices.Contains(knownLegacy, h.ProtocolVersion) {
		err = c.conn.unreachable(fmt.Sprintf("it speaks revision %q of the protocol, which is unknown here", h.ProtocolVersion), nil)
	}
	return h.result(h.Server, h.ProtocolVersion, err)
}

// finishModern completes a modern handshake.
func (c *Client) finishModern(h *handshakeResult) error {
	if h.err != nil {
		return h.err
	}
	c.era, c.server = Modern, h.server
	c.conn.agree(Modern, modernRevision)
	return nil
}

// finishLegacy completes a legacy handshake.
func (c *Client) finishLegacy(ctx context.Context, h *handshakeResult) error {
	if h.err != nil {
		return h.err
	}
	c.era, c.server = Legacy, h.server
	c.conn.agree(Legacy, h.server.Revision)
	if err := c.send(ctx, "notifications/initialized", encodeNote("notifications/initialized", nil)); err != nil {
		return err
	}
	if c.opts.Notify != nil || c.opts.Elicit != nil {
		c.attending.Do(c.conn.attend)
	}
	return c.askForLogs(ctx)
}

// askForLogs requests log messages from a legacy server, which may not send any otherwise. It ignores a rejection.
func (c *Client) askForLogs(ctx context.Context) error {
	if _, can := c.capability("logging"); !can || c.opts.Notify == nil {
		return nil
	}
	_, err := c.Request(ctx, "logging/setLevel", json.RawMessage(`{"level":"info"}`))
	if asRefusal(err) == nil {
		return err
	}
	return nil
}
