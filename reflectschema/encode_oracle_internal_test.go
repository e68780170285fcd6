package reflectschema

import (
	"bytes"
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

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// An oracle encodes by the nodes of a type, in the most obvious way: it knows neither plans nor rules, and the authority
// checks what it wrote. The tests compare its bytes and errors with those of AppendEncode.
type oracle struct {
	out       []byte
	most      int
	direction Direction
	depth     int
}

// appendOracle is AppendEncode by the oracle, with an error if the result would end behind end.
func (t *Type) appendOracle(dst []byte, v reflect.Value, end int) ([]byte, error) {
	before := len(dst)
	e := oracle{out: dst, most: end, direction: t.opts.Direction}
	if err := e.value(t.root(), v, nil); err != nil {
		return dst, err
	}
	if len(e.out) > end {
		return dst, errTooLong
	}
	written, err := parseStrict(e.out[before:])
	if invalid := (*InvalidError)(nil); errors.As(err, &invalid) {
		invalid.Violations[0].Keyword = keywordEncode
	}
	if err == nil {
		err = t.checkValue(written, nil)
	}
	if err != nil {
		return dst, err
	}
	return e.out, nil
}

// oracleCannot is the error for a value that has no JSON.
func oracleCannot(at jsondoc.Path, want, got string) error {
	return invalidAt(at, Violation{Keyword: keywordEncode, Want: want, Got: got})
}

func (e *oracle) value(n *node, v reflect.Value, at jsondoc.Path) error {
	if e.depth++; e.depth > maxEncodeDepth {
		return oracleCannot(at, fmt.Sprintf("nested at most %d levels deep", authority.MaxDepth), "a deeper value, or one that contains itself")
	}
	defer func() { e.depth-- }()
	if e.most > 0 && len(e.out) > e.most {
		return errTooLong
	}
	if n.registered != nil {
		return e.registered(n, v, at)
	}
	switch n.kind {
	case kindPointer:
		if v.IsNil() {
			e.out = append(e.out, "null"...)
			return nil
		}
		return e.value(n.elem, v.Elem(), at)
	case kindAny:
		return e.dynamic(v, at)
	case kindStruct:
		e.out = append(e.out, '{')
		return e.members(n, v, at, true)
	case kindUnion:
		return e.union(n, v, at)
	case kindMap:
		return e.mapping(n, v, at)
	case kindSlice, kindArray:
		return e.list(n, v, at)
	default:
		return e.scalar(n, v, at)
	}
}

func (e *oracle) members(n *node, v reflect.Value, at jsondoc.Path, first bool) error {
	for i := range n.fields {
		f := &n.fields[i]
		fv, ok := fieldAt(v, f.index)
		if !ok || omits(e.direction, f, fv) {
			continue
		}
		if !first {
			e.out = append(e.out, ',')
		}
		first = false
		e.out = append(quoted(e.out, f.name), ':')
		if err := e.value(f.node, fv, at.Member(f.name)); err != nil {
			return err
		}
	}
	e.out = append(e.out, '}')
	return nil
}

func (e *oracle) list(n *node, v reflect.Value, at jsondoc.Path) error {
	e.out = append(e.out, '[')
	for i := range v.Len() {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		if err := e.value(n.elem, v.Index(i), at.Element(i)); err != nil {
			return err
		}
	}
	e.out = append(e.out, ']')
	return nil
}

func (e *oracle) mapping(n *node, v reflect.Value, at jsondoc.Path) error {
	type entry struct {
		name  string
		value reflect.Value
	}
	entries := make([]entry, 0, v.Len())
	for iter := v.MapRange(); iter.Next(); {
		name, err := e.key(n.key, iter.Key(), at)
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
		e.out = append(quoted(e.out, entry.name), ':')
		if err := e.value(n.elem, entry.value, at.Member(entry.name)); err != nil {
			return err
		}
	}
	e.out = append(e.out, '}')
	return nil
}

func (e *oracle) union(n *node, v reflect.Value, at jsondoc.Path) error {
	held := v.Elem()
	if held.Kind() == reflect.Pointer {
		held = held.Elem()
	}
	if !held.IsValid() {
		e.out = append(e.out, "null"...)
		return nil
	}
	i := slices.IndexFunc(n.arms, func(a arm) bool { return a.node.goType == held.Type() })
	if i < 0 {
		return oracleCannot(at, "a member of the union, which are "+n.armNames(), "a value of another type")
	}
	a := &n.arms[i]
	e.out = append(e.out, a.open...)
	return e.members(a.node, held, at, false)
}

func (e *oracle) registered(n *node, v reflect.Value, at jsondoc.Path) error {
	before := len(e.out)
	if err := e.scalar(n, v, at); err != nil {
		return err
	}
	if invalid := (*InvalidError)(nil); errors.As(n.registered.schema.Check(e.out[before:]), &invalid) {
		return &InvalidError{Violations: []Violation{invalid.Violations[0].below(at)}, Total: 1}
	}
	return nil
}

func (e *oracle) key(n *node, key reflect.Value, at jsondoc.Path) (string, error) {
	name, err := e.keyText(n, key, at)
	if err != nil || n.registered == nil {
		return name, err
	}
	if want := n.registered.checkName(n, name); want != "" {
		return "", invalidAt(at.Member(name), Violation{Keyword: "propertyNames", Want: want, Got: show.Quote(name, show.MaxText)})
	}
	return name, nil
}

func (*oracle) keyText(n *node, key reflect.Value, at jsondoc.Path) (string, error) {
	switch n.kind {
	case kindString:
		return key.String(), nil
	case kindInt:
		return strconv.FormatInt(key.Int(), 10), nil
	case kindUint:
		return strconv.FormatUint(key.Uint(), 10), nil
	default:
		marshal := func() (string, error) { return marshalText(key) }
		if n.kind == kindJSON {
			marshal = func() (string, error) { return marshalName(n, key) }
		}
		text, err := marshal()
		if err != nil {
			return "", oracleCannot(at, "keyed by what can be written", problem(n, err))
		}
		return text, nil
	}
}

func (e *oracle) dynamic(v reflect.Value, at jsondoc.Path) error {
	if v.IsNil() {
		e.out = append(e.out, "null"...)
		return nil
	}
	r := newResolver(Options{Direction: Output})
	n := r.run(v.Elem().Type())
	if r.errors() != nil {
		return oracleCannot(at, "a value that JSON can express", "one of a type it cannot")
	}
	return e.value(n, v.Elem(), at)
}

func (e *oracle) scalar(n *node, v reflect.Value, at jsondoc.Path) error {
	if n.quoted {
		e.out = append(e.out, '"')
		defer func() { e.out = append(e.out, '"') }()
	}
	switch n.kind {
	case kindBool:
		e.out = strconv.AppendBool(e.out, v.Bool())
	case kindInt:
		e.out = strconv.AppendInt(e.out, v.Int(), 10)
	case kindUint:
		e.out = strconv.AppendUint(e.out, v.Uint(), 10)
	case kindFloat:
		f := v.Float()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return oracleCannot(at, "a finite number", strconv.FormatFloat(f, 'g', -1, 64))
		}
		e.out = jsontext.AppendFloat(e.out, f, n.goType.Bits())
	case kindString:
		e.out = quoted(e.out, v.String())
	case kindBytes:
		e.out = append(e.out, '"')
		e.out = base64.StdEncoding.AppendEncode(e.out, v.Bytes())
		e.out = append(e.out, '"')
	case kindNumber:
		return e.number(v.String(), at)
	case kindRaw:
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

func (e *oracle) marshaled(n *node, v reflect.Value, at jsondoc.Path) error {
	switch n.kind {
	case kindTime:
		t, _ := v.Interface().(time.Time)
		b, err := t.MarshalJSON()
		if err != nil {
			return oracleCannot(at, "a time that RFC 3339 can express", "year "+strconv.Itoa(t.Year()))
		}
		e.out = append(e.out, b...)
		return nil
	case kindText:
		text, err := marshalText(v)
		if err != nil {
			return oracleCannot(at, "a value that can be written", problem(n, err))
		}
		e.out = quoted(e.out, text)
		return nil
	default:
		data, err := marshalOwn(n, v)
		if err != nil {
			return oracleCannot(at, "a value that can be written", problem(n, err))
		}
		return e.raw(data, at)
	}
}

func (e *oracle) raw(data []byte, at jsondoc.Path) error {
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\ufffd")) // as in strings
	}
	out, err := jsontext.AppendFormat(e.out, data, jsontext.AllowDuplicateNames(true))
	if err != nil {
		if invalid := (*InvalidError)(nil); errors.As(checkStrict(data), &invalid) {
			v := invalid.Violations[0].below(at)
			v.Keyword = keywordEncode
			return &InvalidError{Violations: []Violation{v}, Total: 1}
		}
		return oracleCannot(at, authority.WantJSON, "")
	}
	e.out = out
	return nil
}
