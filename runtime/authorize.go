package runtime

import (
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/mcpheader"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
)

// The arguments of a tool that clients also send as headers.
var headers = private.Take[private.Headers[*mcptool.Tool]]()

// authorize refuses a request for something that its sender may not use: a tool that needs scopes which the sender
// lacks, or a task of another caller. It also refuses a call that does not match the headers that repeat parts of it.
func (r *request) authorize() *wireError {
	switch r.method.subject.kind {
	case toolSubject:
		if !r.access.Allows(r.target.tool) {
			return r.forbid(r.target.tool)
		}
	case taskSubject:
		if !r.owns(r.task) {
			return errNoSuchTask
		}
	default:
	}
	if r.header != nil && r.method.calls {
		if err := mcpheader.CheckParams(r.header, headers.Of(r.target.tool), r.params.Arguments); err != nil {
			return headerMismatch(err)
		}
	}
	return nil
}

// forbid refuses a request whose sender lacks scopes. A sender that cannot request them gets the same answer as for a
// tool that does not exist.
func (r *request) forbid(tool *mcptool.Tool) *wireError {
	r.session.log.LogAttrs(r.session.ctx, slog.LevelInfo, "call refused for want of scopes", slog.String("tool", tool.Name()),
		slog.String("principal", r.access.principal()), slog.Any("needs", tool.Scopes()))
	if t, ok := r.to.(*stream); ok {
		if x, ok := t.exchange.(challenger); ok && x.Challenge(tool.Scopes()) {
			return missingScopes(tool)
		}
	}
	return r.unknownTool(tool.Name())
}
