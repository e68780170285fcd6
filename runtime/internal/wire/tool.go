package wire

import (
	"strconv"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// AppendTool appends a tool in the form of tools/list for revision v. meta is its _meta. output is the schema of its
// structured result, nil if there is none.
func AppendTool(dst []byte, t *mcptool.Tool, meta map[string]any, output *reflectschema.Schema, v Version) []byte {
	s := internals.Settings(t)
	dst = AppendText(append(dst, '{'), "name", s.Name)
	if v.Has(Titles) {
		dst = AppendOptional(dst, "title", s.Title)
	}
	dst = AppendOptional(dst, "description", s.Description)
	dst = appendSchema(rawjson.AppendName(dst, "inputSchema"), t.InputSchema(), v)
	if output != nil {
		dst = appendSchema(rawjson.AppendName(dst, "outputSchema"), output, v)
	}
	dst = appendToolAnnotations(dst, t.Annotations(), s.Title, v)
	dst = appendIcons(dst, s.Icons, v)
	if s.Task != private.TaskForbidden && v.Has(CoreTasks) {
		dst = append(AppendText(append(rawjson.AppendName(dst, "execution"), '{'), "taskSupport", string(s.Task)), '}')
	}
	return append(appendMeta(dst, meta, v), '}')
}

// appendSchema appends a schema in a form that clients of revision v can read.
func appendSchema(dst []byte, schema *reflectschema.Schema, v Version) []byte {
	switch {
	case v.Has(FreeSchemas):
		return append(dst, schema.JSON()...)
	case v.Has(SchemaDialect):
		return append(dst, schemas.LegacyDialect(schema)...)
	default:
		return append(dst, schemas.Legacy(schema)...)
	}
}

// appendToolAnnotations appends the annotations of a tool with this title, if it has any.
func appendToolAnnotations(dst []byte, a mcptool.ToolAnnotations, title string, v Version) []byte {
	if !v.Has(TitleInAnnotations) {
		title = ""
	}
	if !v.Has(ToolAnnotations) || title == "" && a == (mcptool.ToolAnnotations{}) {
		return dst
	}
	dst = append(rawjson.AppendName(dst, "annotations"), '{')
	dst = AppendOptional(dst, "title", title)
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
			dst = strconv.AppendBool(rawjson.AppendName(dst, hint.name), *hint.value)
		}
	}
	return append(dst, '}')
}

// appendIcons appends the member icons, unless the list is empty or revision v has no icons.
func appendIcons(dst []byte, list []mcptool.Icon, v Version) []byte {
	if len(list) == 0 || !v.Has(Icons) {
		return dst
	}
	return internals.AppendIcons(dst, list)
}
