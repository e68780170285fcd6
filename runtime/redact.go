package runtime

import (
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// withheld replaces a text for which [Server.Redact] has panicked, since it may contain secrets.
const withheld = "(withheld)"

// newRedactor returns a redactor that recovers panics of redact; nil if redact is nil.
func newRedactor(redact func(string) string, logger *slog.Logger) wire.Redactor {
	if redact == nil {
		return nil
	}
	return func(text string) (fit string) {
		defer func() {
			if v := recover(); v != nil {
				logger.Error("Server.Redact panicked", slog.Any("panic", v))
				fit = withheld
			}
		}()
		return redact(text)
	}
}

// appendBlock appends the nth content block of a list, redacted and in a form that revision v supports.
func (c *core) appendBlock(dst []byte, block mcptool.Content, v wire.Version, n int) []byte {
	return wire.AppendBlock(dst, block, v, c.redactor, n)
}

// appendString appends the value of a JSON string as a text of the tool: redacted, and without invisible characters.
func (c *core) appendString(dst, quoted []byte) []byte {
	if c.redactor == nil && rawjson.IsHarmless(quoted) {
		return append(dst, quoted...)
	}
	return c.redactor.AppendString(dst, string(rawjson.Unquote(quoted)))
}
