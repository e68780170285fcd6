package reflectschema

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
)

// A decodeOracle decodes strict JSON by the nodes of a type, in the simplest way: with encoding/json, and without plans.
// The tests compare its values, and the locations that it refuses, with those of an unchecked plan.
type decodeOracle struct{ refused []jsondoc.Path }

// refuse records that the Go type cannot hold the value at a location.
func (o *decodeOracle) refuse(at jsondoc.Path) { o.refused = append(o.refused, slices.Clone(at)) }

// value decodes raw into dst, which must be zero.
func (o *decodeOracle) value(n *codec.Node, raw []byte, dst reflect.Value, at jsondoc.Path) {
	if n.Registered != nil {
		if n.Registered.Check(raw, nil) != nil {
			o.refuse(at)
			return
		}
	} else if string(raw) == "null" && n.Kind != codec.KindRaw && n.Kind != codec.KindJSON {
		if n.Kind == codec.KindOptional {
			dst.Field(codec.OptionalNull).SetBool(true)
		}
		return
	}
	if n.Quoted {
		var text string
		if raw[0] != '"' || json.Unmarshal(raw, &text) != nil || !json.Valid([]byte(text)) || strings.TrimSpace(text) != text || text == "null" {
			o.refuse(at)
			return
		}
		n, raw = &codec.Node{GoType: n.GoType, Kind: n.Kind}, []byte(text)
		if _, err := authority.Parse(raw); err != nil {
			o.refuse(at)
			return
		}
	}
	switch n.Kind {
	case codec.KindPointer:
		dst.Set(reflect.New(n.Elem.GoType))
		o.value(n.Elem, raw, dst.Elem(), at)
	case codec.KindOptional:
		o.value(n.Elem, raw, dst.Field(codec.OptionalValue), at)
	case codec.KindStruct, codec.KindUnion, codec.KindMap:
		if raw[0] != '{' {
			o.refuse(at)
			return
		}
		o.object(n, membersOf(raw), dst, at)
	case codec.KindSlice, codec.KindArray:
		o.list(n, raw, dst, at)
	default:
		if !o.leaf(n, raw, dst) {
			o.refuse(at)
		}
	}
}

// oracleMembers are the members of an object.
type oracleMembers struct {
	names  []string // in order
	values map[string]json.RawMessage
}

func membersOf(object []byte) oracleMembers {
	m := oracleMembers{values: map[string]json.RawMessage{}}
	dec := json.NewDecoder(bytes.NewReader(object))
	_, _ = dec.Token()
	for dec.More() {
		name, _ := dec.Token()
		var raw json.RawMessage
		_ = dec.Decode(&raw)
		text, _ := name.(string)
		m.names = append(m.names, text)
		m.values[text] = raw
	}
	return m
}

func (o *decodeOracle) object(n *codec.Node, members oracleMembers, dst reflect.Value, at jsondoc.Path) {
	switch n.Kind {
	case codec.KindStruct:
		for i := range n.Fields {
			f := &n.Fields[i]
			if raw, given := members.values[f.Name]; !given || isAbsent(f, raw) {
				o.absent(f, dst, at)
			} else {
				o.value(f.Node, raw, madeField(dst, f.Index), at.Member(f.Name))
			}
		}
	case codec.KindUnion:
		var name string
		raw := members.values[n.Discriminator]
		isName := len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &name) == nil
		i := slices.IndexFunc(n.Arms, func(a codec.Arm) bool { return isName && a.Name == name })
		if i < 0 {
			o.refuse(at.Member(n.Discriminator))
			return
		}
		made := reflect.New(n.Arms[i].Node.GoType)
		o.object(n.Arms[i].Node, members, made.Elem(), at)
		if n.Arms[i].GoType.Kind() != reflect.Pointer {
			made = made.Elem()
		}
		dst.Set(made)
	default: // KindMap
		dst.Set(reflect.MakeMap(n.GoType))
		for _, name := range members.names {
			key, value := reflect.New(n.Key.GoType).Elem(), reflect.New(n.Elem.GoType).Elem()
			o.value(n.Elem, members.values[name], value, at.Member(name))
			if !o.key(n.Key, name, key) || !setOnce(dst, key, value) {
				o.refuse(at.Member(name))
			}
		}
	}
}

// setOnce adds an entry. It reports false if the key exists, or cannot be one.
func setOnce(m, key, value reflect.Value) (isNew bool) {
	defer func() { _ = recover() }()
	isNew = !m.MapIndex(key).IsValid()
	m.SetMapIndex(key, value)
	return isNew
}

func (o *decodeOracle) key(n *codec.Node, name string, key reflect.Value) bool {
	quoted, _ := json.Marshal(name)
	switch n.Kind {
	case codec.KindInt, codec.KindUint:
		var i json.Number
		if json.Unmarshal([]byte(name), &i) != nil || strings.ContainsAny(name, " \t\r\n.eE\"") || name == "-0" {
			return false
		}
		return (n.Registered == nil || n.Registered.Check([]byte(name), nil) == nil) && o.leaf(n, []byte(name), key)
	default:
		return (n.Registered == nil || n.Registered.Check(quoted, nil) == nil) && o.leaf(n, quoted, key)
	}
}

// isAbsent reports whether null for an optional member of a type with JSON methods means that the member is absent.
func isAbsent(f *codec.Field, raw []byte) bool {
	if string(raw) != "null" || !f.Optional || f.Node.Kind != codec.KindJSON || f.Node.Registered != nil {
		return false
	}
	v := reflect.New(f.Node.GoType)
	if ownFails(f.Node, v.Elem(), raw) {
		return true
	}
	zero, _ := json.Marshal(reflect.New(f.Node.GoType).Interface())
	return v.Elem().IsZero() && !f.Node.Described && string(zero) != "null"
}

func (o *decodeOracle) absent(f *codec.Field, dst reflect.Value, at jsondoc.Path) {
	switch {
	case f.Def != nil:
		o.value(f.Node, f.Def, madeField(dst, f.Index), at.Member(f.Name))
	case f.Node.Kind == codec.KindStruct && !f.AbsentZero && hasDefault(f.Node):
		for i := range f.Node.Fields {
			o.absent(&f.Node.Fields[i], madeField(dst, f.Index), at.Member(f.Name))
		}
	}
}

func hasDefault(n *codec.Node) bool {
	return slices.ContainsFunc(n.Fields, func(f codec.Field) bool {
		return f.Def != nil || f.Node.Kind == codec.KindStruct && !f.AbsentZero && hasDefault(f.Node)
	})
}

func (o *decodeOracle) list(n *codec.Node, raw []byte, dst reflect.Value, at jsondoc.Path) {
	var items []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &items) != nil {
		o.refuse(at)
		return
	}
	if n.Kind == codec.KindSlice {
		dst.Set(reflect.MakeSlice(n.GoType, len(items), len(items)))
	} else if len(items) != dst.Len() {
		o.refuse(at)
	}
	for i := range min(len(items), dst.Len()) {
		o.value(n.Elem, items[i], dst.Index(i), at.Element(i))
	}
}

// leaf decodes a value without parts. It reports whether the type can hold it.
func (o *decodeOracle) leaf(n *codec.Node, raw []byte, dst reflect.Value) bool {
	isNumber := raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
	switch n.Kind {
	case codec.KindBool:
		dst.SetBool(raw[0] == 't')
		return raw[0] == 't' || raw[0] == 'f'
	case codec.KindInt, codec.KindUint:
		i, ok := new(big.Rat).SetString(string(raw))
		low, high := n.Range()
		if !isNumber || !ok || !i.IsInt() || i.Cmp(low) < 0 || i.Cmp(high) > 0 {
			return false
		}
		if n.Kind == codec.KindInt {
			dst.SetInt(i.Num().Int64())
		} else {
			dst.SetUint(i.Num().Uint64())
		}
		return true
	case codec.KindFloat:
		f, err := strconv.ParseFloat(string(raw), n.GoType.Bits())
		dst.SetFloat(f)
		return isNumber && err == nil
	case codec.KindNumber:
		dst.SetString(string(raw))
		return isNumber
	case codec.KindRaw:
		dst.SetBytes(bytes.Clone(raw))
		return true
	case codec.KindJSON:
		return !ownFails(n, dst, raw)
	case codec.KindAny:
		v, err := authority.Parse(raw)
		if err != nil || v.Any != nil && n.GoType.NumMethod() > 0 {
			return false
		}
		if v.Any != nil {
			dst.Set(reflect.ValueOf(withFloats(v.Any)))
		}
		return true
	default:
		var text string
		return raw[0] == '"' && json.Unmarshal(raw, &text) == nil && o.text(n, text, dst)
	}
}

func (o *decodeOracle) text(n *codec.Node, text string, dst reflect.Value) bool {
	switch n.Kind {
	case codec.KindBytes:
		b, err := base64.StdEncoding.DecodeString(text)
		dst.SetBytes(b)
		return err == nil
	case codec.KindTime:
		t, err := authority.ParseTime(text)
		dst.Set(reflect.ValueOf(t))
		return err == nil
	case codec.KindText:
		return readText(dst, text) == nil && !slices.ContainsFunc(n.Limits, func(l codec.Limit) bool { return !l.Allows(dst) })
	default:
		dst.SetString(text)
		return true
	}
}

// ownFails reports whether the registered function or UnmarshalJSON refuses raw, also with an integer such as 1.0 in plain digits.
func ownFails(n *codec.Node, dst reflect.Value, raw []byte) bool {
	fails := func(raw []byte) (failed bool) {
		defer func() { failed = failed || recover() != nil }()
		dst.SetZero()
		if n.Functions != nil {
			return n.Functions.Unmarshal(bytes.Clone(raw), dst.Addr().Interface()) != nil
		}
		return dst.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(bytes.Clone(raw)) != nil //nolint:forcetypeassert // of types of the corpus
	}
	if !fails(raw) {
		return false
	}
	whole, ok := new(big.Rat).SetString(string(raw))
	return n.Functions != nil || !ok || !whole.IsInt() || fails([]byte(whole.Num().String()))
}

// withFloats converts the numbers in v to float64, except those that float64 would round.
func withFloats(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		exact, _ := new(big.Rat).SetString(v.String())
		kept, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
		if err == nil && ok && exact.Cmp(kept) == 0 {
			return f
		}
	case []any:
		for i := range v {
			v[i] = withFloats(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = withFloats(v[name])
		}
	}
	return v
}
