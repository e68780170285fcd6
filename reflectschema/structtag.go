package reflectschema

import (
	"reflect"
	"strconv"
	"strings"
)

// A tagPair is one key:"value" of a struct tag.
type tagPair struct {
	key   string
	value string // unquoted
	text  string // as it stands in the source
}

// describes reports whether the pair is one of ours that says something about the field or
// its struct: any but json, which names it.
func (p tagPair) describes() bool { return p.key != "json" && tagReaders[p.key] != nil }

// splitStructTag splits a struct tag into its pairs. What reflect.StructTag
// would overlook in silence is a fault here: the rest of such a tag is lost.
func splitStructTag(tag reflect.StructTag) ([]tagPair, *fault) {
	rest := string(tag)
	if rest == "" {
		return nil, nil
	}
	pairs := make([]tagPair, 0, 2) // json and one of ours
	for {
		rest = strings.TrimLeft(rest, " ")
		if rest == "" {
			return pairs, nil
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(":\",;=", r) })
		if end <= 0 || rest[end] != ':' || end+1 == len(rest) || rest[end+1] != '"' {
			return pairs, malformed(tag, rest)
		}
		quoted, err := strconv.QuotedPrefix(rest[end+1:])
		if err != nil {
			return pairs, malformed(tag, rest)
		}
		value, err := strconv.Unquote(quoted)
		if err != nil {
			return pairs, malformed(tag, rest)
		}
		text := rest[:end+1+len(quoted)]
		pairs = append(pairs, tagPair{key: rest[:end], value: value, text: text})
		rest = rest[len(text):]
	}
}

func malformed(tag reflect.StructTag, rest string) *fault {
	return &fault{
		tag:    string(tag),
		reason: "malformed struct tag: Go reads nothing from " + strconv.Quote(rest) + " on",
		fix:    `write key:"value" pairs with one space between them, and none after the colon`,
	}
}
