package runtime

import (
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// withheld replaces a text at which [Server.Redact] has panicked, since it may contain secrets.
const withheld = "(withheld)"

// redacted returns the text as [Server.Redact] changes it.
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

// loggedText returns a redacted text of a log record as JSON.
func (c *core) loggedText(text string) []byte { return jsonwrite.Text(nil, c.redacted(text)) }

// appendBlock appends the nth content block of a list, redacted and in a form that revision v has.
func (c *core) appendBlock(dst []byte, block mcptool.Content, v wire.Version, n int) []byte {
	return wire.AppendBlock(dst, block, v, c.redactor(), n)
}

// redactor returns what redacts texts, nil if nothing does.
func (c *core) redactor() func(string) string {
	if c.redact == nil {
		return nil
	}
	return c.redacted
}
