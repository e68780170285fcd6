package client

import "context"

// maxMessage is how large a message of a server may be, in bytes.
const maxMessage = 64 << 20

// A request is one that is about to be sent.
type request struct {
	id     int64
	method string
	name   string // of the tool or the task it is about; "" if none
	body   []byte // the whole message, without an end of line
}

// A link carries messages to a server and back. It is safe for concurrent use.
type link interface {
	// exchange sends a request and returns the answer, a JSON-RPC response with its id,
	// whatever it says. The error is an *UnreachableError, or the cause of ctx's end.
	exchange(ctx context.Context, r *request) ([]byte, error)
	// send sends what has no answer: a notification, or a response of ours.
	send(ctx context.Context, method string, body []byte) error
	// pid returns the id of the process at the other end, 0 if it is not ours.
	pid() int
	// dead is closed when nothing can come from the server any more.
	dead() <-chan struct{}
	// trouble makes an error of what, with what is known of the other end.
	trouble(what string, err error) *UnreachableError
	// close ends the connection and what we started. No goroutine of the link is left.
	close() error
}

// An inbox takes what a server sends that answers no request: requests and notifications,
// one after the other.
type inbox func(body []byte)
