package verdict

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/netip"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// A refusal is a violation in a value that the framework rejects and the judge accepts.
type refusal struct {
	reflectschema.Violation
	goType reflect.Type
	judge  *judge
	data   []byte
	root   *node // nil if data is not JSON
}

// differences are all valid reasons for rejecting a value that the judge accepts. Each must be confirmed by independent
// code: encoding/json, a parser of the standard library, or the bytes themselves.
var differences = []struct {
	name   string
	reason string
	holds  func(r *refusal) bool
}{
	{"name given twice", "encoding/json keeps only the last one, so the reference validator does not see the first", func(r *refusal) bool {
		return r.isAboutJSON() && r.root != nil && r.root.repeats()
	}},
	{"invalid UTF-8", "encoding/json replaces invalid UTF-8", func(r *refusal) bool {
		return r.isAboutJSON() && !utf8.Valid(r.data)
	}},
	{"lone surrogate", "encoding/json replaces lone surrogates", func(r *refusal) bool {
		return r.isAboutJSON() && hasLoneSurrogate(r.data)
	}},
	{"limit of depth or digits", "the reference validator has no limits; ours are 512 levels, 100 characters of a number and an exponent of 999", func(r *refusal) bool {
		return r.isAboutJSON() && r.root != nil && isBeyondLimits(r.root)
	}},
	{"format", "the reference validator does not assert formats; a parser of the standard library also rejects the string", func(r *refusal) bool {
		return r.Keyword == "format" && r.value() != nil && r.value().isString() && failsFormat(r.Want, r.value().str())
	}},
	{"base64", "the reference validator does not assert contentEncoding; encoding/base64 also rejects the string", func(r *refusal) bool {
		return r.Keyword == "contentEncoding" && r.value() != nil && failsBase64(r.value().str())
	}},
	{"rounded bound", "the reference validator stores bounds as float64, which cannot represent this one", func(r *refusal) bool {
		return hasLossyKeyword(r.judge.schema, r.Keyword)
	}},
	{"rounded number", "the reference validator converts numbers to int64, uint64 or float64, none of which can represent this one", func(r *refusal) bool {
		if r.value() == nil {
			return false
		}
		for _, n := range r.value().all() {
			if n.isNumber() && isLossy(n.text) {
				return true
			}
		}
		return false
	}},
	{"multipleOf", "the reference validator divides float64s; exact division leaves a remainder", func(r *refusal) bool {
		return r.Keyword == "multipleOf" && leavesRest(r.value(), r.Want)
	}},
	{"range of a number", "schemas of int64, uint64, floats and map keys have no bounds; encoding/json also rejects the value", func(r *refusal) bool {
		return (r.Keyword == "propertyNames" || slices.Contains(wordRange[r.Keyword], r.Want)) && r.refusedByStandard()
	}},
	{"cannot be read back", "encoding/json encodes string keys of maps unchanged, and then cannot decode them", func(r *refusal) bool {
		return r.Keyword == "encode" && r.refusedByStandard()
	}},
	{"text of a Go type", "the schema cannot express all requirements of the Go type; encoding/json also rejects the string", func(r *refusal) bool {
		return r.Keyword == "decode" && r.refusedByStandard()
	}},
}

// classify returns the difference that explains why the framework rejects data and the judge does not. Each of the
// violations must be explained; the first determines the name. Otherwise it returns the unexplained violation.
func classify(invalid *reflectschema.InvalidError, goType reflect.Type, j *judge, data []byte) (name string, unexplained reflectschema.Violation) {
	root, _ := parse(data) // nil if it is not JSON
	for _, v := range invalid.Violations {
		difference := (&refusal{v, goType, j, data, root}).difference()
		if difference == "" {
			return "", v
		}
		if name == "" {
			name = difference
		}
	}
	return name, reflectschema.Violation{}
}

func (r *refusal) difference() string {
	for _, d := range differences {
		if d.holds(r) {
			return d.name
		}
	}
	return ""
}

// isAboutJSON reports whether the bytes are rejected independent of the schema.
func (r *refusal) isAboutJSON() bool { return r.Keyword == "json" || r.Keyword == "encode" }

// wordRange has the bounds of Go numbers that a schema does not express: of the largest types, and of all types
// in a string.
var wordRange = map[string][]string{
	"minimum": {"0", "-128", "-32768", "-2147483648", "-9223372036854775808", "-3.4028235e+38", "-1.7976931348623157e+308"},
	"maximum": {"127", "255", "32767", "65535", "2147483647", "4294967295", "9223372036854775807", "18446744073709551615", "3.4028235e+38", "1.7976931348623157e+308"},
}

// refusedByStandard reports whether encoding/json also rejects the data.
func (r *refusal) refusedByStandard() bool {
	return r.root != nil && json.Unmarshal(r.root.plain().JSON(), reflect.New(r.goType).Interface()) != nil
}

// value returns the rejected value; nil if there is none.
func (r *refusal) value() *node {
	if r.root == nil {
		return nil
	}
	return r.root.at(r.Pointer)
}

var surrogate = regexp.MustCompile(`\\u[dD]([89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|[89a-fA-F][0-9a-fA-F]{2})`)

// hasLoneSurrogate reports whether there is an unpaired escaped surrogate. It does not handle a preceding escaped
// backslash, which generated text does not contain.
func hasLoneSurrogate(data []byte) bool {
	for _, m := range surrogate.FindAll(data, -1) {
		if len(m) < 12 {
			return true
		}
	}
	return false
}

func isBeyondLimits(root *node) bool {
	if root.depth() > 512 {
		return true
	}
	for _, n := range root.all() {
		if !n.isNumber() {
			continue
		}
		_, exponent, _ := strings.Cut(strings.ToLower(n.text), "e")
		if e, err := strconv.Atoi(exponent); len(n.text) > 100 || exponent != "" && (err != nil || e > 999 || e < -999) {
			return true
		}
	}
	return false
}

// formatParsers reject strings that do not match a format. A format without a parser explains no difference.
var formatParsers = map[string]func(string) bool{
	"date-time": isTime,
	"date":      func(s string) bool { _, err := time.Parse(time.DateOnly, s); return err == nil },
	"time":      func(s string) bool { return isTime("2026-01-31T" + s) },
	"ipv4":      func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() },
	"ipv6":      func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is6() && a.Zone() == "" },
	"regex":     func(s string) bool { _, err := regexp.Compile(s); return err == nil },
	"uuid":      regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`).MatchString,
	"email":     regexp.MustCompile(`^[!-?A-~]+@([0-9A-Za-z.-]+|\[[!-?A-~]+\])$`).MatchString,                                       // RFC 5321: a domain or an address literal
	"uri":       regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:([a-zA-Z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9a-fA-F]{2})*$`).MatchString, // RFC 3986
}

// timeShape covers the checks that package time omits: it accepts an hour with one digit, and a comma.
var timeShape = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$`)

// isTime reports whether text is in the format of RFC 3339.
func isTime(text string) bool {
	_, err := time.Parse(time.RFC3339, text)
	return err == nil && timeShape.MatchString(text)
}

// isLowerTime reports whether text matches RFC 3339 only because lower-case letters are allowed.
func isLowerTime(text string) bool { return !isTime(text) && isTime(strings.ToUpper(text)) }

func failsFormat(format, text string) bool {
	for name, parses := range formatParsers {
		if strings.Contains(format, name) && (name != "time" || !strings.Contains(format, "date-time")) && !parses(text) {
			return true
		}
	}
	return false
}

// failsBase64 reports whether text is not base64 with the standard alphabet and padding.
func failsBase64(text string) bool {
	_, err := base64.StdEncoding.Strict().DecodeString(text)
	return err != nil || strings.ContainsAny(text, "\r\n")
}

func hasLossyKeyword(schema *node, keyword string) bool {
	for _, n := range schema.all() {
		for i, name := range n.names {
			if name == keyword && isLossyKeyword(name, n.values[i]) {
				return true
			}
		}
	}
	return false
}

// leavesRest reports whether value is a number and not a multiple.
func leavesRest(value *node, of string) bool {
	if value == nil {
		return false
	}
	n, isNumber := rational(value.text)
	m, isFactor := rational(of)
	return isNumber && isFactor && m.Sign() != 0 && !new(big.Rat).Quo(n, m).IsInt()
}

// plain returns the value with whole numbers in a form that encoding/json decodes into integers.
func (n *node) plain() *node {
	c := n.clone()
	for _, v := range c.all() {
		if v.isNumber() {
			if r, ok := rational(v.text); ok && r.IsInt() && len(r.Num().String()) < 1000 {
				v.text = r.Num().String()
			}
		}
	}
	return c
}

// nullArgument is the name of the difference found by [trial.call].
const nullArgument = "null for an optional argument, accepted"

// acceptances are all valid reasons for accepting a value that the judge rejects.
var acceptances = []struct {
	name   string
	reason string
	holds  func(j *judge, root *node, data []byte) bool
}{
	{"multipleOf, accepted", "the reference validator divides float64s: it accepts the value without multipleOf, and the value has a fraction or is beyond 2^50", func(j *judge, root *node, data []byte) bool {
		return j.refusesEvenSo(data) == nil && hasHardNumber(root)
	}},
	{nullArgument, "in arguments, null for an optional member means absent; the reference validator accepts the arguments without the member", func(*judge, *node, []byte) bool {
		return false // only calls accept it
	}},
	{"rounded number, accepted", "the reference validator converts numbers to int64, uint64 or float64, none of which can represent one in the value", func(_ *judge, root *node, _ []byte) bool {
		for _, n := range root.all() {
			if n.isNumber() && isLossy(n.text) {
				return true
			}
		}
		return false
	}},
}

// excuse returns the reason why the framework accepts data and the judge does not; "" if there is none.
func excuse(j *judge, data []byte) string {
	root, err := parse(data)
	if err != nil {
		return ""
	}
	for _, a := range acceptances {
		if a.holds(j, root, data) {
			return a.name
		}
	}
	return ""
}

func hasHardNumber(root *node) bool {
	limit := new(big.Rat).SetInt64(1 << 50)
	for _, n := range root.all() {
		if !n.isNumber() {
			continue
		}
		r, ok := rational(n.text)
		if !ok || !r.IsInt() || r.Abs(r).Cmp(limit) > 0 {
			return true
		}
	}
	return false
}

// sameJSON reports whether two texts are equal values, with numbers compared as float64 and members in any order.
func sameJSON(a, b []byte) bool {
	var x, y any
	return bytes.Equal(a, b) || json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
