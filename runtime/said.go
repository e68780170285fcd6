package runtime

import (
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/jsonwrite"
)

// What tools say in words passes here on its way to the client.

// appendSaid appends a member that is text of a tool, for models and people to read.
func appendSaid(dst []byte, name, text string) []byte {
	return jsonwrite.Text(jsonwrite.Name(dst, name), text)
}

// appendSaidOptional appends a member that is text of a tool, unless it is empty.
func appendSaidOptional(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	return appendSaid(dst, name, text)
}

// withheld is in the place of a text that [Server.Redact] panicked at: it is not known to be fit.
const withheld = "(withheld)"

// redacted returns the text as the server's author wants it sent.
func (c *core) redacted(text string) (fit string) {
	if c.redact == nil || text == "" {
		return text
	}
	defer func() {
		if v := recover(); v != nil {
			c.log.Error("Server.Redact panicked", slog.Any("panic", v))
			fit = withheld
		}
	}()
	return c.redact(text)
}

// loggedText returns a text of a log record as JSON.
func (c *core) loggedText(text string) []byte { return jsonwrite.Text(nil, c.redacted(text)) }
