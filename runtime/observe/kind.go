package observe

// Kind is a kind of [Operation]. No operation has the zero value.
type Kind uint8

// The values of [Kind], each with the text that String returns. Messages that cannot be read count as
// requests, because they are answered with an error. A call that becomes a task ends when the client gets
// the task; the task is a run of the tool, from the request on, or after a restart. A client request is
// sent by a func, with [github.com/mcptool-go/mcptool/mcptool.Elicit] for example. Clients of revision
// 2026-07-28 and later have neither client requests nor sessions, which begin with initialize. A session
// ends once in each process that has begun or resumed it, however it ends: with DELETE, when it was idle
// for too long or was replaced, at the end of the connection, of the context of the server or of its input,
// and at a shutdown, which waits for End, at most for Limits.CloseGrace. Later versions may add kinds.
const (
	KindRequest       Kind = iota + 1 // request
	KindNotification                  // notification
	KindClientRequest                 // client_request
	KindTask                          // task
	KindSession                       // session
	// KindCall, "call", is a kind of [Counters.Counts] only: requests that call tools. They are also
	// counted as requests. No [Operation] has it.
	KindCall
)

var kindTexts = [...]string{"", "request", "notification", "client_request", "task", "session", "call"}

// String returns the text of the kind, for logs and labels of metrics; "" for values without a constant.
func (k Kind) String() string { return textOf(kindTexts[:], k) }

// MarshalText implements [encoding.TextMarshaler]. JSON has the text of String.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// TargetKind is the kind of the target of an [Operation].
type TargetKind uint8

// The values of [TargetKind], each with the text that String returns. Later versions may add kinds.
const (
	TargetKindNone     TargetKind = iota // "": the operation has no target
	TargetKindTool                       // tool
	TargetKindPrompt                     // prompt
	TargetKindResource                   // resource, or a template of resources
)

var targetTexts = [...]string{"", "tool", "prompt", "resource"}

// String returns the text of the kind, for logs and labels of metrics; "" for values without a constant.
func (k TargetKind) String() string { return textOf(targetTexts[:], k) }

// MarshalText implements [encoding.TextMarshaler]. JSON has the text of String.
func (k TargetKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Transport is how the client of an [Operation] is connected.
type Transport uint8

// The values of [Transport], each with the text that String returns. Later versions may add transports.
const (
	TransportOther Transport = iota // "": the server of another framework, or a task that runs again
	TransportStdio                  // stdio, or another stream of lines
	TransportHTTP1                  // http/1.1
	TransportHTTP2                  // http/2
	TransportHTTP3                  // http/3
)

var transportTexts = [...]string{"", "stdio", "http/1.1", "http/2", "http/3"}

// String returns the text of the transport, for logs and labels of metrics; "" for values without a constant.
func (t Transport) String() string { return textOf(transportTexts[:], t) }

// MarshalText implements [encoding.TextMarshaler]. JSON has the text of String.
func (t Transport) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// textOf returns the text of a constant; "" for other values.
func textOf[T ~uint8](texts []string, value T) string {
	if int(value) < len(texts) {
		return texts[value]
	}
	return ""
}
