package reflectschema

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/suggest"
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
// would overlook in silence is a mistake here: the rest of such a tag is lost.
func splitStructTag(tag reflect.StructTag) ([]tagPair, *mistake) {
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
		end := keyEnd(rest)
		if end <= 0 || rest[end] != ':' || end+1 == len(rest) || rest[end+1] != '"' {
			return pairs, malformed(tag, rest)
		}
		quoted, err := strconv.QuotedPrefix(rest[end+1:])
		if err != nil {
			return pairs, malformed(tag, rest)
		}
		value := quoted[1 : len(quoted)-1]
		if strings.Contains(value, `\`) || !utf8.ValidString(value) {
			if value, err = strconv.Unquote(quoted); err != nil {
				return pairs, malformed(tag, rest)
			}
		}
		text := rest[:end+1+len(quoted)]
		pairs = append(pairs, tagPair{key: rest[:end], value: value, text: text})
		rest = rest[len(text):]
	}
}

// keyEnd returns where the key ends that text begins with, -1 if it does not end.
func keyEnd(text string) int {
	for i := range len(text) {
		switch c := text[i]; {
		case c <= ' ', c == 0x7f, c == ':', c == '"', c == ',', c == ';', c == '=':
			return i
		}
	}
	return -1
}

func malformed(tag reflect.StructTag, rest string) *mistake {
	return &mistake{
		tag:    string(tag),
		reason: "malformed struct tag: Go reads nothing from " + strconv.Quote(rest) + " on",
		fix:    `write key:"value" pairs with one space between them, and none after the colon`,
	}
}

// A jsonTag is what a json:"…" tag says.
type jsonTag struct {
	text      string
	name      string // "" when the Go name stands
	skip      bool
	omitEmpty bool
	omitZero  bool
	quoted    bool
}

var jsonOptions = []string{"omitempty", "omitzero", "string"}

// parseJSONTag reads a json:"…" tag. encoding/json ignores a name or an option
// that it does not know; here both are mistakes, since the author meant something.
func parseJSONTag(pairs []tagPair, embedded bool) (tag jsonTag, mistakes []mistake) {
	for _, p := range pairs {
		if p.key != "json" {
			continue
		}
		tag.text = p.text
		if p.value == "-" {
			tag.skip = true
			return tag, nil
		}
		name, options, hasOptions := strings.Cut(p.value, ",")
		tag.name = name
		if f := checkJSONName(name); f != nil {
			f.tag = p.text
			mistakes, tag.name = append(mistakes, *f), ""
		}
		if !hasOptions || options == "" {
			return tag, mistakes
		}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "omitempty":
				tag.omitEmpty = true
			case "omitzero":
				tag.omitZero = true
			case "string":
				tag.quoted = true
			case "inline":
				if embedded && name == "" {
					continue // says what embedding does anyway; common in Kubernetes types
				}
				mistakes = append(mistakes, unknownOption(p.text, option))
			default:
				mistakes = append(mistakes, unknownOption(p.text, option))
			}
		}
		return tag, mistakes
	}
	return tag, nil
}

func unknownOption(text, option string) mistake {
	f := mistake{tag: text, reason: fmt.Sprintf("encoding/json has no option %q and ignores it", option)}
	switch near := suggest.Nearest(option, jsonOptions); {
	case near != "":
		f.fix = "write " + near
	case option == "inline" || option == "embed":
		f.fix = "embed the struct without a name instead"
	case option == "required" || option == "optional" || option == "nullable":
		f.fix = fmt.Sprintf("write jsonschema:%q", option)
	default:
		f.fix = "the options are " + strings.Join(jsonOptions, ", ")
	}
	return f
}

// checkJSONName refuses what encoding/json would not take as a name.
func checkJSONName(name string) *mistake {
	for _, r := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return &mistake{
				reason: fmt.Sprintf("encoding/json does not take %q as a name, because of %q, and would use the Go name", name, r),
				fix:    "use letters, digits and !#$%&()*+-./:;<=>?@[]^_{|}~",
			}
		}
	}
	return nil
}
