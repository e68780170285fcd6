package reflectschema

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/testing/ijson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
	"github.com/mcptool-go/mcptool/reflectschema/internal/walk"
)

// An oracle encodes a value by the nodes of its type, in the simplest way: without plans and rules. The authority
// validates the result. The tests compare its bytes and errors with AppendEncode.
type oracle struct {
	out       []byte
	most      int
	direction codec.Direction
	depth     int
}

// appendOracle is AppendEncode with the oracle. A result that would end beyond end is an error.
func (t *Type) appendOracle(dst []byte, v reflect.Value, end int) ([]byte, error) {
	before := len(dst)
	e := oracle{out: dst, most: end, direction: t.direction}
	if err := e.value(t.root(), v, nil); err != nil {
		return dst, err
	}
	if len(e.out) > end {
		return dst, errTooLong
	}
	written, err := parseStrict(e.out[before:])
	if invalid := (*InvalidError)(nil); errors.As(err, &invalid) {
		invalid.Violations[0].Keyword = codec.KeywordEncode
	}
	if err == nil {
		err = t.checkValue(written, nil)
	}
	if err != nil {
		return dst, err
	}
	return e.out, nil
}

// oracleCannot returns the error for a value that cannot be encoded.
func oracleCannot(at jsondoc.Path, want, got string) error {
	return invalidAt(at, Violation{Keyword: codec.KeywordEncode, Want: want, Got: got})
}

func (e *oracle) value(n *codec.Node, v reflect.Value, at jsondoc.Path) error {
	if e.depth++; e.depth > 3*authority.MaxDepth {
		return oracleCannot(at, fmt.Sprintf("nested at most %d levels deep", authority.MaxDepth), "a deeper value, or one that contains itself")
	}
	defer func() { e.depth-- }()
	if e.most > 0 && len(e.out) > e.most {
		return errTooLong
	}
	if n.Registered != nil {
		return e.registered(n, v, at)
	}
	switch n.Kind {
	case codec.KindPointer:
		if v.IsNil() {
			e.out = append(e.out, "null"...)
			return nil
		}
		return e.value(n.Elem, v.Elem(), at)
	case codec.KindOptional:
		return e.value(n.Elem, v.Field(codec.OptionalValue), at)
	case codec.KindAny:
		return e.dynamic(v, at)
	case codec.KindStruct:
		e.out = append(e.out, '{')
		return e.members(n, v, at, true)
	case codec.KindUnion:
		return e.union(n, v, at)
	case codec.KindMap:
		return e.mapping(n, v, at)
	case codec.KindSlice, codec.KindArray:
		return e.list(n, v, at)
	default:
		return e.scalar(n, v, at)
	}
}

func (e *oracle) members(n *codec.Node, v reflect.Value, at jsondoc.Path, first bool) error {
	for i := range n.Fields {
		f := &n.Fields[i]
		fv, err := v.FieldByIndexErr(f.Index)
		if err != nil || f.Omitted(e.direction, fv) {
			continue
		}
		if !first {
			e.out = append(e.out, ',')
		}
		first = false
		e.out = append(appendQuoted(e.out, f.Name), ':')
		if err := e.value(f.Node, fv, at.Member(f.Name)); err != nil {
			return err
		}
	}
	e.out = append(e.out, '}')
	return nil
}

func (e *oracle) list(n *codec.Node, v reflect.Value, at jsondoc.Path) error {
	e.out = append(e.out, '[')
	for i := range v.Len() {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		if err := e.value(n.Elem, v.Index(i), at.Element(i)); err != nil {
			return err
		}
	}
	e.out = append(e.out, ']')
	return nil
}

func (e *oracle) mapping(n *codec.Node, v reflect.Value, at jsondoc.Path) error {
	type entry struct {
		name  string
		value reflect.Value
	}
	entries := make([]entry, 0, v.Len())
	for iter := v.MapRange(); iter.Next(); {
		name, err := e.key(n.Key, iter.Key(), at)
		if err != nil {
			return err
		}
		entries = append(entries, entry{name, iter.Value()})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	e.out = append(e.out, '{')
	for i, entry := range entries {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		e.out = append(appendQuoted(e.out, entry.name), ':')
		if err := e.value(n.Elem, entry.value, at.Member(entry.name)); err != nil {
			return err
		}
	}
	e.out = append(e.out, '}')
	return nil
}

func (e *oracle) union(n *codec.Node, v reflect.Value, at jsondoc.Path) error {
	held := v.Elem()
	if held.Kind() == reflect.Pointer {
		held = held.Elem()
	}
	if !held.IsValid() {
		e.out = append(e.out, "null"...)
		return nil
	}
	i := slices.IndexFunc(n.Arms, func(a codec.Arm) bool { return a.Node.GoType == held.Type() })
	if i < 0 {
		names := show.List(n.Arms, func(a codec.Arm) string { return show.Quote(a.Name, show.MaxName) })
		return oracleCannot(at, "a member of the union, which are "+names, "a value of another type")
	}
	a := &n.Arms[i]
	e.out = append(e.out, a.Open...)
	return e.members(a.Node, held, at, false)
}

func (e *oracle) registered(n *codec.Node, v reflect.Value, at jsondoc.Path) error {
	before := len(e.out)
	if err := e.scalar(n, v, at); err != nil {
		return err
	}
	if failures := n.Registered.Check(e.out[before:], nil); failures != nil {
		return &InvalidError{Violations: []Violation{Violation(failures[0].Below(at))}, Total: 1}
	}
	return nil
}

func (e *oracle) key(n *codec.Node, key reflect.Value, at jsondoc.Path) (string, error) {
	name, err := e.keyText(n, key, at)
	if err != nil || n.Registered == nil {
		return name, err
	}
	value := []byte(name)
	if n.Kind != codec.KindInt && n.Kind != codec.KindUint {
		value = appendQuoted(nil, name)
	}
	if want := n.Registered.Requirement(value, nil); want != "" {
		return "", invalidAt(at.Member(name), Violation{Keyword: "propertyNames", Want: want, Got: show.Quote(name, show.MaxText)})
	}
	return name, nil
}

func (*oracle) keyText(n *codec.Node, key reflect.Value, at jsondoc.Path) (string, error) {
	switch n.Kind {
	case codec.KindString:
		return key.String(), nil
	case codec.KindInt:
		return strconv.FormatInt(key.Int(), 10), nil
	case codec.KindUint:
		return strconv.FormatUint(key.Uint(), 10), nil
	default:
		data, problem := written(n, key)
		if problem == "" && n.Kind == codec.KindJSON {
			var name string
			_ = json.Unmarshal(data, &name)
			data = []byte(name)
		}
		if problem != "" {
			return "", oracleCannot(at, "keyed by what can be written", problem)
		}
		return string(data), nil
	}
}

func (e *oracle) dynamic(v reflect.Value, at jsondoc.Path) error {
	if v.IsNil() {
		e.out = append(e.out, "null"...)
		return nil
	}
	t := v.Elem().Type()
	n, problem := walk.DynamicNode(t)
	if n == nil {
		return oracleCannot(at, "a value that can be written", "one of type "+t.String()+": "+problem)
	}
	return e.value(n, v.Elem(), at)
}

func (e *oracle) scalar(n *codec.Node, v reflect.Value, at jsondoc.Path) error {
	if n.Quoted && n.Kind == codec.KindString {
		quoted, err := json.Marshal(v.String())
		e.out = appendQuoted(e.out, string(quoted))
		return err
	}
	if n.Quoted {
		e.out = append(e.out, '"')
		defer func() { e.out = append(e.out, '"') }()
	}
	switch n.Kind {
	case codec.KindBool:
		e.out = strconv.AppendBool(e.out, v.Bool())
	case codec.KindInt:
		e.out = strconv.AppendInt(e.out, v.Int(), 10)
	case codec.KindUint:
		e.out = strconv.AppendUint(e.out, v.Uint(), 10)
	case codec.KindFloat:
		f := v.Float()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return oracleCannot(at, "a finite number", strconv.FormatFloat(f, 'g', -1, 64))
		}
		var number any = f
		if n.GoType.Bits() == 32 {
			number = float32(f)
		}
		text, _ := json.Marshal(number) // it is finite
		e.out = append(e.out, text...)
	case codec.KindString:
		e.out = appendQuoted(e.out, v.String())
	case codec.KindBytes:
		e.out = append(e.out, '"')
		e.out = base64.StdEncoding.AppendEncode(e.out, v.Bytes())
		e.out = append(e.out, '"')
	case codec.KindNumber:
		return e.number(v.String(), at)
	case codec.KindRaw:
		if v.Len() == 0 {
			e.out = append(e.out, "null"...)
			return nil
		}
		return e.raw(v.Bytes(), at)
	default:
		return e.marshaled(n, v, at)
	}
	return nil
}

func (e *oracle) number(s string, at jsondoc.Path) error {
	if s == "" {
		s = "0"
	}
	v, err := parseStrict([]byte(s))
	if _, ok := v.Any.(json.Number); err != nil || !ok || strings.TrimSpace(s) != s {
		return oracleCannot(at, "a number", show.Quote(s, show.MaxText))
	}
	e.out = append(e.out, s...)
	return nil
}

func (e *oracle) marshaled(n *codec.Node, v reflect.Value, at jsondoc.Path) error {
	switch n.Kind {
	case codec.KindTime:
		t, _ := v.Interface().(time.Time)
		b, err := t.MarshalJSON()
		if err != nil {
			return oracleCannot(at, "a time that RFC 3339 can express", "year "+strconv.Itoa(t.Year()))
		}
		e.out = append(e.out, b...)
		return nil
	case codec.KindText:
		text, problem := written(n, v)
		if problem != "" {
			return oracleCannot(at, "a value that can be written", problem)
		}
		for i := range n.Limits {
			if l := &n.Limits[i]; !l.Allows(v) {
				return invalidAt(at, Violation{Keyword: l.Keyword, Want: l.Text, Got: show.Value(string(text))})
			}
		}
		e.out = appendQuoted(e.out, string(text))
		return nil
	default:
		data, problem := written(n, v)
		if problem != "" {
			return oracleCannot(at, "a value that can be written", problem)
		}
		return e.raw(data, at)
	}
}

func (e *oracle) raw(data []byte, at jsondoc.Path) error {
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\ufffd")) // as in strings
	}
	out, err := ijson.Compact(data)
	if err != nil {
		_, err := parseStrict(data)
		if invalid := (*InvalidError)(nil); errors.As(err, &invalid) {
			f := codec.Violation(invalid.Violations[0]).Below(at)
			f.Keyword = codec.KeywordEncode
			return &InvalidError{Violations: []Violation{Violation(f)}, Total: 1}
		}
		return oracleCannot(at, authority.WantJSON, "")
	}
	e.out = append(e.out, out...)
	return nil
}

// written returns the result of the registered function or the method of a type, or a description of its error.
func written(n *codec.Node, v reflect.Value) (data []byte, problem string) {
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	fail := func(reason string) {
		problem = "an error: " + show.Clip(strings.Join(strings.Fields(reason), " "), 2*show.MaxText)
	}
	defer func() {
		if recover() != nil {
			fail("its method panicked")
		}
	}()
	var err error
	if n.Functions != nil {
		data, err = n.Functions.Marshal(p.Interface())
	} else {
		text, isText := p.Interface().(encoding.TextMarshaler)
		own, isJSON := p.Interface().(json.Marshaler)
		switch {
		case n.Kind == codec.KindText && isText:
			data, err = text.MarshalText()
		case n.Kind == codec.KindJSON && isJSON:
			data, err = own.MarshalJSON()
		default:
			fail("the method does not exist")
		}
	}
	if err != nil {
		fail(strings.ToValidUTF8(err.Error(), "\uFFFD"))
	}
	return data, problem
}

// appendQuoted appends s with the fewest escapes, and with U+FFFD for invalid UTF-8.
func appendQuoted(dst []byte, s string) []byte { return append(dst, ijson.Quote(s)...) }
