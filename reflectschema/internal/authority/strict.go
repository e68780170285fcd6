package authority

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

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
	r := strictReader{dec: jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))}
	if len(data) >= sizesFrom {
		r.sizes = jsonscan.Sizes(data, MaxDepth)
	}
	v, err := r.value(nil)
	if err != nil {
		return Value{}, err
	}
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return Value{}, refuse(nil, WantJSON, "something follows the value, at byte "+strconv.FormatInt(r.dec.InputOffset(), 10))
	}
	return Value{v, r.size}, nil
}

// strictReader is one walk over the tokens of one value.
type strictReader struct {
	dec   *jsontext.Decoder
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
	switch r.dec.PeekKind() {
	case jsontext.KindBeginObject:
		return r.object(at)
	case jsontext.KindBeginArray:
		return r.array(at)
	case jsontext.KindNumber:
		return r.number(at)
	default:
		return r.literal(at)
	}
}

func (r *strictReader) literal(at jsondoc.Path) (any, error) {
	tok, err := r.dec.ReadToken()
	if err != nil {
		return nil, r.syntax(at, err)
	}
	switch tok.Kind() {
	case jsontext.KindNull:
		return nil, nil
	case jsontext.KindTrue, jsontext.KindFalse:
		return tok.Bool(), nil
	default:
		return tok.String(), nil
	}
}

func (r *strictReader) object(at jsondoc.Path) (any, error) {
	if err := r.enter(at); err != nil {
		return nil, err
	}
	size := r.nextSize()
	obj := make(map[string]any, min(size, firstMembers))
	in := at.Member("")
	for r.dec.PeekKind() != jsontext.KindEndObject {
		if len(obj) == firstMembers && size > firstMembers {
			obj, size = enlarged(obj, size), 0
		}
		tok, err := r.dec.ReadToken()
		if err != nil {
			return nil, r.syntax(at, err)
		}
		name := tok.String()
		in[len(at)].Name = name
		if _, ok := obj[name]; ok {
			return nil, refuse(in, "given once", "it twice")
		}
		if obj[name], err = r.value(in); err != nil {
			return nil, err
		}
	}
	return obj, r.leave(at)
}

// enlarged returns a copy of obj that has room for size members.
func enlarged(obj map[string]any, size int) map[string]any {
	large := make(map[string]any, size)
	maps.Copy(large, obj)
	return large
}

func (r *strictReader) array(at jsondoc.Path) (any, error) {
	if err := r.enter(at); err != nil {
		return nil, err
	}
	arr := make([]any, 0, r.nextSize())
	in := at.Element(0)
	for r.dec.PeekKind() != jsontext.KindEndArray {
		in[len(at)].Index = len(arr)
		v, err := r.value(in)
		if err != nil {
			return nil, err
		}
		arr = append(arr, v)
	}
	return arr, r.leave(at)
}

func (r *strictReader) enter(at jsondoc.Path) error {
	if len(at) >= MaxDepth {
		return refuse(at, fmt.Sprintf("nested at most %d levels deep", MaxDepth), "deeper nesting")
	}
	_, err := r.dec.ReadToken() // cannot fail: its kind was seen
	return err
}

func (r *strictReader) leave(at jsondoc.Path) error {
	if _, err := r.dec.ReadToken(); err != nil {
		return r.syntax(at, err)
	}
	return nil
}

func (r *strictReader) number(at jsondoc.Path) (any, error) {
	raw, err := r.dec.ReadValue()
	if err != nil {
		return nil, r.syntax(at, err)
	}
	if len(raw) > MaxNumber {
		return nil, refuse(at, fmt.Sprintf("a number of at most %d characters", MaxNumber), fmt.Sprintf("%d characters", len(raw)))
	}
	if i := bytes.IndexAny(raw, "eE"); i >= 0 {
		if exp := bytes.TrimLeft(raw[i+1:], "+-0"); len(exp) > len("999") {
			return nil, refuse(at, fmt.Sprintf("a number with an exponent of at most %d", maxExponent), show.Clip(string(raw), show.MaxText))
		}
	}
	return json.Number(raw), nil
}

// syntax turns an error of the tokenizer into a refusal.
func (r *strictReader) syntax(at jsondoc.Path, err error) error {
	offset := r.dec.InputOffset()
	if serr := (*jsontext.SyntacticError)(nil); errors.As(err, &serr) {
		offset, err = serr.ByteOffset, serr.Err
	}
	reason := "it ends too early"
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		reason = strings.TrimPrefix(err.Error(), "jsontext: ")
	}
	return refuse(at, WantJSON, show.Clip(reason, 2*show.MaxText)+", at byte "+strconv.FormatInt(offset, 10))
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
