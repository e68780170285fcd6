package mcpheader

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// CheckParams compares the headers that repeat arguments of a call, Mcp-Param-*, with the
// arguments. It ignores headers that params does not have. The error is one sentence.
func CheckParams(h map[string][]string, params []private.ParamHeader, arguments []byte) error {
	for _, param := range params {
		name := canonical("Mcp-Param-" + param.Name)
		if err := checkParam(h, name, argument(arguments, param.Path)); err != nil {
			return fmt.Errorf("the header %s %w", "Mcp-Param-"+param.Name, err)
		}
	}
	return nil
}

// canonical returns the canonical form of the name of a header, as net/http.CanonicalHeaderKey, which would bring that
// package into servers over stdio.
func canonical(name string) string {
	b := []byte(name)
	upper := true
	for i, c := range b {
		switch {
		case upper && 'a' <= c && c <= 'z':
			b[i] = c - ('a' - 'A')
		case !upper && 'A' <= c && c <= 'Z':
			b[i] = c + ('a' - 'A')
		}
		upper = c == '-'
	}
	return string(b)
}

// checkParam compares one header with one argument, raw JSON or nil. An argument of
// another type than string, number or boolean is left to the validation of the arguments.
func checkParam(h map[string][]string, name string, raw []byte) error {
	value, err := Single(h, name)
	if err == nil {
		value, err = Decode(value)
	}
	kind := rawjson.KindOf(raw)
	if kind == rawjson.Invalid || kind == rawjson.Null {
		if errors.Is(err, ErrAbsent) {
			return nil
		}
		return errors.New("repeats an argument that is missing")
	}
	if err != nil {
		return err
	}
	same := true
	switch kind {
	case rawjson.String:
		same = value == string(rawjson.Unquote(raw))
	case rawjson.Number:
		same = sameNumber(value, raw)
	case rawjson.Bool:
		same = value == string(raw)
	default:
	}
	if !same {
		return errors.New("does not match the argument")
	}
	return nil
}

// sameNumber reports whether value is a JSON number that equals raw exactly: 9007199254740993 and its neighbour are the
// same float64, and a proxy may have read either.
func sameNumber(value string, raw []byte) bool {
	if rawjson.KindOf([]byte(value)) != rawjson.Number || rawjson.Valid([]byte(value), 1) != nil {
		return false
	}
	one, okOne := decimalOf(value)
	two, okTwo := decimalOf(string(raw))
	return value == string(raw) || okOne && okTwo && one == two
}

// decimal is a number: 0.digits times ten to the exponent. Digits have no zero at either end, so
// that equal numbers are equal decimals; the number 0 has none.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// decimalOf parses a JSON number. It reports whether its exponent fits 32 bits.
func decimalOf(text string) (d decimal, ok bool) {
	text, d.negative = strings.CutPrefix(text, "-")
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exponent, err := strconv.ParseInt(text[i+1:], 10, 32)
		if err != nil {
			return d, false
		}
		text, d.exponent = text[:i], int(exponent)
	}
	whole, fraction, _ := strings.Cut(text, ".")
	d.exponent += len(whole)
	d.digits = strings.TrimLeft(whole+fraction, "0")
	d.exponent -= len(whole) + len(fraction) - len(d.digits)
	if d.digits = strings.TrimRight(d.digits, "0"); d.digits == "" {
		return decimal{}, true
	}
	return d, true
}

// argument returns the value at a path in raw, a JSON object or nil. It returns nil if
// there is none.
func argument(raw []byte, path []string) []byte {
	for _, name := range path {
		if rawjson.KindOf(raw) != rawjson.Object {
			return nil
		}
		var found []byte
		s := rawjson.New(raw, 0)
		s.OpenObject()
		for member, ok := s.Member(); ok; member, ok = s.Member() {
			here := string(member) == name
			if value := s.Value(); here {
				found = value
			}
		}
		raw = found
	}
	return raw
}
