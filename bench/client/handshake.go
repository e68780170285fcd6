package client

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// The revisions: of the modern era, and what we ask a server of the legacy era for.
const (
	modernRevision = "2026-07-28"
	legacyRevision = "2025-11-25"
)

// knownLegacy are the revisions of the legacy era that a server may choose.
var knownLegacy = []string{legacyRevision, "2025-06-18", "2025-03-26", "2024-11-05"}

// probeTime is how long a server may take to answer the question whether it is modern,
// before it is taken for one that keeps silent at what it does not know.
const probeTime = 10 * time.Second

// A probeKilledError is a command that ended when it was asked whether it is modern.
type probeKilledError struct{ *UnreachableError }

func (e *probeKilledError) Unwrap() error { return e.UnreachableError }

// handshake finds the era and gets to know the server.
func (c *Client) handshake(ctx context.Context) error {
	if c.era == Legacy {
		return c.initialize(ctx)
	}
	auto := c.era == Auto
	c.era = Modern
	err := c.discover(ctx, auto)
	if err == nil || !auto || ctx.Err() != nil {
		return err
	}
	if !isLegacy(err) {
		select {
		case <-c.link.dead():
			if lost := (*UnreachableError)(nil); c.link.pid() != 0 && errors.As(err, &lost) {
				return &probeKilledError{lost}
			}
		default:
		}
		return err
	}
	c.era, c.meta = Legacy, nil
	return c.initialize(ctx)
}

// errNotModern says that a server answered as one of the modern era, but has only legacy
// revisions to offer.
var errNotModern = errors.New("the server does not speak revision " + modernRevision + "; try --era legacy")

// isLegacy reports whether err, of server/discover, can be that of a server of the legacy
// era: any refusal can, and silence.
func isLegacy(err error) bool {
	refused, silent := (*RPCError)(nil), (*silentError)(nil)
	return errors.As(err, &refused) || errors.As(err, &silent) || errors.Is(err, errNotModern)
}

// discover shakes hands in the modern era. A probe does not wait for long.
func (c *Client) discover(ctx context.Context, probe bool) error {
	c.meta = c.modernMeta()
	if probe && c.patience.timeout > probeTime {
		usual := c.patience.timeout
		c.patience.timeout = probeTime
		defer func() { c.patience.timeout = usual }()
	}
	raw, err := c.request(ctx, "server/discover", "", nil)
	if err != nil {
		return err
	}
	var found struct {
		SupportedVersions []string
		Capabilities      json.RawMessage
		Instructions      string
		Meta              struct {
			Server Server `json:"io.modelcontextprotocol/serverInfo"`
		} `json:"_meta"`
	}
	if err := json.Unmarshal(raw, &found); err != nil {
		return c.link.trouble("its answer to server/discover is not one: "+err.Error(), err)
	}
	if !slices.Contains(found.SupportedVersions, modernRevision) {
		return errNotModern
	}
	c.server = found.Meta.Server
	c.server.Revision, c.server.Instructions, c.server.Capabilities = modernRevision, found.Instructions, found.Capabilities
	return nil
}

// modernMeta returns what every request of the modern era has in its _meta, without braces.
func (c *Client) modernMeta() json.RawMessage {
	return json.RawMessage(`"` + metaPrefix + `protocolVersion":"` + modernRevision + `",` +
		`"` + metaPrefix + `clientCapabilities":` + c.capabilities() + `,` +
		`"` + metaPrefix + `clientInfo":` + clientInfo)
}

// capabilities returns what we can do for a server.
func (c *Client) capabilities() string {
	if c.opts.Elicit == nil {
		return `{}`
	}
	return `{"elicitation":{"form":{},"url":{}}}`
}

// initialize shakes hands in the legacy era.
func (c *Client) initialize(ctx context.Context) error {
	params := json.RawMessage(`{"protocolVersion":"` + legacyRevision + `","capabilities":` + c.capabilities() + `,"clientInfo":` + clientInfo + `}`)
	raw, err := c.request(ctx, "initialize", "", params)
	if err != nil {
		return err
	}
	var hello struct {
		ProtocolVersion string
		Capabilities    json.RawMessage
		ServerInfo      Server
		Instructions    string
	}
	if err := json.Unmarshal(raw, &hello); err != nil {
		return c.link.trouble("its answer to initialize is not one: "+err.Error(), err)
	}
	if !slices.Contains(knownLegacy, hello.ProtocolVersion) {
		return c.link.trouble("it speaks revision "+hello.ProtocolVersion+" of the protocol, which is unknown here", nil)
	}
	c.server = hello.ServerInfo
	c.server.Revision, c.server.Instructions, c.server.Capabilities = hello.ProtocolVersion, hello.Instructions, hello.Capabilities
	if err := c.link.send(ctx, "notifications/initialized", c.encodeNote("notifications/initialized", nil)); err != nil {
		return err
	}
	return c.askForLogs(ctx, hello.Capabilities)
}

// askForLogs asks a server of the legacy era for its log messages, which it may otherwise
// keep to itself. One that refuses does no harm.
func (c *Client) askForLogs(ctx context.Context, capabilities json.RawMessage) error {
	var can struct{ Logging json.RawMessage }
	if err := json.Unmarshal(capabilities, &can); c.opts.Notify == nil || err != nil || can.Logging == nil {
		return nil //nolint:nilerr // capabilities that cannot be read promise nothing
	}
	_, err := c.request(ctx, "logging/setLevel", "", json.RawMessage(`{"level":"info"}`))
	if refused := (*RPCError)(nil); errors.As(err, &refused) {
		return nil
	}
	return err
}
