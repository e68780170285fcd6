package tag

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// parseValue parses the value of a keyword by its form, and returns it as JSON.
func parseValue(seg segment, n *codec.Node) (json.RawMessage, *Mistake) {
	switch seg.keyword.Form {
	case formText:
		if strings.TrimSpace(seg.value) == "" {
			return nil, &Mistake{Reason: seg.keyword.Name + " has no value", Fix: "write some text, or drop the keyword"}
		}
		return jsondoc.AppendString(nil, seg.value), nil
	case formValue:
		return parseGoValue(seg.value, n)
	case formNumber:
		return parseBound(seg, n)
	case formCount:
		return parseCount(seg, n)
	case formPattern:
		if f := checkPattern(seg.value); f != nil {
			return nil, f
		}
		return jsondoc.AppendString(nil, seg.value), nil
	case formFormat:
		return parseFormat(seg.value, n)
	case formExtra:
		if value, err := compactJSON(seg.value); err == nil {
			return value, nil
		}
		return jsondoc.AppendString(nil, seg.value), nil
	case formBool:
		if seg.value != "true" && seg.value != "false" {
			return nil, &Mistake{Reason: fmt.Sprintf("%s is neither true nor false", strconv.Quote(seg.value)), Fix: "write true or false"}
		}
		return json.RawMessage(seg.value), nil
	case formFlag:
		return json.RawMessage("true"), nil
	default: // a form that was added without a case here
		return nil, &Mistake{Reason: seg.keyword.Name + " has a form that parseValue does not read", Fix: "read it there"}
	}
}

func parseFormat(name string, n *codec.Node) (json.RawMessage, *Mistake) {
	if own := TextTypes[FullName(n.GoType)].Format; n.Kind == codec.KindText && own != "" && own != name {
		return nil, &Mistake{Reason: fmt.Sprintf("the values of %s have the format %s already", n.GoType, own), Fix: "drop it"}
	}
	if IsFormat(name) {
		return jsondoc.AppendString(nil, name), nil
	}
	fix := "the formats are " + strings.Join(authority.Formats, ", ")
	if near := suggest.Nearest(name, authority.Formats); near != "" {
		fix = "write " + near
	}
	return nil, &Mistake{Reason: fmt.Sprintf("unknown format %q", name), Fix: fix}
}

// compactJSON returns text without white space if it is one JSON value.
func compactJSON(text string) (json.RawMessage, error) {
	var v bytes.Buffer
	if err := json.Compact(&v, []byte(text)); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	return v.Bytes(), nil
}

// checkPattern rejects a pattern that Go's RE2 and ECMAScript with the u flag, which most clients use, do not read
// alike.
func checkPattern(pattern string) *Mistake {
	if pattern == "" {
		return &Mistake{Reason: "pattern has no value", Fix: "write a regular expression, or drop the keyword"}
	}
	if _, err := regexp.Compile(pattern); err != nil {
		return &Mistake{
			Reason: strings.TrimPrefix(err.Error(), "error parsing regexp: "),
			Fix:    `use RE2 syntax, in a tag with \\ for \ and \\, for a comma`,
		}
	}
	if d := rules.NotECMA(pattern); d != nil {
		return &Mistake{Reason: d.Reason, Fix: d.Fix}
	}
	return nil
}

// parseCount parses a number of characters, elements or members.
func parseCount(seg segment, n *codec.Node) (json.RawMessage, *Mistake) {
	count, err := strconv.ParseUint(seg.value, 10, 31)
	if err != nil || !isInteger(seg.value) {
		return nil, &Mistake{Reason: fmt.Sprintf("%q is not a count", seg.value), Fix: "write a whole number from 0 to 2147483647"}
	}
	if shapeOf(n) == onBytes && count%4 != 0 {
		return nil, &Mistake{
			Reason: fmt.Sprintf("no base64 text has %d characters: every 3 bytes, or the rest, become 4", count),
			Fix:    fmt.Sprintf("write %s=%d for %s", seg.keyword.Name, (count+2)/3*4, show.Plural(seg.value, "byte")),
		}
	}
	return json.RawMessage(seg.value), nil
}

// isInteger reports whether text is a JSON number without a fraction or an exponent.
func isInteger[T ~string | ~[]byte](text T) bool {
	return isNumber(text) && rawjson.IsInteger([]byte(text))
}

// isNumber reports whether text is a JSON number within the limits of package authority.
func isNumber[T ~string | ~[]byte](text T) bool {
	end, ok := rawjson.NumberEnd([]byte(text), 0)
	return ok && end == len(text) && authority.IsWithinLimits([]byte(text))
}

// parseNumber parses a JSON number.
func parseNumber(text string) (*big.Rat, *Mistake) {
	if !isNumber(text) {
		return nil, &Mistake{Reason: fmt.Sprintf("%q is not a JSON number", text), Fix: "write it like 5, -0.5 or 1e6"}
	}
	r, _ := new(big.Rat).SetString(text)
	return r, nil
}

// parseBound parses the value of a bound, such as minimum. A bound that the type cannot hold is a mistake.
func parseBound(seg segment, n *codec.Node) (json.RawMessage, *Mistake) {
	if n.Ordered {
		return parseLimit(seg, n)
	}
	text, r, f := parseNumberOf(seg.value, n)
	if f != nil {
		return nil, f
	}
	switch {
	case seg.keyword.Name == "multipleOf" && r.Sign() <= 0:
		return nil, &Mistake{Reason: "multipleOf must be more than 0", Fix: "write a positive number"}
	case shapeOf(n) == onInteger && !r.IsInt():
		return nil, &Mistake{Reason: fmt.Sprintf("%s is not a whole number, as %s requires", seg.value, n.GoType), Fix: "write a whole number"}
	}
	low, high := n.Range()
	if low != nil && (r.Cmp(low) < 0 || r.Cmp(high) > 0) {
		return nil, &Mistake{Reason: fmt.Sprintf("%s cannot hold %s", n.GoType, seg.value), Fix: "stay within " + RangeText(n)}
	}
	return json.RawMessage(text), nil
}

// parseLimit parses a bound of a type with text methods, which is a string in JSON.
func parseLimit(seg segment, n *codec.Node) (json.RawMessage, *Mistake) {
	if n.Compare.IsValid() {
		if _, err := n.NewLimit(seg.keyword.Name, seg.value); err != nil {
			return nil, &Mistake{Reason: fmt.Sprintf("%s cannot hold %q: %s", n.GoType, seg.value, err), Fix: "write the bound as in JSON, without quotes"}
		}
	}
	return jsondoc.AppendString(nil, seg.value), nil
}

// parseNumberOf parses a number of the type of a node. It also returns the number as JSON.
func parseNumberOf(text string, n *codec.Node) (string, *big.Rat, *Mistake) {
	text, f := numberText(text, n)
	if f != nil {
		return "", nil, f
	}
	r, f := parseNumber(text)
	return text, r, f
}

// numberText returns the JSON number for a number in a tag: text itself or, for a time.Duration, also the value of a
// text such as 1m30s, because nanoseconds are hard to read in a tag.
func numberText(text string, n *codec.Node) (string, *Mistake) {
	if n.GoType != reflect.TypeFor[time.Duration]() || isNumber(text) {
		return text, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return "", &Mistake{Reason: fmt.Sprintf("%q is not a duration for time.ParseDuration", text), Fix: "write it like 1m30s, or as a number of nanoseconds"}
	}
	return strconv.FormatInt(int64(d), 10), nil
}

// RangeText describes the range of a number type.
func RangeText(n *codec.Node) string {
	if n.Kind == codec.KindFloat {
		return "the range of " + n.GoType.Kind().String()
	}
	low, high := n.Range()
	return low.RatString() + " and " + high.RatString()
}

// parseGoValue parses a value of the type of a node: strings as they are, numbers and bools as in JSON, everything else
// as JSON.
func parseGoValue(text string, n *codec.Node) (json.RawMessage, *Mistake) {
	n = n.Bare()
	shape := shapeOf(n)
	switch shape {
	case onQuoted:
		text, f := numberText(text, n)
		return jsondoc.AppendString(nil, text), f
	case onString, onText, onTime, onBytes:
		return jsondoc.AppendString(nil, text), nil
	case onBool:
		if text != "true" && text != "false" {
			return nil, &Mistake{Reason: fmt.Sprintf("%q is neither true nor false", text), Fix: "write true or false"}
		}
		return json.RawMessage(text), nil
	case onInteger, onNumber:
		return parseGoNumber(text, n, shape)
	default:
		value, err := compactJSON(text)
		if err != nil {
			return nil, &Mistake{Reason: fmt.Sprintf("%q is not JSON, which %s needs here", text, n.GoType), Fix: `write JSON, with \\, for each comma`}
		}
		return value, nil
	}
}

func parseGoNumber(text string, n *codec.Node, shape Shapes) (json.RawMessage, *Mistake) {
	text, r, f := parseNumberOf(text, n)
	switch {
	case f != nil:
		return nil, f
	case shape == onInteger && !isInteger(text):
		return nil, &Mistake{Reason: fmt.Sprintf("%q is not a whole number", text), Fix: "write only digits"}
	}
	if low, high := n.Range(); low != nil && (r.Cmp(low) < 0 || r.Cmp(high) > 0) {
		return nil, &Mistake{Reason: fmt.Sprintf("%s cannot hold %s", n.GoType, text), Fix: "write a value it can hold"}
	}
	return json.RawMessage(text), nil
}

// IsFormat reports whether values are checked for a format of this name.
func IsFormat(name string) bool { return slices.Contains(authority.Formats, name) }

// A TextType describes the texts of a type with text methods.
type TextType struct{ Format, Pattern, Description string }

// TextTypes describes well-known types by their full names, because most of them cannot be imported here.
var TextTypes = map[string]TextType{
	"time.Time":                         {Format: "date-time"}, // as the key of a map
	"github.com/google/uuid.UUID":       {Format: "uuid"},
	"github.com/gofrs/uuid.UUID":        {Format: "uuid"},
	"github.com/gofrs/uuid/v5.UUID":     {Format: "uuid"},
	"github.com/hashicorp/go-uuid.UUID": {Format: "uuid"},

	"github.com/mcptool-go/mcptool/reflectschema/datetime.Date":     {Format: "date", Description: DateDescription},
	"github.com/mcptool-go/mcptool/reflectschema/datetime.Duration": {Pattern: `^-?([0-9]+(\.[0-9]+)?(h|m|s|ms|us|ns))+$`, Description: "Duration such as 1h30m"},
}

// DateDescription is the default description of a datetime.Date. Forms omit it, because they show people a date.
const DateDescription = "Date as YYYY-MM-DD"

// FullName returns the name of a type with the path of its package.
func FullName(t reflect.Type) string { return t.PkgPath() + "." + t.Name() }
