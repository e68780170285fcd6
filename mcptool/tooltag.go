package mcptool

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/suggest"
)

// tagKey is one key of the mcp:"…" tag. Exactly one of text, flag, words and parse is set.
type tagKey struct {
	name  string
	text  func(*definition) *setting[string]   // key=value
	flag  func(*definition) *setting[bool]     // key, key=true or key=false
	words func(*definition) *setting[[]string] // key=a b
	// parse records another kind of value, or says why it is none.
	parse func(d *definition, source, value string) (reason, fix string)
}

// tagKeys is what a tag can say about a tool; each has an option of the same name.
var tagKeys = []tagKey{
	{name: "name", text: func(d *definition) *setting[string] { return &d.name }},
	{name: "title", text: func(d *definition) *setting[string] { return &d.title }},
	{name: "description", text: func(d *definition) *setting[string] { return &d.description }},
	{name: "readOnly", flag: func(d *definition) *setting[bool] { return &d.readOnly }},
	{name: "destructive", flag: func(d *definition) *setting[bool] { return &d.destructive }},
	{name: "idempotent", flag: func(d *definition) *setting[bool] { return &d.idempotent }},
	{name: "openWorld", flag: func(d *definition) *setting[bool] { return &d.openWorld }},
	{name: "askFirst", text: func(d *definition) *setting[string] { return &d.askFirst }},
	{name: "task", text: func(d *definition) *setting[string] { return &d.task }},
	{name: "scopes", words: func(d *definition) *setting[[]string] { return &d.scopes }},
	{name: "timeout", parse: (*definition).parseTimeout},
	{name: "rateLimit", parse: (*definition).parseRate},
	{name: "concurrent", parse: (*definition).parseConcurrent},
	{name: "auditArguments", flag: func(d *definition) *setting[bool] { return &d.auditArguments }},
}

const (
	tagSource = "the mcp tag"
	docSource = "the doc tag"
)

// readTags reads what the blank fields of the argument struct say about the tool.
func (d *definition) readTags(in reflect.Type) {
	if in.Kind() == reflect.Pointer {
		in = in.Elem()
	}
	if in.Kind() != reflect.Struct {
		return
	}
	for field := range in.Fields() {
		tag, isTagged := field.Tag.Lookup("mcp")
		if field.Name != "_" {
			continue // what it says is for reflectschema to judge, wherever the field is
		}
		if isTagged {
			for _, f := range d.parseTag(tag) {
				d.tagMistake(in, field, `mcp:"`+tag+`"`, f.reason, f.fix)
			}
		}
		if doc, ok := field.Tag.Lookup("doc"); ok {
			set(d, &d.description, docSource, doc)
		}
	}
}

// refuseTags tells of an mcp tag on the result, where nobody would read it.
func (d *definition) refuseTags(out reflect.Type) {
	if out.Kind() == reflect.Pointer {
		out = out.Elem()
	}
	if out.Kind() != reflect.Struct {
		return
	}
	for field := range out.Fields() {
		if tag, ok := field.Tag.Lookup("mcp"); ok && field.Name == "_" {
			d.tagMistake(out, field, `mcp:"`+tag+`"`, "the mcp tag is on the result type", "move it to the argument struct")
		}
	}
}

func (d *definition) tagMistake(t reflect.Type, field reflect.StructField, tag, reason, fix string) {
	d.mistakes = append(d.mistakes, Mistake{Type: t.String(), Field: field.Name, Tag: tag, Reason: reason, Fix: fix})
}

// parseTag reads one tag, all of it, and returns what is wrong with it.
func (d *definition) parseTag(tag string) []finding {
	var fs findings
	seen := make(map[string]bool)
	for _, item := range splitTag(&fs, tag) {
		name, value, hasValue := strings.Cut(item, "=")
		name = strings.TrimSpace(name)
		i := slices.IndexFunc(tagKeys, func(key tagKey) bool { return key.name == name })
		switch {
		case name == "":
			fs.add("", fmt.Sprintf("%q names no key", item), "between two commas there is one key; a comma in a text is \\\\,")
		case i < 0:
			fs.add("", fmt.Sprintf("unknown key %q", name), keyFix(name))
		case seen[name]:
			fs.add("", fmt.Sprintf("%s is given twice", name), "say it once")
		default:
			seen[name] = true
			d.setKey(&fs, tagKeys[i], unescape(value), hasValue)
		}
	}
	return fs.list
}

// setKey records what one item of the tag says.
func (d *definition) setKey(fs *findings, key tagKey, value string, hasValue bool) {
	switch {
	case key.flag == nil && !hasValue:
		fs.add("", key.name+" has no value", "write "+key.name+"=…")
	case key.text != nil:
		set(d, key.text(d), tagSource, value)
	case key.words != nil:
		set(d, key.words(d), tagSource, sortScopes(strings.Fields(value)))
	case key.parse != nil:
		if reason, fix := key.parse(d, tagSource, value); reason != "" {
			fs.add("", reason, fix)
		}
	case !hasValue || value == "true":
		set(d, key.flag(d), tagSource, true)
	case value == "false":
		set(d, key.flag(d), tagSource, false)
	default:
		fs.add("", fmt.Sprintf("%s is %q", key.name, value), fmt.Sprintf("write %[1]s, %[1]s=true or %[1]s=false", key.name))
	}
}

// keyFix suggests the nearest key, or lists them all.
func keyFix(name string) string {
	names := make([]string, len(tagKeys))
	for i, key := range tagKeys {
		names[i] = key.name
	}
	if near := suggest.Nearest(name, names); near != "" {
		return "write " + near
	}
	return "the keys are " + strings.Join(names, " ")
}

// splitTag cuts a tag at its commas, leaving escapes in: \, is a comma of the text
// and \\ a backslash, which in a raw string literal read \\, and \\\\.
func splitTag(fs *findings, tag string) []string {
	var items []string
	start := 0
	for i := 0; i < len(tag); i++ {
		switch tag[i] {
		case ',':
			items = append(items, tag[start:i])
			start = i + 1
		case '\\':
			if i++; i == len(tag) || tag[i] != ',' && tag[i] != '\\' {
				fs.add("", "a backslash stands before neither comma nor backslash", "a backslash of the text is \\\\\\\\")
			}
		}
	}
	return append(items, tag[start:])
}

// unescape undoes the escapes of a value.
func unescape(value string) string {
	return strings.NewReplacer(`\\`, `\`, `\,`, `,`).Replace(value)
}
