package observe

import (
	"context"
	"encoding/json"
	"net/netip"
	"time"
)

// Observer is notified when a server begins and ends an [Operation], for metrics, traces and logs; set it
// as [github.com/mcptool-go/mcptool/runtime.Server.Observer]. Its methods are called concurrently, and
// operations wait for them: a slow Observer delays the operation that it is notified of and its session, but no other
// client. Panics are logged.
type Observer interface {
	// Begin is called when op begins. It must not modify op. ctx has the values of the HTTP request or
	// connection, or of the call that sends a client request. Begin returns ctx or a context derived
	// from it, whose values the funcs that run during the operation get.
	Begin(ctx context.Context, op *Operation) context.Context
	// End is called once, when op has ended, with the same pointer as Begin, also if Begin has panicked. Do
	// not use op after End. ctx has the values of the context that Begin has returned, and in it
	// [github.com/mcptool-go/mcptool/mcptool.Caller] describes the message and its sender, with the claims.
	End(ctx context.Context, op *Operation, result Result)
}

// Operation is something that a server does for a client. Clients cannot make up the values of Method,
// Target, ProtocolVersion and Transport, so these can be labels of metrics. Later versions may add
// fields.
type Operation struct {
	Kind Kind
	// Method is the method of the message, or of the request for the task; "" for a session, and for
	// methods that the server does not have.
	Method string
	// Target is the name of the tool or prompt, or the URI or template of the resource, as it was
	// registered; of a client request, the sender. It is "", and TargetKind is TargetKindNone, if there is
	// none, or it does not exist.
	Target          string
	TargetKind      TargetKind
	Via             string // name of the tool that the client called instead of Target, and that redirects its calls; otherwise ""
	Requested       string // name of a tool or prompt that does not exist, as the client sent it, cut to 64 bytes; otherwise ""
	ProtocolVersion string // revision; "" if unknown, as for initialize
	RequestID       string // the id of a request as JSON text, such as 1 or "a"; "" otherwise
	SessionID       string // SessionID of mcptool.CallInfo; "" if it belongs to no session
	Transport       Transport
	Tenant          string          // that the sender acts for; "" if there is none
	Principal       string          // of the authenticated sender; "" if unauthenticated or a trusted peer
	Address         netip.Addr      // of the transport's peer; the zero value if unknown, as over stdio, or if the caller has a Principal and its Access no Address
	Meta            json.RawMessage // _meta of the message; nil if absent
	Bytes           int             // size of the arguments, or of a resource's URI, or of other params
	Begun           time.Time       // when the operation began
}

// Result is how an [Operation] has ended. Later versions may add fields.
type Result struct {
	Duration     time.Duration
	Outcome      Outcome
	Failed       bool   // Outcome is not OutcomeOK, OutcomeAsked or OutcomeTask
	ErrorCode    int    // code of the JSON-RPC error; 0 if there is none
	ErrorMessage string // its message, as it was sent
	Unselected   bool   // the item exists, but is not selected: see Selection of package runtime; the client was told that it does not exist
	Bytes        int    // size of the response, or of the result of a task; 0: none
	// Arguments are the arguments of a call, or the URI that it reads, as JSON, redacted by Server.Redact
	// and cut to 4 KiB; "" unless the tool or resource has
	// [github.com/mcptool-go/mcptool/mcptool.AuditArguments].
	Arguments string
	Unknown   []string // names of the first 10 arguments that were ignored, with Server.IgnoreUnknownArguments
	Injected  []string // names of arguments that the client adds to those of the model; they were removed
	Coerced   []string // locations of arguments that were converted, such as "items[].qty": see mcptool.Coerce
}
