package streamhttp

import (
	"context"
	"net/http"

	"github.com/mcptool-go/mcptool/internal/engine"
)

// request is one HTTP request in the stages of [Handler.serve].
type request struct {
	w http.ResponseWriter
	r *http.Request

	entered bool            // false: Shutdown has begun
	caller  caller          // set by authenticate
	accept  acceptable      // set by negotiate
	message *engine.Message // set by readMessage
}

// id returns the id of the message; nil if there is no message, its id is unknown, or it is a response.
func (q *request) id() []byte {
	if q.message == nil || q.message.Kind == engine.Response {
		return nil
	}
	return q.message.ID()
}

// untilExpiry returns a context for event streams that ends with the request or when its access token expires: the
// client could not open the stream any more with the expired token.
func (q *request) untilExpiry() (context.Context, context.CancelFunc) {
	if q.caller.expiry.IsZero() {
		return q.r.Context(), func() {}
	}
	return context.WithDeadline(q.r.Context(), q.caller.expiry)
}

// route is the kind of a request, by its HTTP method.
type route uint8

const (
	postMessage    route = iota // POST: a message
	getStream                   // GET: an event stream of a session
	deleteSession               // DELETE: the end of a session
	getSSE                      // GET of [NewSSEHandler]: a session, on one event stream
	postSSEMessage              // POST of [NewSSEHandler]: a message of such a session
)
