package tag

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/suggest"
)

// A Pair is one key:"value" of a struct tag.
type Pair struct {
	Key   string
	Value string // unquoted
	Text  string // as written in the source
}

// Describes reports whether the pair is a tag of this package that describes the field or its struct: any except json.
func (p Pair) Describes() bool { return p.Key != "json" && readers[p.Key] != nil }

// IsMeant reports whether a struct tag has, or was meant to have, a tag of this package that describes the field or its
// struct: also if it is malformed, or the key jsonschema is misspelt.
func IsMeant(tag reflect.StructTag) bool {
	pairs, problem := Split(tag)
	return slices.ContainsFunc(pairs, func(p Pair) bool { return p.Describes() || isMisspeltKey(p.Key, "jsonschema") }) ||
		problem != nil && strings.Contains(string(tag), "jsonschema")
}

// Split splits a struct tag into its pairs. A malformed tag is a mistake; reflect.StructTag would silently
// ignore the rest of it.
func Split(tag reflect.StructTag) ([]Pair, *Mistake) {
	rest := string(tag)
	if rest == "" {
		return nil, nil
	}
	pairs := make([]Pair, 0, 2) // json and one tag of this package
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
		pairs = append(pairs, Pair{Key: rest[:end], Value: value, Text: text})
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

func malformed(tag reflect.StructTag, rest string) *Mistake {
	return &Mistake{
		Tag:    string(tag),
		Reason: "malformed struct tag: Go reads nothing from " + strconv.Quote(rest) + " on",
		Fix:    `write key:"value" pairs with one space between them, and none after the colon`,
	}
}

// A JSON is a parsed json:"…" tag.
type JSON struct {
	Text      string
	Name      string // "": the Go name applies
	Skip      bool
	OmitEmpty bool
	OmitZero  bool
	Quoted    bool
}

var jsonOptions = []string{"omitempty", "omitzero", "string"}

// ParseJSON reads a json:"…" tag. encoding/json ignores invalid names and unknown options; here both are mistakes,
// because the author meant something by them.
func ParseJSON(pairs []Pair, embedded bool) (tag JSON, mistakes []Mistake) {
	for _, p := range pairs {
		if p.Key != "json" {
			continue
		}
		tag.Text = p.Text
		if p.Value == "-" {
			tag.Skip = true
			return tag, nil
		}
		name, options, hasOptions := strings.Cut(p.Value, ",")
		tag.Name = name
		if f := CheckName(name); f != nil {
			f.Tag = p.Text
			mistakes, tag.Name = append(mistakes, *f), ""
		}
		if !hasOptions || options == "" {
			return tag, mistakes
		}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "omitempty":
				tag.OmitEmpty = true
			case "omitzero":
				tag.OmitZero = true
			case "string":
				tag.Quoted = true
			case "inline":
				if embedded && name == "" {
					continue // has no effect on an embedded struct; common in Kubernetes types
				}
				mistakes = append(mistakes, unknownOption(p.Text, option))
			default:
				mistakes = append(mistakes, unknownOption(p.Text, option))
			}
		}
		return tag, mistakes
	}
	return tag, nil
}

func unknownOption(text, option string) Mistake {
	f := Mistake{Tag: text, Reason: fmt.Sprintf("encoding/json has no option %q and ignores it", option)}
	switch near := suggest.Nearest(option, jsonOptions); {
	case near != "":
		f.Fix = "write " + near
	case option == "inline" || option == "embed":
		f.Fix = "embed the struct without a name instead"
	case option == "required" || option == "optional" || option == "nullable":
		f.Fix = fmt.Sprintf("write jsonschema:%q", option)
	default:
		f.Fix = "the options are " + strings.Join(jsonOptions, ", ")
	}
	return f
}

// CheckName rejects names that encoding/json would not accept.
func CheckName(name string) *Mistake {
	for _, r := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return &Mistake{
				Reason: fmt.Sprintf("encoding/json rejects the name %q because of %q, and would use the Go name", name, r),
				Fix:    "use letters, digits and !#$%&()*+-./:;<=>?@[]^_{|}~",
			}
		}
	}
	return nil
}
