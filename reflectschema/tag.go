package reflectschema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/suggest"
)

// A segment is one keyword of a jsonschema tag with its value as written.
type segment struct {
	keyword *keyword
	value   string
	text    string // as written in the tag, with escapes resolved
}

// A fieldTag contains the parsed tags of one field, before their values are checked against the type of the field.
type fieldTag struct {
	segments    []segment
	description string
	from        string // the tag that contains the description
	mistakes    []mistake
}

// tagReaders maps the keys of struct tags of this package to the methods that read them. The tags json and mcp are read
// elsewhere.
var tagReaders = map[string]func(*fieldTag, tagPair){
	"jsonschema":             (*fieldTag).readSchema,
	"jsonschema_extras":      (*fieldTag).readExtras,
	"jsonschema_description": (*fieldTag).readDescription,
	"doc":                    (*fieldTag).readDescription,
	"json":                   func(*fieldTag, tagPair) {},
	"mcp":                    func(*fieldTag, tagPair) {},
}

// tagKeys lists the keys, for suggestions.
var tagKeys = slices.Sorted(maps.Keys(tagReaders))

// parseFieldTag reads the tags of this package on one field, and finds misspelt ones.
func parseFieldTag(pairs []tagPair) fieldTag {
	var t fieldTag
	for i, p := range pairs {
		read, ours := tagReaders[p.key]
		switch {
		case !ours:
			continue
		case slices.ContainsFunc(pairs[:i], func(before tagPair) bool { return before.key == p.key }):
			t.mistake(p.text, fmt.Sprintf("the key %s is given twice; Go reads the first", p.key), "put everything into one")
			continue
		}
		read(&t, p)
	}
	for _, p := range pairs {
		if tagReaders[p.key] == nil {
			t.foreign(p)
		}
	}
	return t
}

func (t *fieldTag) mistake(text, reason, fix string) {
	t.mistakes = append(t.mistakes, mistake{tag: text, reason: reason, fix: fix})
}

func (t *fieldTag) has(name string) bool {
	return slices.ContainsFunc(t.segments, func(s segment) bool { return s.keyword.name == name })
}

func (t *fieldTag) readDescription(p tagPair) {
	if strings.TrimSpace(p.value) == "" {
		t.mistake(p.text, "the tag is empty", "write a description, or drop the tag")
		return
	}
	t.describe(p.value, p.text)
}

// describe sets the description, of which there may be only one.
func (t *fieldTag) describe(prose, from string) {
	if t.from != "" {
		t.mistake(from, fmt.Sprintf("a second description, beside `%s`", t.from), `keep one; doc:"…" is best`)
		return
	}
	t.description, t.from = prose, from
}

// readSchema reads jsonschema:"…": keywords, or prose alone.
func (t *fieldTag) readSchema(p tagPair) {
	switch {
	case strings.TrimSpace(p.value) == "":
		t.mistake(p.text, "the tag is empty", "write keywords, or drop the tag")
		return
	case p.value == "-":
		t.mistake(p.text, "the field would still be in the JSON, where the schema refuses it", `write json:"-"`)
		return
	}
	parts := splitSegments(p.value)
	if isProse(parts) {
		if meant := meantKeywords(p.value); meant != "" {
			t.mistake(p.text, "this would be a description, and reads like keywords, which are written keyword=value", "write "+meant+`; prose that begins like this goes into doc:"…"`)
			return
		}
		t.describe(p.value, p.text)
		return
	}
	for i, part := range parts {
		t.readSegment(part, i > 0)
	}
}

// readExtras reads jsonschema_extras:"…", which accepts only x- keywords.
func (t *fieldTag) readExtras(p tagPair) {
	for i, part := range splitSegments(p.value) {
		if name, _, _ := strings.Cut(part, "="); !strings.HasPrefix(name, jsondoc.ExtensionPrefix) {
			t.mistake(part, "jsonschema_extras would overrule what the type says", `standard keywords belong into jsonschema:"…", others start with x-`)
			continue
		}
		t.readSegment(part, i > 0)
	}
}

// readSegment reads one keyword. A segment after the first may be the rest of a value that contains a comma.
func (t *fieldTag) readSegment(part string, later bool) {
	name, value, hasValue := strings.Cut(part, "=")
	k := keywordNamed(name)
	switch {
	case part == "":
		t.mistake(part, "a comma with no keyword beside it", "drop the comma")
	case k == nil && strings.TrimSpace(name) != name && keywordNamed(strings.TrimSpace(name)) != nil:
		t.mistake(part, "a blank beside the keyword", "write "+strings.TrimSpace(name)+" right after the comma")
	case k == nil:
		t.unknown(part, name, hasValue, later)
	case k.form == formFlag && hasValue && value != "true":
		t.mistake(part, fmt.Sprintf("%s is a word alone, it cannot be %s", k.name, value), "write "+k.name+", or leave it out")
	case k.form != formFlag && !hasValue:
		t.mistake(part, k.name+" has no value", "write "+k.name+formNames[k.form])
	case !k.repeat && t.has(k.name):
		t.mistake(part, k.name+" is given twice", "keep one")
	case k.name == "description" && strings.TrimSpace(value) == "":
		t.mistake(part, "description has no value", "write a description, or drop the keyword")
	case k.name == "description":
		t.describe(value, part)
	default:
		t.segments = append(t.segments, segment{k, value, part})
	}
}

// unknown adds the mistake of an unknown keyword.
func (t *fieldTag) unknown(part, name string, hasValue, later bool) {
	fix := refused[name]
	near := suggest.Nearest(name, keywordNames)
	switch {
	case fix != "":
		t.mistake(part, name+" cannot be said in a tag", fix)
		return
	case near != "":
		t.mistakes = append(t.mistakes, mistake{tag: part, reason: fmt.Sprintf("unknown keyword %q", name), fix: "write " + near, near: keywordNamed(near)})
		return
	case later && !hasValue:
		fix = `a comma inside a value is written \\, and each enum value as its own enum=; prose is best in doc:"…"`
	default:
		fix = `see the table in the package documentation; keywords of your own start with x-, prose goes into doc:"…"`
	}
	t.mistake(part, fmt.Sprintf("unknown keyword %q", name), fix)
}

// isSlip reports whether a key equals own except for case, or is at an edit distance of one. Short keys must consist of
// the same letters: bson is not a misspelt json.
func isSlip(key, own string) bool {
	return strings.EqualFold(key, own) || suggest.Distance(key, own, 1) == 1 && (len(own) >= 6 || suggest.SameLetters(key, own))
}

// splitSegments splits a tag at its commas; \, is a comma inside a value.
func splitSegments(tag string) []string {
	if !strings.Contains(tag, `\`) {
		return strings.Split(tag, ",")
	}
	var (
		parts []string
		part  strings.Builder
	)
	for i := 0; i < len(tag); i++ {
		switch {
		case tag[i] == '\\' && i+1 < len(tag) && tag[i+1] == ',':
			part.WriteByte(',')
			i++
		case tag[i] == ',':
			parts = append(parts, part.String())
			part.Reset()
		default:
			part.WriteByte(tag[i])
		}
	}
	return append(parts, part.String())
}

// foreignKeys contains tag keys of other libraries and programs that resemble one of this package.
var foreignKeys = []string{
	"bson", "hjson", "ejson", "sjson", "gjson", "cjson", "jsonb", "json5", "jsonl", "jsonld", "jsonp", "jsonpb", "jsonv1", "jsonv2", // json
	"dc", "do", "dog", "docx", "dock", "loc", "poc", "soc", "toc", "voc", // doc
	"cp", "map", "mac", "mcu", "tcp", "ncp", "scp", // mcp
	"num", "cost", "tile", // enum, const, title
}

// foreign reports a tag key that was meant for this package: a misspelt key, or a keyword as a tag key. Nothing would
// read such a tag. It ignores a keyword that the jsonschema tag also contains, because another library may read it.
func (t *fieldTag) foreign(p tagPair) {
	unknown := fmt.Sprintf("unknown tag key %q", p.key)
	if i := slices.IndexFunc(tagKeys, func(own string) bool { return isMisspeltKey(p.key, own) }); i >= 0 {
		t.mistake(p.text, unknown, "write "+tagKeys[i])
		return
	}
	i := slices.IndexFunc(keywords, func(k keyword) bool { return isMisspeltKey(p.key, k.name) })
	if i < 0 {
		if !isASCII(p.key) {
			t.mistake(p.text, fmt.Sprintf("the tag key %q is not of ASCII letters, and may look like another", p.key), "write the key in ASCII, or drop the tag")
		}
		return
	}
	k := &keywords[i]
	if p.key == k.name || p.key == k.name+"s" { // enums is a key of swag
		if t.has(k.name) || (k.name == "description" && t.from != "") {
			return
		}
		unknown = k.name + " is a keyword of the jsonschema tag, not a tag of its own"
	}
	switch {
	case k.name == "description":
		t.mistake(p.text, unknown, fmt.Sprintf("write doc:%q", p.value))
	case k.form == formFlag:
		t.mistake(p.text, unknown, fmt.Sprintf("write jsonschema:%q", k.name))
	default:
		t.mistake(p.text, unknown, fmt.Sprintf("write jsonschema:%q", asSegments(k, p.value)))
	}
}

// asSegments returns the value of a keyword's own tag, in which commas separate several values, as segments of a
// jsonschema tag.
func asSegments(k *keyword, value string) string {
	if k.name != "enum" {
		return k.name + "=" + strings.ReplaceAll(value, ",", `\,`)
	}
	var segments []string
	for v := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ',' || r == '|' }) {
		segments = append(segments, "enum="+strings.TrimSpace(v))
	}
	return strings.Join(segments, ",")
}

// isMisspeltKey reports whether a key equals own except for case, or is at an edit distance of one, and is not a key of
// another library. For json, a distance of two also counts if the key starts with jso.
func isMisspeltKey(key, own string) bool {
	if slices.Contains(foreignKeys, key) {
		return false
	}
	key, own = strings.ToLower(key), strings.ToLower(own)
	distance := suggest.Distance(key, own, 2)
	return distance <= 1 || own == "json" && distance == 2 && strings.HasPrefix(key, "jso")
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}
