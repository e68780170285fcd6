package runtime

import (
	"slices"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// listTools answers tools/list.
func (r *request) listTools() *wireError { return r.replyList(&r.from.catalog().list) }

// appendItem implements [entries].
func (cat *catalog) appendItem(dst []byte, i int, f form) []byte {
	return cat.appendEntry(dst, cat.tools[i], f)
}

// appendEntry appends the entry of a tool in this form.
func (cat *catalog) appendEntry(dst []byte, t *mcptool.Tool, f form) []byte {
	_, output := cat.output(t, f.version)
	meta := t.MetaFor(func(e *mcptool.ClientExtension) bool { return f.supports(&cat.list, e) })
	return wire.AppendTool(dst, t, meta, output, f.version)
}

// clientExtensions returns the extensions that add members to entries of tools, without duplicates.
func clientExtensions(tools []*mcptool.Tool) (all []*mcptool.ClientExtension) {
	for _, t := range tools {
		for _, a := range t.Attachments() {
			if len(a.Meta) > 0 && !slices.Contains(all, a.Extension) {
				all = append(all, a.Extension)
			}
		}
	}
	return all
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
