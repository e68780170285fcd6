package reflectschema

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/mcptool-go/mcptool/internal/suggest"
)

// foreignKeys are tag keys of other libraries, or of a program itself, that are one slip away from one of ours.
var foreignKeys = []string{
	"bson", "hjson", "ejson", "sjson", "gjson", "cjson", "jsonb", "json5", "jsonl", "jsonld", "jsonp", "jsonpb", "jsonv1", "jsonv2", // json
	"dc", "do", "dog", "docx", "dock", "loc", "poc", "soc", "toc", "voc", // doc
	"cp", "map", "mac", "mcu", "tcp", "ncp", "scp", // mcp
	"num", "cost", "tile", // enum, const, title
}

// foreign finds a key of the struct tag that was meant for us: our own keys
// and keywords, misspelt or in the wrong place. Such a key says nothing to
// anybody. A keyword that stands in the jsonschema tag as well is left alone,
// because another library may read it here.
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

// asSegments writes a keyword with a value from a tag of its own, in which several values stand with commas between.
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

// isMisspeltKey reports whether a key is ours up to case and one slip, with letters of other scripts in place of similar
// ones; and no key of another library. Two slips at the end of json are not taken for a key of another library either.
func isMisspeltKey(key, own string) bool {
	if slices.Contains(foreignKeys, key) {
		return false
	}
	key, own = strings.ToLower(key), strings.ToLower(own)
	if !isASCII(key) {
		return isLookAlike(key, own)
	}
	distance := suggest.Distance(key, own)
	return distance <= 1 || own == "json" && distance == 2 && strings.HasPrefix(key, "jso")
}

// isLookAlike reports whether a key is ours with characters outside of ASCII in place of some letters, or between them.
func isLookAlike(key, own string) bool {
	plain := []rune(strings.ToLower(plainTag(key)))
	if len(plain) != len(own) {
		return false
	}
	same := 0
	for i, r := range plain {
		if r <= unicode.MaxASCII {
			if byte(r) != own[i] {
				return false
			}
			same++
		}
	}
	return same > 0
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}
