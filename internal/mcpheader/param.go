package mcpheader

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// CheckParams compares the headers that repeat arguments of a call, Mcp-Param-*, with the
// arguments. It ignores headers that params does not have. The error is one sentence.
func CheckParams(h map[string][]string, params []private.ParamHeader, arguments []byte) error {
	for _, param := range params {
		name := "Mcp-Param-" + param.Name
		key := name
		for canonical := range h {
			if strings.EqualFold(canonical, name) {
				key = canonical
			}
		}
		if err := checkParam(h, key, argument(arguments, param.Path)); err != nil {
			return fmt.Errorf("the header %s %w", name, err)
		}
	}
	return nil
}

// checkParam compares one header with one argument, raw JSON or nil. An argument of
// another type than string, number or boolean is left to the validation of the arguments.
func checkParam(h map[string][]string, name string, raw []byte) error {
	value, err := Single(h, name)
	if err == nil {
		value, err = Decode(value)
	}
	kind := rawjson.KindOf(raw)
	if kind == rawjson.Invalid {
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
	if value == string(raw) {
		return true
	}
	for _, text := range []string{value, string(raw)} {
		if i := strings.IndexAny(text, "eE"); len(text) > maxDigits || i >= 0 && len(text)-i > len("e-999") {
			return false // the exact value would take a lot of time or memory
		}
	}
	one, ok := new(big.Rat).SetString(value) // not ok with the white space that Valid allows
	two, _ := new(big.Rat).SetString(string(raw))
	return ok && one.Cmp(two) == 0
}

// maxDigits is the maximum length of numbers that are compared when they are written differently: big.Rat takes time
// that grows with the square of the length.
const maxDigits = 400

// argument returns the value at a path in raw, a JSON object or nil. It returns nil if
// there is none, or null.
func argument(raw []byte, path []string) []byte {
	for _, name := range path {
		raw = rawjson.Lookup(raw, name)
	}
	return raw
}
