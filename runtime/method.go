package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/internal/capability"
	"github.com/mcptool-go/mcptool/internal/processor"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// Method is a request of the author's own that a server answers beside those of the
// engine: prompts, resources, completion, or something only the author's clients know.
type Method struct {
	// Name is the method as clients write it: "prompts/list". It is none that the engine
	// serves, tools/list say, in any revision.
	Name string
	// Since and Until are the first and the last protocol revision that have the method, as
	// "2025-06-18"; "" is the oldest, and the newest, that the engine serves. For clients of
	// other revisions there is no such method.
	Since, Until string
	// Capability is what the server tells clients it can do because it serves the method:
	// "prompts", "resources.subscribe"; named as for [mcptool.Supports]. "" is nothing. Several
	// methods may have the same.
	Capability string
	// Cache is what clients from revision 2026-07-28 on are told about keeping the result. By
	// default nothing; but results of prompts/list, resources/list,
	// resources/templates/list and resources/read have to say something there, which by default
	// is: not at all. A result that has the members ttlMs or cacheScope speaks for itself.
	Cache *CacheHint
	// Handle answers a request. What holds for a tool holds for it: it runs beside others
	// and counts among [Limits.MaxConcurrentCalls], ctx ends when the client cancels or goes,
	// [mcptool.Caller], [mcptool.Progress], [mcptool.Logger] and [mcptool.Require] work, a
	// panic is contained. It has no scopes: whoever the transport lets in may send it, and what only
	// some may do or see is for Handle to refuse. [mcptool.Elicit] and its kin work, too, with clients from revision
	// 2026-07-28 on in prompts/get and resources/read alone.
	//
	// The params are an object, {} if the client sent none, with their _meta; they are
	// valid until Handle returns, and nothing but their form was checked. See [Typed] for
	// handlers that take them decoded.
	//
	// The result is any value whose JSON, by [reflectschema.AppendValue], is an object; nil is an empty one. What every result of a revision has, resultType,
	// the caching hints, and the server's name in _meta, is added by the engine; to clients of
	// older revisions resultType and the hints are not sent. A resultType other than
	// "complete" is sent as it is, to clients whose revision has it.
	//
	// An error that is, or wraps, an [*Error] is sent; of any other the client gets a
	// reference, and the log has the error under it.
	Handle func(ctx context.Context, params json.RawMessage) (any, error)
}

// Methods is a set of methods without faults, made by [NewMethods]. The zero value is
// empty. It may be shared by servers.
type Methods struct {
	table        map[string]*method
	capabilities []promise // in the order of the methods
}

// promise is a capability that clients of some revisions are told of.
type promise struct {
	capability string
	span       wire.Span
}

// NewMethods returns the set of the methods. The error lists all mistakes: a name that is
// missing, used twice or the engine's own, an unknown revision, no Handle.
func NewMethods(methods ...Method) (Methods, error) {
	set := Methods{table: map[string]*method{}}
	var mistakes []error
	for _, m := range methods {
		revisions, err := m.check()
		if _, taken := set.table[m.Name]; taken && err == nil {
			err = errors.New("is there twice")
		}
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("method %q: %w", m.Name, err))
			continue
		}
		row := method{name: m.Name}
		if known := authoredTable[m.Name]; known != nil {
			row = *known
		}
		if m.Cache == nil && row.cacheable {
			m.Cache = &CacheHint{}
		}
		row.span, row.own = revisions, &toolState{row: &row, method: &m, pace: newPace()}
		set.table[m.Name] = &row
		if m.Capability != "" {
			set.capabilities = append(set.capabilities, promise{m.Capability, revisions})
		}
	}
	if err := errors.Join(mistakes...); err != nil {
		return Methods{}, err
	}
	return set, nil
}

// MustMethods is [NewMethods] for programs that write their methods down: it panics where
// NewMethods returns an error.
func MustMethods(methods ...Method) Methods {
	set, err := NewMethods(methods...)
	if err != nil {
		panic(err) //nolint:forbidigo // that is what Must says
	}
	return set
}

// check says what is wrong with m, and which revisions have it.
func (m *Method) check() (revisions wire.Span, err error) {
	_, served := methodTable[m.Name]
	revisions = wire.AllVersions
	if m.Since != "" {
		revisions.First = wire.ParseVersion(m.Since)
	}
	if m.Until != "" {
		revisions.Last = wire.ParseVersion(m.Until)
	}
	switch {
	case m.Name == "":
		err = errors.New("has no name")
	case served:
		err = errors.New("is served by the engine")
	case strings.HasPrefix(m.Name, "notifications/"):
		err = errors.New("is the name of a notification, which nobody answers")
	case strings.HasPrefix(m.Name, "tasks/"):
		err = errors.New("has a prefix that the protocol keeps for tasks")
	case strings.HasPrefix(m.Name, "rpc."):
		err = errors.New("has a prefix that JSON-RPC keeps for itself")
	case revisions.First == wire.NoVersion:
		err = fmt.Errorf("has Since %q, which is no revision that is served", m.Since)
	case revisions.Last == wire.NoVersion:
		err = fmt.Errorf("has Until %q, which is no revision that is served", m.Until)
	case revisions.First > revisions.Last:
		err = fmt.Errorf("has Since %s, which comes after Until %s", m.Since, m.Until)
	case m.Handle == nil:
		err = errors.New("has no Handle")
	}
	return revisions, err
}

// appendCapabilities appends what this server can do for a in revision v.
func (c *core) appendCapabilities(dst []byte, v wire.Version, a *Access) []byte {
	all := append([]string{"tools.listChanged"}, c.taskCapabilities(v, a)...)
	if c.logsTo(v) {
		all = append(all, "logging")
	}
	for _, p := range c.methods.capabilities {
		if p.span.Includes(v) {
			all = append(all, p.capability)
		}
	}
	return capability.Append(dst, all...)
}

// The codes of an [Error] that the protocol defines.
const (
	// CodeInvalidParams says that the params do not fit the method.
	CodeInvalidParams = int(wire.CodeInvalidParams)
	// CodeResourceNotFound says that there is no resource of this URI. From revision 2026-07-28
	// on it is sent as [CodeInvalidParams], which took its place.
	CodeResourceNotFound = int(wire.CodeResourceNotFound)
)

// Error is a JSON-RPC error that a [Method] answers with instead of a result. Return a
// pointer to it; if it is wrapped, what wraps it is not sent.
type Error struct {
	// Code is one of those above, or one of the author's own outside of -32768 to -32000,
	// which JSON-RPC and the protocol keep for themselves. An error with any other code is
	// not sent: it is a mistake of the method, and logged.
	Code int
	// Message says what is wrong, in a sentence. It is sent on one line, cut at
	// [Limits.MaxTextBytes].
	Message string
	// Data tells programs more: any value that [reflectschema.AppendValue] encodes. Nil is nothing.
	Data any
}

// Error returns the message and the code.
func (e *Error) Error() string { return fmt.Sprintf("%s (code %d)", e.Message, e.Code) }

// Typed makes a [Method.Handle] of a func that takes the params decoded and returns a Go
// value. They are decoded by [reflectschema.UnmarshalLenient]: names are exact; members that In does not have
// are ignored, and those that the client left out, or sent as null, have their default, or are zero. Params that do not fit are
// answered with [CodeInvalidParams], and fn does not run. The result is encoded as Out, by
// [reflectschema.AppendValue].
//
// An In or Out that has no JSON fails every request before fn runs: the client gets a reference, and
// the log says why.
func Typed[In, Out any](fn func(context.Context, In) (Out, error)) func(context.Context, json.RawMessage) (any, error) {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		if _, err := reflectschema.CompileFor[Out](reflectschema.Options{Direction: reflectschema.Output}); err != nil {
			return nil, fmt.Errorf("the method's result: %w", err)
		}
		turn, err := processor.CallerIn(ctx).Begin(len(params))
		if err != nil {
			return nil, err
		}
		in, err := reflectschema.UnmarshalLenient[In](params)
		turn.End()
		if invalid, ok := errors.AsType[*reflectschema.InvalidError](err); ok {
			return nil, &Error{Code: CodeInvalidParams, Message: misfit(invalid)}
		}
		if err != nil {
			return nil, fmt.Errorf("the method's params: %w", err)
		}
		out, err := fn(ctx, in)
		if err != nil {
			return nil, err // without out, which need not be fit to be sent
		}
		var zero Out
		if any(zero) == nil {
			return &out, nil // an interface: a union is written by its type, which is lost in an any
		}
		return out, nil
	}
}

// misfit says which member of params does not fit, and nothing of Go.
func misfit(invalid *reflectschema.InvalidError) string {
	path := "params"
	if at := invalid.Violations[0].Path; at != "" && at[0] == '[' {
		path += at
	} else if at != "" {
		path += "." + at
	}
	return strings.ToValidUTF8(path, "\ufffd") + " does not fit the method"
}
