package runtime

import (
	"strconv"

	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// appendTool appends a tool as tools/list shows it to clients of revision v.
func (cat *catalog) appendTool(dst []byte, t *mcptool.Tool, v version) []byte {
	dst = appendText(append(dst, '{'), "name", t.Name())
	if v.has(titles) {
		dst = appendOptional(dst, "title", t.Title())
	}
	dst = appendOptional(dst, "description", t.Description())
	dst = appendSchema(jsonwrite.Name(dst, "inputSchema"), t.InputSchema(), v)
	if _, schema := cat.output(t, v); schema != nil {
		dst = appendSchema(jsonwrite.Name(dst, "outputSchema"), schema, v)
	}
	dst = appendToolAnnotations(dst, t, v)
	dst = appendIcons(dst, t.Icons(), v)
	if support := t.Task().Support; support != mcptool.TaskForbidden && v.has(coreTasks) {
		dst = append(appendText(append(jsonwrite.Name(dst, "execution"), '{'), "taskSupport", support.String()), '}')
	}
	return append(appendMeta(dst, t.Meta(), v), '}')
}

// appendSchema appends a schema in the form revision v can read.
func appendSchema(dst []byte, schema *reflectschema.Schema, v version) []byte {
	switch {
	case v.has(freeSchemas):
		return append(dst, schema.JSON()...)
	case v.has(schemaDialect):
		return append(dst, schema.LegacyDialect()...)
	default:
		return append(dst, schema.Legacy()...)
	}
}

// appendToolAnnotations appends what is known of a tool's behaviour, if anything.
func appendToolAnnotations(dst []byte, t *mcptool.Tool, v version) []byte {
	if !v.has(toolAnnotations) {
		return dst
	}
	a := t.Annotations()
	if a.Title == "" && v.has(titleInAnnotations) {
		a.Title = t.Title()
	}
	if a == (mcptool.ToolAnnotations{}) {
		return dst
	}
	dst = append(jsonwrite.Name(dst, "annotations"), '{')
	dst = appendOptional(dst, "title", a.Title)
	for _, hint := range []struct {
		name  string
		value *bool
	}{
		{"readOnlyHint", a.ReadOnlyHint},
		{"destructiveHint", a.DestructiveHint},
		{"idempotentHint", a.IdempotentHint},
		{"openWorldHint", a.OpenWorldHint},
	} {
		if hint.value != nil {
			dst = strconv.AppendBool(jsonwrite.Name(dst, hint.name), *hint.value)
		}
	}
	return append(dst, '}')
}

// appendIcons appends a member icons, if there are any and v has them.
func appendIcons(dst []byte, list []mcptool.Icon, v version) []byte {
	if len(list) == 0 || !v.has(icons) {
		return dst
	}
	return contents.AppendIcons(jsonwrite.Name(dst, "icons"), list)
}
