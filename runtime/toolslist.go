package runtime

import (
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// listTools answers tools/list.
func (r *request) listTools() *wireError { return r.replyList(&r.session.catalog().list) }

// appendItem implements [entries].
func (cat *catalog) appendItem(dst []byte, i int, v wire.Version) []byte {
	return cat.appendEntry(dst, cat.tools[i], v)
}

// appendEntry appends the entry of a tool, as lists for clients of revision v contain it.
func (cat *catalog) appendEntry(dst []byte, t *mcptool.Tool, v wire.Version) []byte {
	_, output := cat.output(t, v)
	return wire.AppendTool(dst, t, output, v)
}

// expectedSize implements [entries].
func (cat *catalog) expectedSize(i int) int {
	t := cat.tools[i]
	size := len(t.Name()) + len(t.Title()) + len(t.Description()) + len(t.InputSchema().JSON()) + restOfItem
	if schema := t.OutputSchema(); schema != nil {
		size += len(schema.JSON())
	}
	return size
}
