package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// method is one row of the table of methods: the properties of all requests of the method.
type method struct {
	name    string
	span    wire.Span // the revisions that have it
	subject subject   // what its params identify
	// retries means that the answer may contain requests to the client (see [mcptool.Elicit]); the client then repeats
	// the request with the answers.
	retries bool
	// offered reports whether this server serves the method to revision v; nil means always.
	offered func(v wire.Version) bool
	// listens means that the method requires a transport that can send messages that belong to no request.
	listens bool

	// session means that requests of legacy revisions must belong to a session.
	session bool
	// mayWait reports whether a request may wait before it is answered: for the task store, or a func of
	// [mcptool.MayRead]. Nil means that it does not.
	mayWait func() bool
	// waits means that the request is answered when the task has ended.
	waits bool

	// find finds the subject of a request, and refuses the request if its sender may not use it. A request whose subject
	// has this row becomes a call. Nil means that the method has no subject.
	find func(r *request) *wireError

	// How a request that is not a call is answered. Use start if the response comes later, and with replyLong (dispatch.go)
	// if it may be long (schemas, lists of tools); otherwise answer.
	answer func(r *request, dst []byte) ([]byte, *wireError) // appends the result object
	start  func(r *request) *wireError                       // sends the response itself, now or later
	calls  bool                                              // it runs the tool in the params
	own    *toolState                                        // runs a custom method

	extension string // of a custom method: id of the extension that the client must have declared; "" for none
}

// Methods that other code refers to, for example to choose the revision.
const (
	methodInitialize    = "initialize"
	methodPing          = "ping"
	methodToolsCall     = "tools/call"
	methodResourcesRead = "resources/read"
)

// Method is a custom method: a request that a server answers in addition to the built-in ones, for a protocol extension
// or for the program's own clients.
type Method struct {
	// Name is the name of the method, such as "com.example/orders". It must not be a built-in method of any revision, such
	// as tools/list, and must not begin with "notifications/", "prompts/", "tasks/" or "rpc.".
	Name string
	// Since and Until are the first and the last protocol revision that have the method, such as "2025-06-18"; "" means
	// the oldest or the newest supported revision. Clients of other revisions get the error for an unknown method.
	Since, Until string
	// Capability is the capability that the server declares for the method, such as "extensions.com.example/orders", in
	// the form of [mcptool.CallInfo.Supports]. "" means none. Several methods may have the same capability.
	Capability string
	// Cache is the caching hint that clients of revision 2026-07-28 and later get with the result. Nil means no hint. A
	// result that has the member ttlMs or cacheScope overrides it.
	Cache *CacheHint
	// Handle answers a request; it is required. It runs like the func of a tool: concurrently, within
	// [Limits.MaxConcurrentCalls]; ctx ends when the client cancels the request or disconnects; [mcptool.Caller],
	// [mcptool.Progress], [mcptool.Logger] and [mcptool.Require] work; and a panic is an error of this request only.
	// [mcptool.Elicit] and the other funcs that send requests to the client also work, but not with clients of revision
	// 2026-07-28 and later. A method has no scopes: every caller that the transport accepts may send it, so Handle must
	// check permissions itself.
	//
	// The params are a JSON object with _meta, or {} if the client has sent none. They are a copy, which Handle may keep.
	// Their members are not checked; see [Typed] for a Handle that gets them decoded.
	//
	// The result is a value whose JSON, as [reflectschema.AppendValue] writes it, is an object; nil means an empty
	// object. The server adds the members that the revision requires in every result: resultType, the caching hint, and
	// the server's name in _meta. The result may set resultType itself: a value other than "complete" is sent
	// unchanged, but "task", or such a value for a client of a revision before 2026-07-28, is a mistake of the method.
	//
	// If the error is or wraps an [*Error], that is sent. The errors of [mcptool.Errorf], [mcptool.Require] and of
	// requests to the client are also sent. For any other error, and for a mistake of the method, the client gets an
	// error with a reference, and the error is logged with that reference.
	Handle func(ctx context.Context, params json.RawMessage) (any, error)
}

// customMethods are the valid methods of a server or extension. The zero value is empty.
type customMethods struct {
	table        map[string]*method
	capabilities []promise // in the order of the methods
}

// promise is a capability that is declared to clients of some revisions.
type promise struct {
	capability string
	span       wire.Span
}

// Typed returns a Handle for a [Method] from a func that gets decoded params and returns a Go value. The params are
// decoded like the arguments of a tool, except for these differences: values are not checked against tags; members that In does not have are ignored; and
// members that are missing or null have their default, or are zero. If the params do not match In, the client gets
// [CodeInvalidParams], and fn does not run. The result is encoded as an Out, by [reflectschema.AppendValue].
//
// If In or Out has no JSON form, every request fails before fn runs: the client gets an error with a reference, and the
// reason is logged.
func Typed[In, Out any](fn func(context.Context, In) (Out, error)) func(context.Context, json.RawMessage) (any, error) {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		if err := schemas.CompileOutput(new(Out)); err != nil {
			return nil, fmt.Errorf("the method's result: %w", err)
		}
		in, err := unmarshalParams[In](ctx, params)
		if invalid, ok := errors.AsType[*reflectschema.InvalidError](err); ok {
			return nil, &Error{Code: CodeInvalidParams, Message: misfit(invalid)}
		}
		if err != nil {
			return nil, fmt.Errorf("the method's params: %w", err)
		}
		out, err := fn(ctx, in)
		if err != nil {
			return nil, err // without out, which may be invalid
		}
		var zero Out
		if any(zero) == nil {
			return &out, nil // a union is encoded by its interface type, which an any would lose
		}
		return out, nil
	}
}

// unmarshalParams decodes params, in a slot for long work if they are long.
func unmarshalParams[In any](ctx context.Context, params json.RawMessage) (in In, err error) {
	leave, err := callctx.Enter(ctx, len(params), 1)
	defer leave()
	if err != nil {
		return in, err
	}
	err = schemas.UnmarshalLenient(params, &in)
	return in, err
}

// misfit returns an error text that names the member of params that does not match, and no Go types.
func misfit(invalid *reflectschema.InvalidError) string {
	path := "params"
	if at := invalid.Violations[0].Path; at != "" && at[0] == '[' {
		path += at
	} else if at != "" {
		path += "." + at
	}
	return strings.ToValidUTF8(path, "\ufffd") + " does not fit the method"
}
