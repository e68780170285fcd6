package reflectschema

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/mcptool-go/mcptool/internal/suggest"
)

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
// that it does not know; here both are faults, since the author meant something.
func parseJSONTag(pairs []tagPair, embedded bool) (tag jsonTag, faults []fault) {
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
			faults, tag.name = append(faults, *f), ""
		}
		if !hasOptions || options == "" {
			return tag, faults
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
				faults = append(faults, unknownOption(p.text, option))
			default:
				faults = append(faults, unknownOption(p.text, option))
			}
		}
		return tag, faults
	}
	return tag, nil
}

func unknownOption(text, option string) fault {
	f := fault{tag: text, reason: fmt.Sprintf("encoding/json has no option %q and ignores it", option)}
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
func checkJSONName(name string) *fault {
	for _, r := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return &fault{
				reason: fmt.Sprintf("encoding/json does not take %q as a name, because of %q, and would use the Go name", name, r),
				fix:    "use letters, digits and !#$%&()*+-./:;<=>?@[]^_{|}~",
			}
		}
	}
	return nil
}
