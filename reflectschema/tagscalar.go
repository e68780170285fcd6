package reflectschema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// checkPattern refuses a pattern that the two readers of it would take
// differently or not at all: Go's RE2 here, ECMAScript with the u flag in the
// validators of most clients.
func checkPattern(pattern string) *mistake {
	if pattern == "" {
		return &mistake{reason: "pattern has no value", fix: "write a regular expression, or drop the keyword"}
	}
	if _, err := regexp.Compile(pattern); err != nil {
		return &mistake{
			reason: strings.TrimPrefix(err.Error(), "error parsing regexp: "),
			fix:    `use RE2 syntax, in a tag with \\ for \ and \\, for a comma`,
		}
	}
	if d := rules.NotECMA(pattern); d != nil {
		return &mistake{reason: d.Reason, fix: d.Fix}
	}
	return nil
}

// parseCount reads a number of characters, elements or members.
func parseCount(seg segment, n *node) (json.RawMessage, *mistake) {
	count, err := strconv.ParseUint(seg.value, 10, 31)
	if err != nil || !isInteger().MatchString(seg.value) {
		return nil, &mistake{reason: fmt.Sprintf("%q is not a count", seg.value), fix: "write a whole number from 0 to 2147483647"}
	}
	if shapeOf(n) == onBytes && count%4 != 0 {
		return nil, &mistake{
			reason: fmt.Sprintf("no base64 text has %d characters: each 3 bytes, or what is left of them, are 4", count),
			fix:    fmt.Sprintf("write %s=%d for %s", seg.keyword.name, (count+2)/3*4, show.Plural(seg.value, "byte")),
		}
	}
	return json.RawMessage(seg.value), nil
}

// durationType is written as a number of nanoseconds, which is hard to read in a tag.
var durationType = reflect.TypeFor[time.Duration]()

// numberText returns the JSON number that a tag writes for a value of a node: the text
// itself, or for a time.Duration also one such as 1m30s.
func numberText(text string, n *node) (string, *mistake) {
	if n.goType != durationType || isNumber().MatchString(text) {
		return text, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return "", &mistake{reason: fmt.Sprintf("%q is no duration that time.ParseDuration reads", text), fix: "write it like 1m30s, or as a number of nanoseconds"}
	}
	return strconv.FormatInt(int64(d), 10), nil
}

// parseNumberOf reads a number of the type of a node, and returns it in JSON, too.
func parseNumberOf(text string, n *node) (string, *big.Rat, *mistake) {
	text, f := numberText(text, n)
	if f != nil {
		return "", nil, f
	}
	r, f := parseNumber(text)
	return text, r, f
}

// checkNull refuses the value null on a field that may be null, where it would be the text "null".
func (t *fieldTag) checkNull(seg segment, n *node) *mistake {
	k, bare := seg.keyword, n.bare()
	if k.form != formValue || seg.value != "null" || n.kind != kindPointer && !t.has("nullable") {
		return nil
	}
	target := bare
	if shape := shapeOf(bare); k.name == "default" && (shape == onSlice || shape == onArray) && bare.elem != nil {
		target = bare.elem
	}
	if value, f := parseGoValue(seg.value, target); f != nil || string(value) != `"null"` {
		return nil
	}
	made := &mistake{tag: seg.text, reason: fmt.Sprintf(`the %s would be the text "null"`, k.name)}
	switch {
	case k.name != "default":
		made.fix = "drop it: nullable lets null through beside every other keyword"
	case n.goType.Kind() == reflect.Pointer:
		made.fix = fmt.Sprintf("drop it: %s is nil when it is absent", n.goType)
	default:
		made.fix = fmt.Sprintf("write optional instead: %s is nil when it is absent", n.goType)
	}
	return made
}
