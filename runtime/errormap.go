package runtime

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"

	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/mcptool"
)

// failure is a Go error as the client gets it: a protocol error, or the text of a
// result that is an error.
type failure struct {
	protocol *wireError
	text     string
}

// explain decides what the client is told when a call ends with err. It is the only
// place where a Go error becomes part of a message:
//
//   - Arguments that do not fit are explained to the model, in a result, or in an error
//     -32602 for clients whose revision puts it there.
//   - A result that cannot be sent, a panic and the like are mistakes of the
//     tool's author. The client gets a reference; the log has the rest under it.
//   - A call that was stopped from outside says so.
//   - Anything else is what the tool wanted to say, and is sent as it is.
func (s *Session) explain(c *call, err error) failure {
	// A tool that calls another one may hand on what the other was told.
	if bad, ok := errors.AsType[*mcptool.ArgumentError](err); ok && bad.Tool == c.tool.Name() {
		text := cut(bad.Error(), s.limits.Text)
		if c.version.has(argumentResults) || s.argResults {
			return failure{text: text}
		}
		return failure{protocol: invalidParams(joinLines(text))}
	}
	if attrs := defect(err); attrs != nil {
		return s.hide(c, attrs)
	}
	if stop := c.ctx.Err(); errors.Is(err, ErrShutdown) || stop != nil && errors.Is(err, stop) {
		return failure{text: "the call was stopped: " + stopReason(c.ctx)}
	}
	text := cut(err.Error(), s.limits.Text)
	if strings.TrimSpace(text) == "" {
		text = "the tool failed and did not say why"
	}
	return failure{text: text}
}

// defect returns what the log is told of an error that is nobody's business but
// the author's, nil for any other.
func defect(err error) []slog.Attr {
	if bad, ok := errors.AsType[*mcptool.OutputError](err); ok {
		return []slog.Attr{slog.String("error", bad.Error())}
	}
	if bad, ok := errors.AsType[*mcptool.PanicError](err); ok {
		return []slog.Attr{slog.String("error", bad.Error()), slog.String("stack", string(bad.Stack))}
	}
	if errors.Is(err, errGoexit) {
		return []slog.Attr{slog.String("error", err.Error())}
	}
	return nil
}

// hide logs a defect under a fresh reference and tells the client only that.
func (s *Session) hide(c *call, attrs []slog.Attr) failure {
	ref := rand.Text()[:8]
	attrs = append(attrs, slog.String("reference", ref),
		slog.String("tool", c.tool.Name()), slog.String("request_id", string(c.id)))
	s.log.LogAttrs(c.ctx, slog.LevelError, "tool failed", attrs...)
	return failure{text: "the tool failed on the server's side (reference " + ref + ")"}
}

// stopReason says who stopped the call that ctx belongs to.
func stopReason(ctx context.Context) string {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, ErrDisconnected):
		return ErrDisconnected.Error()
	case errors.Is(cause, context.DeadlineExceeded):
		return "it ran out of time"
	default:
		return ErrShutdown.Error()
	}
}

// unknownTool refuses a call of a tool that is not there, and names those that
// may have been meant.
func (s *Session) unknownTool(name string) *wireError {
	const most = 3
	tools := s.tools.Tools()
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name()
	}
	text := "unknown tool " + quote(name)
	near := suggest.Within(name, names, most)
	for i := range near {
		near[i] = quote(near[i])
	}
	if len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return invalidParams(text)
}
