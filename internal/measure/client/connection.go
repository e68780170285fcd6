package client

import "context"

// maxMessage is the maximum size of a message from a server, in bytes. Only tests change it.
var maxMessage = 64 << 20

// A request is a request to be sent.
type request struct {
	id     int64
	method string
	name   string  // tool, prompt, URI or task id; "" if none
	body   []byte  // the whole message, without a line break
	mirror []field // headers that repeat arguments, over HTTP
}

// anyID is the id of a request over HTTP whose response may have any id: its body has an id that may not be an integer.
const anyID = -2

// isFirst reports whether it is the first request of a connection.
func (r *request) isFirst() bool { return r.method == "initialize" || r.method == "server/discover" }

// A field is an HTTP header field.
type field struct{ name, value string }

// A connection carries messages to a server and back. It is safe for concurrent use.
type connection interface {
	// agree sets the era and the revision for further messages; the revision is "" until it is known.
	agree(era Era, revision string)
	// attend starts listening for messages outside requests, if the transport requires it.
	attend()
	// exchange sends a request and returns the JSON-RPC response with its id, which may be an error response. The error
	// is an *UnreachableError, or the cause of ctx's end.
	exchange(ctx context.Context, r *request) ([]byte, error)
	// send sends a message without a response: a notification or a response.
	send(ctx context.Context, method string, body []byte) error
	// pid returns the process id of the server; 0 if the client did not start it.
	pid() int
	// unreachable returns an error with the given reason and the known state of the server.
	unreachable(what string, err error) *UnreachableError
	// close closes the connection, stops the process if the client started it, and fails every exchange. No goroutine
	// of the connection remains.
	close() error
}
