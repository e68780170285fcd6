package runtime

import (
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// Progress implements host of package mcptool.
func (c *call) Progress(done, total float64, message string) {
	run := c.extras().run
	if run == nil && !c.out.Tracks() {
		return
	}
	message = c.from.redactor.Clean(message)
	if run != nil {
		run.Report(done, total, message)
	}
	if c.out.Tracks() {
		c.out.Report(&respond.Report{Done: done, Total: total, Message: wire.Cut(message, c.from.limits.MaxTextBytes)})
	}
}

// reporter implements [respond.Reporter] for a call.
type reporter struct{ *call }

// AppendProgress implements [respond.Reporter].
func (c reporter) AppendProgress(dst, token []byte, r *respond.Report) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`...)
	dst = append(dst, token...)
	dst = rawjson.AppendFloat(rawjson.AppendName(dst, "progress"), r.Done)
	if r.Total > 0 {
		dst = rawjson.AppendFloat(rawjson.AppendName(dst, "total"), r.Total)
	}
	if c.version.Has(wire.ProgressMessage) {
		dst = wire.Redactor(nil).AppendOptional(dst, "message", r.Message) // redacted by Progress
	}
	return append(c.appendRelated(dst), `}}`...)
}

// Sent implements [respond.Reporter].
func (c reporter) Sent(err error) { c.from.sent(err) }

// Contain implements [respond.Reporter].
func (c reporter) Contain() { c.recovered(recover()) }

// appendRelated appends the _meta of a message that the call sends, if the call is a task of a revision that requires
// it.
func (c *call) appendRelated(dst []byte) []byte {
	run := c.extras().run
	if run == nil || c.version.Has(wire.PerRequest) {
		return dst
	}
	dst = append(rawjson.AppendName(dst, "_meta"), '{')
	return append(append(dst, wire.RelatedTask(run.ID())...), '}')
}
