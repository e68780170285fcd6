package runtime

import (
	"fmt"
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/bytesize"
)

// largeError is the error of a result that is larger than [Limits.MaxResultBytes]. Its text is for the model.
type largeError struct {
	size, limit int
	more        bool   // than size: encoding of the result was stopped
	advice      string // what the client can do; "" if nothing
}

func (e *largeError) Error() string {
	size, limit := bytesize.Text(int64(e.size)), bytesize.Text(int64(e.limit))
	if e.more || size == limit { // as text
		size = "more than " + size
	}
	text := fmt.Sprintf("the result has %s, but the limit is %s", size, limit)
	if e.advice != "" {
		text += "; " + e.advice
	}
	return text
}

// tooLarge logs that the result of a call is too large, and returns the error, with the limit.
func tooLarge(c *call, large largeError) error {
	large.limit, large.advice = c.from.limits.MaxResultBytes, c.target.adviceToNarrow()
	c.from.log.LogAttrs(c, slog.LevelWarn, "result too large", c.target.attr(), slog.String("request_id", string(c.id)),
		slog.Int("bytes", large.size), slog.Int("limit", large.limit))
	return &large
}
