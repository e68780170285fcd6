package mcptool

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/suggest"
)

// tagKey is one key of the mcp:"…" tag.
type tagKey struct {
	name string
	kind itemKind              // of the items that it applies to
	of   func(*definition) any // the setting
	form string                // fix for a value that cannot be parsed, "" for true and false
	adds bool                  // values of repeated keys add up
}

// tagKeys are the keys of the tag. Each has an option of the same name.
var tagKeys = []tagKey{
	{name: "name", kind: anyKind, of: func(d *definition) any { return &d.Name }},
	{name: "title", kind: anyKind, of: func(d *definition) any { return &d.Title }},
	{name: "description", kind: anyKind, of: func(d *definition) any { return &d.Description }},
	{name: "readOnly", kind: kindTool, of: func(d *definition) any { return &d.annotations.ReadOnlyHint }},
	{name: "destructive", kind: kindTool, of: func(d *definition) any { return &d.annotations.DestructiveHint }},
	{name: "idempotent", kind: kindTool, of: func(d *definition) any { return &d.annotations.IdempotentHint }},
	{name: "openWorld", kind: kindTool, of: func(d *definition) any { return &d.annotations.OpenWorldHint }},
	{name: "askFirst", kind: kindTool, of: func(d *definition) any { return &d.askFirst }},
	{name: "task", kind: kindTool, of: func(d *definition) any { return &d.Task }},
	{name: "durable", kind: kindTool, of: func(d *definition) any { return &d.Durable }},
	{name: "group", kind: anyKind, of: func(d *definition) any { return &d.Groups }, adds: true},
	{name: "scopes", kind: anyKind, of: func(d *definition) any { return &d.Scopes }},
	{name: "timeout", kind: anyKind, of: func(d *definition) any { return &d.Timeout }, form: "write a number and a unit of h, m, s or ms: timeout=30s"},
	{name: "rateLimit", kind: anyKind, of: func(d *definition) any { return &d.Rate }},
	{name: "concurrent", kind: anyKind, of: func(d *definition) any { return &d.Concurrent }, form: "write how many calls may run at once: concurrent=4"},
	{name: "auditArguments", kind: anyKind, of: func(d *definition) any { return &d.AuditArguments }},
	{name: "coerce", kind: kindTool, of: func(d *definition) any { return &d.Coerce }},
	{name: "omitOutputSchema", kind: kindTool, of: func(d *definition) any { return &d.OmitOutputSchema }},
	{name: "uri", kind: kindResource, of: func(d *definition) any { return &d.uri }},
	{name: "mimeType", kind: kindResource, of: func(d *definition) any { return &d.mimeType }},
	{name: "size", kind: kindResource, of: func(d *definition) any { return &d.size }, form: "write a number of bytes: size=4096"},
	{name: "audience", kind: kindResource, of: func(d *definition) any { return &d.notes.Audience }},
	{name: "priority", kind: kindResource, of: func(d *definition) any { return &d.notes.Priority }, form: "write a number from 0 to 1: priority=0.5"},
}

// tagSource is the source of the settings in the tag.
const tagSource = "the mcp tag"

// A blankField has the tags of a blank field of an argument struct. It is read once per type, because many tools may have
// the same type, and does not depend on the tool. It is immutable.
type blankField struct {
	tag              string // mcp:"…", "" if there is none
	items            []tagItem
	description, key string // and the key of the tag that contains it
}

// A tagItem is an item of the mcp tag: a key with its value, or a mistake.
type tagItem struct {
	*tagKey
	value       string
	hasValue    bool
	repeats     bool   // another item before this one has the key
	reason, fix string // of the mistake; then there is no key
}

// blankFields maps the type of an argument struct to its []blankField.
var blankFields sync.Map

// blankFieldsOf returns the blank fields of an argument struct.
func blankFieldsOf(in reflect.Type) []blankField {
	cached, _ := blankFields.Load(in)
	if known, ok := cached.([]blankField); ok {
		return known
	}
	var fields []blankField
	for field := range in.Fields() {
		if field.Name != "_" {
			continue
		}
		var blank blankField
		if tag, ok := field.Tag.Lookup("mcp"); ok {
			blank.tag, blank.items = `mcp:"`+tag+`"`, parseTag(tag)
		}
		blank.description, blank.key = schemas.TagDescription(field.Tag)
		fields = append(fields, blank)
	}
	blankFields.Store(in, fields)
	return fields
}

// readTags reads the tags of the blank fields of the argument struct. Package reflectschema reports mcp tags anywhere else.
func (d *definition) readTags(in reflect.Type) {
	if in = deref(in); in.Kind() != reflect.Struct {
		return
	}
	for _, field := range blankFieldsOf(in) {
		for _, m := range d.setKeys(field.items) {
			m.Type, m.Field, m.Tag = in.String(), "_", field.tag
			d.mistakes = append(d.mistakes, m)
		}
		if field.description != "" {
			set(d, &d.Description, "the "+field.key+" tag", field.description)
		}
	}
}

// parseTag reads all items of a tag. The items of mistakes in its syntax come first.
func parseTag(tag string) (items []tagItem) {
	mistake := func(reason, fix string) { items = append(items, tagItem{reason: reason, fix: fix}) }
	texts := splitTag(mistake, tag)
	for at, text := range texts {
		name := keyOf(text)
		_, value, hasValue := strings.Cut(text, "=")
		i := slices.IndexFunc(tagKeys, func(key tagKey) bool { return key.name == name })
		switch {
		case name == "":
			mistake(fmt.Sprintf("%q has no key", text), "write one key between two commas; write a comma in a text as \\\\,")
		case separateKeys(text) != "":
			mistake(fmt.Sprintf("%q has more than one key", strings.TrimSpace(text)), separateKeys(text))
		case i < 0:
			mistake(fmt.Sprintf("unknown key %q", name), unknownKeyFix(texts, at))
		default:
			key := &tagKeys[i]
			repeats := slices.ContainsFunc(items, func(before tagItem) bool { return before.tagKey == key })
			items = append(items, tagItem{tagKey: key, value: escapes.Replace(strings.TrimSpace(value)), hasValue: hasValue, repeats: repeats})
		}
	}
	return items
}

// setKeys records the values of all items of a tag, and returns the mistakes.
func (d *definition) setKeys(items []tagItem) []Mistake {
	var fs findings
	for _, item := range items {
		switch {
		case item.tagKey == nil:
			fs.add("", item.reason, item.fix)
		case item.kind != anyKind && item.kind != d.kind:
			fs.add("", fmt.Sprintf("%s applies to %ss, and this is a %s", item.name, item.kind, d.kind), "leave it out")
		case item.repeats && !item.adds:
			fs.add("", item.name+" is given twice", "set it once")
		default:
			d.setKey(&fs, item)
		}
	}
	return fs.mistakes
}

// setKey records the value of one item of the tag.
func (d *definition) setKey(fs *findings, key tagItem) {
	value := key.value
	switch key.of(d).(type) {
	case *bool, **bool:
		if !key.hasValue {
			value = "true"
		}
	default:
		if !key.hasValue {
			fs.add("", key.name+" has no value", "write "+key.name+"=…")
			return
		}
	}
	var err error
	switch s := key.of(d).(type) {
	case *string:
		set(d, s, tagSource, value)
	case *TaskSupport:
		set(d, s, tagSource, TaskSupport(value))
	case *[]string:
		if key.adds {
			d.addGroups(tagSource, []string{value})
			return
		}
		d.addScopes(tagSource, slices.Sorted(strings.FieldsSeq(value)))
	case *[]Role:
		var roles []Role
		for word := range strings.FieldsSeq(value) {
			roles = append(roles, Role(word))
		}
		set(d, s, tagSource, slices.Sorted(slices.Values(roles)))
	case *bool:
		err = setParsed(d, s, value, parseFlag)
	case **bool:
		err = setPointer(d, s, value, parseFlag)
	case *time.Duration:
		err = setParsed(d, s, value, time.ParseDuration)
	case *int:
		err = setParsed(d, s, value, strconv.Atoi)
	case **int64:
		err = setPointer(d, s, value, func(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) })
	case **float64:
		err = setPointer(d, s, value, func(text string) (float64, error) { return strconv.ParseFloat(text, 64) })
	case *Rate:
		rate, reason, fix := parseRate(value)
		if reason != "" {
			fs.add("", reason, fix)
			return
		}
		set(d, s, tagSource, rate)
	}
	if err != nil {
		fs.add("", fmt.Sprintf("%s is %q", key.name, value), cmp.Or(key.form, fmt.Sprintf("write %[1]s, %[1]s=true or %[1]s=false", key.name)))
	}
}

// parseFlag accepts only "true" and "false", unlike [strconv.ParseBool].
func parseFlag(text string) (bool, error) {
	if text != "true" && text != "false" {
		return false, strconv.ErrSyntax
	}
	return text == "true", nil
}

// setParsed records a value that is not a text.
func setParsed[T any](d *definition, s *T, text string, parse func(string) (T, error)) error {
	value, err := parse(text)
	if err == nil {
		set(d, s, tagSource, value)
	}
	return err
}

// setPointer is setParsed for a setting that is nil by default.
func setPointer[T any](d *definition, s **T, text string, parse func(string) (T, error)) error {
	return setParsed(d, s, text, func(text string) (*T, error) {
		value, err := parse(text)
		return &value, err
	})
}

// splitTag cuts a tag at its commas, except those in a list of variables of the URI template, such as uri=…{?a,b}. It
// does not resolve escapes: \, is a comma in a value and \\ a backslash. In a raw string literal they are written \\,
// and \\\\.
func splitTag(mistake func(reason, fix string), tag string) []string {
	var items []string
	start := 0
	for i := 0; i < len(tag); i++ {
		switch tag[i] {
		case '{':
			if key, _, _ := strings.Cut(tag[start:i], "="); strings.TrimSpace(key) == "uri" {
				i += len(queryVariables.FindString(tag[i:])) // the rest of the list has no comma
			}
		case ',':
			items = append(items, tag[start:i])
			start = i + 1
		case '\\':
			if i++; i == len(tag) || tag[i] != ',' && tag[i] != '\\' {
				mistake("a backslash is not followed by a comma or another backslash", "write a backslash in a text as \\\\\\\\")
			}
		}
	}
	return append(items, tag[start:])
}

// queryVariables matches the beginning of a list of query variables in a template, up to its last variable.
var queryVariables = regexp.MustCompile(`^\{[?&][A-Za-z0-9_.%,]*`)

// escapes resolves the escapes in a value.
var escapes = strings.NewReplacer(`\\`, `\`, `\,`, `,`)

// textKeys are the keys whose value is a text, which may contain spaces and semicolons.
var textKeys = []string{"title", "description", "askFirst"}

// tagKeyNames lists the keys of the mcp tag, for suggestions.
func tagKeyNames() []string {
	names := make([]string, len(tagKeys))
	for i, key := range tagKeys {
		names[i] = key.name
	}
	return names
}

// keyOf returns the key of a tag item, which may be unknown.
func keyOf(item string) string {
	name, _, _ := strings.Cut(item, "=")
	return strings.TrimSpace(name)
}

// isTagKey reports whether a tag item has a known key.
func isTagKey(item string) bool { return slices.Contains(tagKeyNames(), keyOf(item)) }

// separateKeys returns the correction for a tag item that has several keys with spaces or semicolons between them; ""
// if it does not.
func separateKeys(item string) string {
	key := keyOf(item)
	if slices.Contains(textKeys, key) {
		return ""
	}
	parts := strings.FieldsFunc(item, func(r rune) bool { return r == ' ' || r == ';' })
	if len(parts) < 2 {
		return ""
	}
	for i, part := range parts {
		// After scopes=, a word that is also the name of a key may be a scope.
		isScope := i > 0 && key == "scopes" && !strings.Contains(item, ";") && !strings.Contains(part, "=")
		if !isTagKey(part) || isScope {
			return ""
		}
	}
	return "separate the keys with a comma: " + strings.Join(parts, ",")
}

// unknownKeyFix returns the fix for a tag item with an unknown key: the nearest key, the complete value if the item is
// the rest of one that was cut at a comma, or all keys.
func unknownKeyFix(items []string, at int) string {
	name := keyOf(items[at])
	if near := suggest.Nearest(name, tagKeyNames()); near != "" {
		return "write " + near
	}
	first, end := at, at+1
	for first > 0 && !isTagKey(items[first]) {
		first--
	}
	for end < len(items) && !isTagKey(items[end]) {
		end++
	}
	switch key := keyOf(items[first]); {
	case key == "scopes" && !strings.Contains(items[at], "="):
		var scopes []string
		for _, item := range items[first:end] {
			scopes = append(scopes, strings.TrimSpace(item))
		}
		return "write the scopes with blanks between them: " + strings.Join(scopes, " ")
	case key == "rateLimit" && name == "burst":
		return "write " + strings.TrimSpace(items[first]) + " " + strings.TrimSpace(items[at])
	case slices.Contains(textKeys, key):
		return `a comma in a text is \\,: ` + strings.TrimSpace(strings.Join(items[first:end], `\\,`))
	}
	return "the keys are " + strings.Join(tagKeyNames(), " ")
}
