package mcptool

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/ask"
	"github.com/mcptool-go/mcptool/internal/callctx"
)

// host provides the services of a server to a running call, in [callctx.Call]. Package runtime and the client of
// mcptooltest implement it; tools use it through [Caller], [Progress] and [Logger]. Its methods may be called
// concurrently, from any goroutine, and also after the call has ended.
type host interface {
	// CallInfo describes the call.
	CallInfo() CallInfo
	// Progress sends a progress notification if the client has asked for them. The numbers are finite and total is not
	// negative; a total of 0 means unknown.
	Progress(done, total float64, message string)
	// LogHandler returns the handler for the log of the call; nil discards the log.
	LogHandler() slog.Handler
}

// asker is a host that can send requests to the client, which also keeps the values of [Once] between runs. Its methods
// may be called from any goroutine while the call runs.
//
// A host may block until the client has answered. Or it may end the call, send the requests as its result, and run the
// tool again from the top when the answers have arrived: Ask then returns [ErrAnswerPending] in the first run, and the
// answers without waiting in the next. The host discards errors of a run with requests that lack an answer, including
// results with IsError. If the run has returned another result, the tool has ignored ErrAnswerPending, and the host
// reports an [*AskError].
type asker interface {
	host
	callctx.Keeper
	// Ask sends all the requests and returns the results of the client in the same order: an ElicitResult,
	// CreateMessageResult or ListRootsResult, as JSON. It is called only if the client has declared the capabilities
	// that the requests need. The error is one of this package's errors, the error of ctx, or the host's own, for
	// example because too many requests are open.
	Ask(ctx context.Context, requests []ask.Request) ([]json.RawMessage, error)
}

// hostOf returns the host of the call, nil if there is none.
func hostOf(ctx context.Context) host {
	h, _ := callctx.Of(ctx).Host.(host)
	return h
}

// infoOf returns the host's description of the call; zero without a host.
func infoOf(ctx context.Context) CallInfo {
	if h := hostOf(ctx); h != nil {
		return h.CallInfo()
	}
	return CallInfo{}
}
