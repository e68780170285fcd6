package client

import (
	"context"

	"github.com/mcptool-go/mcptool/internal/envelope"
)

// maxMessage is how large a message of a server may be, in bytes. Only tests change it.
var maxMessage = 64 << 20

// A request is one that is about to be sent.
type request struct {
	id     int64
	method string
	name   string  // of the tool or the task it is about; "" if none
	body   []byte  // the whole message, without an end of line
	mirror []field // what HTTP has of the arguments in headers
	head   []byte  // what HTTP has before the length of body, if all of that is known before; else nil
}

// A field is a header of HTTP.
type field struct{ name, value string }

// A connection carries messages to a server and back. It is safe for concurrent use.
type connection interface {
	// agree says what is spoken from now on; the revision is "" while it is not known.
	agree(era Era, revision string)
	// attend listens to what the server sends outside of any request, where that needs
	// something to be done.
	attend()
	// exchange sends a request and returns the answer, a JSON-RPC response with its id,
	// whatever it says. The error is an *UnreachableError, or the cause of ctx's end.
	exchange(ctx context.Context, r *request) ([]byte, error)
	// send sends what has no answer: a notification, or a response of ours.
	send(ctx context.Context, method string, body []byte) error
	// pid returns the id of the process at the other end, 0 if it is not ours.
	pid() int
	// unreachable makes an error of what, with what is known of the other end.
	unreachable(what string, err error) *UnreachableError
	// close ends the connection, what we started, and with an error every exchange. No
	// goroutine of the connection is left.
	close() error
}

// An inbox takes what a server sends that answers no request that waits: requests and notifications, and what
// is not expected. It does not keep its caller waiting.
type inbox func(kind envelope.Kind, body []byte)
