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
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// Limits of [Parse]. They keep the time of all later steps linear: exact
// arithmetic with 1e10000000 would take seconds. They also bound recursion.
const (
	MaxDepth    = 512 // levels of arrays and objects
	MaxNumber   = 100 // length of a number, in bytes
	maxExponent = 999 // absolute value of an exponent
)

// sizesFrom is the length of JSON, in bytes, from which on the parts of arrays and objects are counted before they are
// read, so that they can be allocated with their final size. A map that grows to half a million members leaves three
// times its memory as garbage.
const sizesFrom = 64 << 10

// firstMembers is the largest initial size of a map. When a map has reached it, it is replaced by one for the counted
// number of members. So only a text with that many different names gets a large map: an earlier duplicate is an error.
const firstMembers = 4 << 10

// WantJSON is the Want of a [NotStrictError] for bytes that are not JSON.
const WantJSON = "valid JSON"

// Value is a JSON value that [Parse] has read: objects are map[string]any,
// arrays []any, and numbers json.Number as they were written.
type Value struct {
	Any  any
	Size int // number of values in it, including itself
}

// Parse reads data, which must be exactly one JSON value of RFC 7493 (I-JSON),
// that is, with valid UTF-8, without lone surrogates and without duplicate names,
// within the limits above. For any other input the error is a [*NotStrictError].
// Time and memory are linear in len(data), independent of its content.
func Parse(data []byte) (Value, error) {
	r := strictReader{}
	r.scan.Reset(data, MaxDepth)
	if len(data) >= sizesFrom {
		r.sizes = rawjson.Sizes(data, MaxDepth)
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
	scan  rawjson.Scanner
	size  int
	sizes []uint32 // numbers of parts of the arrays and objects that are still to be read; nil if they were not counted
}

// nextSize returns the number of parts of the next array or object, 0 if they were not counted.
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
	if kind == rawjson.Object || kind == rawjson.Array {
		if len(at) >= MaxDepth {
			return nil, refuse(at, fmt.Sprintf("nested at most %d levels deep", MaxDepth), "deeper nesting")
		}
		if kind == rawjson.Object {
			return r.object(at)
		}
		return r.array(at)
	}
	raw := r.scan.Value()
	if err := r.syntax(at); err != nil {
		return nil, err
	}
	switch kind {
	case rawjson.Number:
		if len(raw) > MaxNumber {
			return nil, refuse(at, fmt.Sprintf("a number of at most %d characters", MaxNumber), fmt.Sprintf("%d characters", len(raw)))
		}
		if !IsWithinLimits(raw) {
			return nil, refuse(at, fmt.Sprintf("a number with an exponent of at most %d", maxExponent), show.Clip(string(raw), show.MaxText))
		}
		return json.Number(raw), nil
	case rawjson.String:
		return string(rawjson.Unquote(raw)), nil
	case rawjson.Bool:
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
			large := make(map[string]any, size)
			maps.Copy(large, obj)
			obj, size = large, 0
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

// IsWithinLimits reports whether a JSON number is within the limits of length and exponent.
func IsWithinLimits(number []byte) bool {
	i := bytes.IndexAny(number, "eE")
	return len(number) <= MaxNumber && (i < 0 || len(bytes.TrimLeft(number[i+1:], "+-0")) <= len("999"))
}

// syntax returns the syntax error of the scanner as a [*NotStrictError] at a path, nil if there is none.
func (r *strictReader) syntax(at jsondoc.Path) error {
	problem := (*rawjson.SyntaxError)(nil)
	if !errors.As(r.scan.Err(), &problem) {
		return nil
	}
	return refuse(at, WantJSON, problem.Problem+", at byte "+strconv.Itoa(problem.Offset))
}

// NotStrictError describes the first location at which bytes are not strict JSON.
type NotStrictError struct {
	At        jsondoc.Path
	Want, Got string
}

// Error implements error. Callers that show the error to people make a message from the fields.
func (e *NotStrictError) Error() string { return "not strict JSON" }

func refuse(at jsondoc.Path, want, got string) error {
	return &NotStrictError{slices.Clone(at), want, got}
}

// Locate follows the tokens of a JSON pointer through v. It returns them as a
// path, in which indexes and names are distinguished, and the value at the
// location, nil if there is none.
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
