package runtime

import (
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

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
func (c reporter) Contain() {
	if v := recover(); v != nil {
		c.recovered(v)
	}
}
