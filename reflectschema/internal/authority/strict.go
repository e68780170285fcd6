package authority

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// Limits of the strict front end. They keep every later step linear: exact
// arithmetic on 1e10000000 takes seconds, and recursion follows nesting.
const (
	MaxDepth    = 512 // levels of arrays and objects
	MaxNumber   = 100 // bytes of one number
	maxExponent = 999 // digits an exponent may shift by
)

// sizesFrom is the length of JSON, in bytes, from which the parts of arrays and objects are counted before they are read.
// A map that grows to half a million members leaves three times its memory as garbage.
const sizesFrom = 64 << 10

// firstMembers is the most members that a new map has room for. When it has so many it is replaced by one with room for
// all: until then the members may turn out to be duplicates, which is an error.
const firstMembers = 4 << 10

// WantJSON is what a violation wants whose bytes are not JSON at all.
const WantJSON = "valid JSON"

// Value is a JSON value that passed the front end: objects are
// map[string]any, arrays []any, numbers json.Number as they were written.
type Value struct {
	Any  any
	Size int // how many values it is made of, itself included
}

// Parse reads data, which must be exactly one JSON value as RFC 7493
// (I-JSON) wants it: valid UTF-8, no lone surrogates, no duplicate names; and
// within the limits above. Any other input is a *NotStrictError. Time and memory
// are linear in len(data), whatever it holds.
func Parse(data []byte) (Value, error) {
	r := strictReader{}
	r.scan.Reset(data, MaxDepth)
	if len(data) >= sizesFrom {
		r.sizes = jsonscan.Sizes(data, MaxDepth)
	}
	v, err := r.value(nil)
	if err == nil {
		r.scan.End()
		err = r.syntax(nil)
	}
	if err != nil {
		return Value{}, err
	}
	return Value{v, r.size}, nil
}

// strictReader reads one value.
type strictReader struct {
	scan  jsonscan.Scanner
	size  int
	sizes []uint32 // of the arrays and objects that have not begun yet, in order; nil if they were not counted
}

// nextSize returns the number of parts of the array or object that begins here, 0 if they were not counted.
func (r *strictReader) nextSize() int {
	if len(r.sizes) == 0 {
		return 0
	}
	n := r.sizes[0]
	r.sizes = r.sizes[1:]
	return int(n)
}

func (r *strictReader) value(at jsondoc.Path) (any, error) {
	r.size++
	kind := r.scan.Next()
	if kind == jsonscan.Object || kind == jsonscan.Array {
		if len(at) >= MaxDepth {
			return nil, refuse(at, fmt.Sprintf("nested at most %d levels deep", MaxDepth), "deeper nesting")
		}
		if kind == jsonscan.Object {
			return r.object(at)
		}
		return r.array(at)
	}
	raw := r.scan.Value()
	if err := r.syntax(at); err != nil {
		return nil, err
	}
	switch kind {
	case jsonscan.Number:
		if want, got := excess(raw); want != "" {
			return nil, refuse(at, want, got)
		}
		return json.Number(raw), nil
	case jsonscan.String:
		return string(jsonscan.Unquote(raw)), nil
	case jsonscan.Bool:
		return raw[0] == 't', nil
	default:
		return nil, nil
	}
}

func (r *strictReader) object(at jsondoc.Path) (any, error) {
	size := r.nextSize()
	obj := make(map[string]any, min(size, firstMembers))
	in := at.Member("")
	r.scan.OpenObject()
	for raw, ok := r.scan.Member(); ok; raw, ok = r.scan.Member() {
		if len(obj) == firstMembers && size > firstMembers {
			obj, size = enlarged(obj, size), 0
		}
		name := string(raw)
		in[len(at)].Name = name
		if _, given := obj[name]; given {
			return nil, refuse(in, "given once", "it twice")
		}
		var err error
		if obj[name], err = r.value(in); err != nil {
			return nil, err
		}
	}
	return obj, r.syntax(at)
}

// enlarged returns a copy of obj that has room for size members.
func enlarged(obj map[string]any, size int) map[string]any {
	large := make(map[string]any, size)
	maps.Copy(large, obj)
	return large
}

func (r *strictReader) array(at jsondoc.Path) (any, error) {
	arr := make([]any, 0, r.nextSize())
	in := at.Element(0)
	r.scan.OpenArray()
	for r.scan.Element() {
		in[len(at)].Index = len(arr)
		v, err := r.value(in)
		if err != nil {
			return nil, err
		}
		arr = append(arr, v)
	}
	in[len(at)].Index = len(arr)
	return arr, r.syntax(in)
}

// excess returns which limit a number exceeds, and by what, empty if it exceeds none.
func excess(number []byte) (want, got string) {
	if len(number) > MaxNumber {
		return fmt.Sprintf("a number of at most %d characters", MaxNumber), fmt.Sprintf("%d characters", len(number))
	}
	if !IsWithinLimits(number) {
		return fmt.Sprintf("a number with an exponent of at most %d", maxExponent), show.Clip(string(number), show.MaxText)
	}
	return "", ""
}

// IsWithinLimits reports whether a number is within the limits of length and exponent.
func IsWithinLimits(number []byte) bool {
	i := bytes.IndexAny(number, "eE")
	return len(number) <= MaxNumber && (i < 0 || len(bytes.TrimLeft(number[i+1:], "+-0")) <= len("999"))
}

// syntax returns the error of the scanner, nil if it has none.
func (r *strictReader) syntax(at jsondoc.Path) error {
	problem := (*jsonscan.SyntaxError)(nil)
	if !errors.As(r.scan.Err(), &problem) {
		return nil
	}
	return refuse(at, WantJSON, problem.Problem+", at byte "+strconv.Itoa(problem.Offset))
}

// NotStrictError says what keeps bytes from being one value of strict JSON.
type NotStrictError struct {
	At        jsondoc.Path
	Want, Got string
}

// Error implements error; who shows it to people words it.
func (e *NotStrictError) Error() string { return "not strict JSON" }

func refuse(at jsondoc.Path, want, got string) error {
	return &NotStrictError{slices.Clone(at), want, got}
}

// Locate follows the tokens of a JSON pointer through v. It returns them as a
// path, which knows indices from names, and the value found there, nil where
// there is none.
func Locate(v any, tokens []string) (jsondoc.Path, any) {
	p := make(jsondoc.Path, 0, len(tokens))
	for _, token := range tokens {
		switch parent := v.(type) {
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(parent) {
				return p.Member(token), nil
			}
			p, v = p.Element(i), parent[i]
		case map[string]any:
			p, v = p.Member(token), parent[token]
		default:
			p, v = p.Member(token), nil
		}
	}
	return p, v
}
