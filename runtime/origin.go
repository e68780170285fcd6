package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/connection"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// origin is where messages come from: a connection (session), a transport that has a stream for each message
// (endpoint), or the record of a task that runs again. What differs between the three
// is a [peer].
type origin struct {
	*core
	parents   // of the contexts of its calls
	peer      peer
	isSession bool // it is a connection; see method.session

	number    uint64                    // of a connection, see rateKey; 0 for others
	hello     atomic.Pointer[handshake] // nil: no handshake
	logLevel  atomic.Int32              // minimum level for the client, of a legacy session
	logBudget admission.TokenBucket     // for log records to the client
	selected  atomic.Pointer[Selection] // of the client, sorted; nil: requests cannot select, or there was none
	unread    atomic.Int32              // number of goroutines with calls that wait for the client to read
}

// peer is the part of an origin that runs calls and exchanges messages with the client outside of their answers.
type peer interface {
	// run runs the call of the request, now or later, in the calling goroutine or another.
	run(r *request, c *call) *wireError
	// freeID makes the id of a call, which is about to be answered, available for the next request.
	freeID(c *call)

	// send sends a message that belongs to no request. It reports whether the client can never get it although the session
	// continues.
	send(msg []byte) (lost bool)
	// flush delivers messages that are held back.
	flush()
	// request sends a request of a legacy call to the client, and waits for the result. No limit of running calls counts
	// the call meanwhile. It ends when the call or ctx ends, and with [Limits.ClientRequestTimeout].
	request(ctx context.Context, c *call, r wire.ClientRequest) (json.RawMessage, error)
	// accept handles a response, or a notification about a connection. It reports false for other notifications.
	accept(m *envelope.Message) (isDone bool)

	// stepAside lets other calls run in place of c, which is about to wait, until stepBack.
	stepAside(c *call)
	stepBack(c *call)
	// interrupt ends the contexts of all calls, because the client cannot be reached.
	interrupt(cause error)
}

// sent handles the result of a method of an [engine.Writer]. It reports whether only this message is lost. After any other
// error the client cannot be reached any more.
func (o *origin) sent(err error) (lost bool) {
	switch {
	case err == nil:
	case errors.Is(err, engine.ErrUndelivered):
		return true
	default:
		o.log.LogAttrs(o.ctx, slog.LevelDebug, "message not delivered", slog.Any("error", err))
		o.peer.interrupt(fmt.Errorf("%w: %w", ErrDisconnected, err))
	}
	return false
}

// agreed returns the revision of the handshake; [wire.NoVersion] before it.
func (o *origin) agreed() wire.Version {
	if h := o.hello.Load(); h != nil {
		return h.version
	}
	return wire.NoVersion
}

// rateKey returns the key for a request with this access.
func (o *origin) rateKey(access *Access) rateKey {
	key := rateKey{Caller: access.caller()}
	if access == nil {
		key.session = o.number
	}
	return key
}

// enterSlot is like enter of [slots], for work on a message from o. The error answers the message.
func (o *origin) enterSlot(a *Access, size int) (leave func(), _ *wireError) {
	leave, err := o.slots.enter(o.ctx, a, size)
	if err != nil {
		return leave, internalError("the connection or the server has ended")
	}
	return leave, nil
}

// selects reports whether a tool, or the item that a runner runs, is selected for requests of this origin.
func (o *origin) selects(t *mcptool.Tool) bool { return o.selecting.selects(o.selected.Load(), t) }

// selectOnce records the selection of the first request, which counts for all.
func (o *origin) selectOnce(by *engine.Selection) {
	if o.selected.Load() != nil {
		return
	}
	made := (*Selection)(by).sorted()
	o.selected.CompareAndSwap(nil, made)
	o.selecting.logUnknown(made)
}

// callInfo describes a request of revision v with this _meta, which may be nil.
func (o *origin) callInfo(v wire.Version, a *Access, meta []byte) mcptool.CallInfo {
	owner := a.owner()
	info := mcptool.CallInfo{ProtocolVersion: v.String(), Tenant: owner.Tenant, Principal: owner.Principal, Claims: a.claims(), Meta: meta}
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
	if h := o.hello.Load(); h != nil {
		info.Client, info.Capabilities, info.SessionID = h.client, h.capabilities, h.sessionID
	}
	return info
}

// logMalformed logs that a message was malformed: as a warning at most once a minute, because anybody can send any number
// of such messages, and otherwise at level debug.
func (o *origin) logMalformed(reason string) {
	level, suppressed := o.flaws.Level()
	level = min(level, slog.LevelWarn)
	o.log.LogAttrs(o.ctx, level, "message refused", slog.String("reason", reason), slog.Int("suppressed", suppressed))
}

// client returns the client's description of itself, for a request with this _meta.
func (o *origin) client(v wire.Version, meta []byte) mcptool.ClientInfo {
	return o.callInfo(v, nil, meta).Client
}

// nobody is the [peer] of a task that runs again, without a client, and a part of others. It sends nothing, and has neither
// ids nor a limit of running calls.
type nobody struct{}

func (nobody) run(*request, *call) *wireError { return nil }
func (nobody) freeID(*call)                   {}
func (nobody) send([]byte) (lost bool)        { return true }
func (nobody) flush()                         {}
func (nobody) request(context.Context, *call, wire.ClientRequest) (json.RawMessage, error) {
	return nil, connection.ErrUnreachable
}
func (nobody) accept(*envelope.Message) (isDone bool) { return true }
func (nobody) stepAside(*call)                        {}
func (nobody) stepBack(*call)                         {}
func (nobody) interrupt(error)                        {}
