package streamhttp

import (
	"fmt"
	"net/http"
)

// canFlush reports whether parts of a response can be sent before its end, as event streams require. It looks for the
// same methods as [http.ResponseController.Flush].
func canFlush(w http.ResponseWriter) bool {
	for {
		switch t := w.(type) {
		case interface{ FlushError() error }, http.Flusher:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return false
		}
	}
}

// warnUnflushable logs, for the first such request, why w prevents event streams, and how to fix that.
func (h *handler) warnUnflushable(w http.ResponseWriter) {
	h.unflushable.Do(func() {
		h.log.Warn("no event streams: middleware in front of the handler passes a ResponseWriter that cannot flush. "+
			"Calls are answered in JSON without progress, GET gets status 405, and subscriptions end at once. "+
			"Add a method Unwrap that returns the wrapped ResponseWriter; replace http.TimeoutHandler by mcptool.Timeout",
			"response_writer", fmt.Sprintf("%T", w))
	})
}
