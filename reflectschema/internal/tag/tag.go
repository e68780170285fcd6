package tag

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
	keyword *Keyword
	value   string
	text    string // as written in the tag, with escapes resolved
}

// Tags are the parsed tags of one field, before their values are checked against the type of the field.
type Tags struct {
	segments    []segment
	Description string
	From        string // the tag that contains the description
	Mistakes    []Mistake
}

// readers maps the keys of struct tags of this package to the methods that read them. The tags json and mcp are read
// elsewhere.
var readers = map[string]func(*Tags, Pair){
	"jsonschema":             (*Tags).readSchema,
	"jsonschema_extras":      (*Tags).readExtras,
	"jsonschema_description": (*Tags).readDescription,
	"doc":                    (*Tags).readDescription,
	"json":                   func(*Tags, Pair) {},
	"mcp":                    func(*Tags, Pair) {},
}

// ownKeys lists the keys, for suggestions.
var ownKeys = slices.Sorted(maps.Keys(readers))

// Parse reads the tags of this package on one field, and finds misspelt ones.
func Parse(pairs []Pair) Tags {
	var t Tags
	for i, p := range pairs {
		read, ours := readers[p.Key]
		switch {
		case !ours:
			continue
		case slices.ContainsFunc(pairs[:i], func(before Pair) bool { return before.Key == p.Key }):
			t.refuse(p.Text, fmt.Sprintf("the key %s is given twice; Go reads the first", p.Key), "put everything into one")
			continue
		}
		read(&t, p)
	}
	for _, p := range pairs {
		if readers[p.Key] == nil {
			t.foreign(p)
		}
	}
	return t
}

func (t *Tags) refuse(text, reason, fix string) {
	t.Mistakes = append(t.Mistakes, Mistake{Tag: text, Reason: reason, Fix: fix})
}

// Has reports whether the tags have a keyword.
func (t *Tags) Has(name string) bool {
	return slices.ContainsFunc(t.segments, func(s segment) bool { return s.keyword.Name == name })
}

func (t *Tags) readDescription(p Pair) {
	if strings.TrimSpace(p.Value) == "" {
		t.refuse(p.Text, "the tag is empty", "write a description, or drop the tag")
		return
	}
	t.describe(p.Value, p.Text)
}

// describe sets the description, of which there may be only one.
func (t *Tags) describe(prose, from string) {
	if t.From != "" {
		t.refuse(from, fmt.Sprintf("a second description, beside `%s`", t.From), `keep one; doc:"…" is best`)
		return
	}
	t.Description, t.From = prose, from
}

// readSchema reads jsonschema:"…": keywords, or prose alone.
func (t *Tags) readSchema(p Pair) {
	switch {
	case strings.TrimSpace(p.Value) == "":
		t.refuse(p.Text, "the tag is empty", "write keywords, or drop the tag")
		return
	case p.Value == "-":
		t.refuse(p.Text, "the field would still be in the JSON, where the schema rejects it", `write json:"-"`)
		return
	}
	parts := splitSegments(p.Value)
	if isProse(parts) {
		if meant := meantKeywords(p.Value); meant != "" {
			t.refuse(p.Text, "this would be a description, but it looks like keywords, which are written keyword=value", "write "+meant+`; a description that begins like this goes into doc:"…"`)
			return
		}
		t.describe(p.Value, p.Text)
		return
	}
	for i, part := range parts {
		t.readSegment(part, i > 0)
	}
}

// readExtras reads jsonschema_extras:"…", which accepts only x- keywords.
func (t *Tags) readExtras(p Pair) {
	for i, part := range splitSegments(p.Value) {
		if name, _, _ := strings.Cut(part, "="); !strings.HasPrefix(name, jsondoc.ExtensionPrefix) {
			t.refuse(part, "jsonschema_extras would override the type", `standard keywords belong in jsonschema:"…", others start with x-`)
			continue
		}
		t.readSegment(part, i > 0)
	}
}

// readSegment reads one keyword. A segment after the first may be the rest of a value that contains a comma.
func (t *Tags) readSegment(part string, later bool) {
	name, value, hasValue := strings.Cut(part, "=")
	k := KeywordNamed(name)
	switch {
	case part == "":
		t.refuse(part, "a comma with no keyword beside it", "drop the comma")
	case k == nil && strings.TrimSpace(name) != name && KeywordNamed(strings.TrimSpace(name)) != nil:
		t.refuse(part, "a blank beside the keyword", "write "+strings.TrimSpace(name)+" right after the comma")
	case k == nil:
		t.unknown(part, name, hasValue, later)
	case k.Form == formFlag && hasValue && value != "true":
		t.refuse(part, fmt.Sprintf("%s takes no value, it cannot be %s", k.Name, value), "write "+k.Name+", or leave it out")
	case k.Form != formFlag && !hasValue:
		t.refuse(part, k.Name+" has no value", "write "+k.Name+k.Form.String())
	case !k.repeat && t.Has(k.Name):
		t.refuse(part, k.Name+" is given twice", "keep one")
	case k.Name == "description" && strings.TrimSpace(value) == "":
		t.refuse(part, "description has no value", "write a description, or drop the keyword")
	case k.Name == "description":
		t.describe(value, part)
	default:
		t.segments = append(t.segments, segment{k, value, part})
	}
}

// unknown adds the mistake of an unknown keyword.
func (t *Tags) unknown(part, name string, hasValue, later bool) {
	fix := refused[name]
	near := suggest.Nearest(name, keywordNames)
	switch {
	case fix != "":
		t.refuse(part, name+" cannot be written in a tag", fix)
		return
	case near != "":
		t.Mistakes = append(t.Mistakes, Mistake{Tag: part, Reason: fmt.Sprintf("unknown keyword %q", name), Fix: "write " + near, near: KeywordNamed(near)})
		return
	case later && !hasValue:
		fix = `a comma inside a value is written \\, and each enum value as its own enum=; prose is best in doc:"…"`
	default:
		fix = `see the table in the package documentation; custom keywords start with x-, prose goes into doc:"…"`
	}
	t.refuse(part, fmt.Sprintf("unknown keyword %q", name), fix)
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
func (t *Tags) foreign(p Pair) {
	unknown := fmt.Sprintf("unknown tag key %q", p.Key)
	if i := slices.IndexFunc(ownKeys, func(own string) bool { return isMisspeltKey(p.Key, own) }); i >= 0 {
		t.refuse(p.Text, unknown, "write "+ownKeys[i])
		return
	}
	i := slices.IndexFunc(Keywords, func(k Keyword) bool { return isMisspeltKey(p.Key, k.Name) })
	if i < 0 {
		if strings.ContainsFunc(p.Key, func(r rune) bool { return r > unicode.MaxASCII }) {
			t.refuse(p.Text, fmt.Sprintf("the tag key %q has non-ASCII letters, and may look like another", p.Key), "write the key in ASCII, or drop the tag")
		}
		return
	}
	k := &Keywords[i]
	if p.Key == k.Name || p.Key == k.Name+"s" { // enums is a key of swag
		if t.Has(k.Name) || (k.Name == "description" && t.From != "") {
			return
		}
		unknown = k.Name + " is a keyword of the jsonschema tag, not a separate tag"
	}
	switch {
	case k.Name == "description":
		t.refuse(p.Text, unknown, fmt.Sprintf("write doc:%q", p.Value))
	case k.Form == formFlag:
		t.refuse(p.Text, unknown, fmt.Sprintf("write jsonschema:%q", k.Name))
	default:
		t.refuse(p.Text, unknown, fmt.Sprintf("write jsonschema:%q", asSegments(k, p.Value)))
	}
}

// asSegments returns the value of a keyword's own tag, in which commas separate several values, as segments of a
// jsonschema tag.
func asSegments(k *Keyword, value string) string {
	if k.Name != "enum" {
		return k.Name + "=" + strings.ReplaceAll(value, ",", `\,`)
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
