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
	text  string // as written in the source
}

// describes reports whether the pair is a tag of this package that describes the field or its struct: any except json.
func (p tagPair) describes() bool { return p.key != "json" && tagReaders[p.key] != nil }

// splitStructTag splits a struct tag into its pairs. A malformed tag is a mistake; reflect.StructTag would silently
// ignore the rest of it.
func splitStructTag(tag reflect.StructTag) ([]tagPair, *mistake) {
	rest := string(tag)
	if rest == "" {
		return nil, nil
	}
	pairs := make([]tagPair, 0, 2) // json and one tag of this package
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

// keyEnd returns the length of the key at the start of text, -1 if it does not end.
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

// A jsonTag is a parsed json:"…" tag.
type jsonTag struct {
	text      string
	name      string // "": the Go name applies
	skip      bool
	omitEmpty bool
	omitZero  bool
	quoted    bool
}

var jsonOptions = []string{"omitempty", "omitzero", "string"}

// parseJSONTag reads a json:"…" tag. encoding/json ignores invalid names and unknown options; here both are mistakes,
// because the author meant something by them.
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
					continue // has no effect on an embedded struct; common in Kubernetes types
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

// checkJSONName rejects names that encoding/json would not accept.
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
