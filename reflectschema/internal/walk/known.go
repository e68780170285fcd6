package walk

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
)

var (
	jsonMarshaler   = reflect.TypeFor[json.Marshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// has reports whether a type or a pointer to it implements an interface.
func has(t, iface reflect.Type) bool {
	return t.Implements(iface) || pointerTo(t).Implements(iface)
}

// known handles the types of the standard library whose JSON does not follow from their methods or fields. It reports
// whether n is one.
func (r *Resolver) known(n *codec.Node) bool {
	switch n.GoType {
	case reflect.TypeFor[time.Time]():
		n.Kind = codec.KindTime
	case reflect.TypeFor[json.Number]():
		n.Kind = codec.KindNumber
	case reflect.TypeFor[json.RawMessage]():
		n.Kind = codec.KindRaw
	default:
		return false
	}
	return true
}

// optionalPackage contains the type Optional, which this package cannot import.
const optionalPackage = "github.com/mcptool-go/mcptool/reflectschema"

// optional handles reflectschema.Optional, and reports whether n is one.
func (r *Resolver) optional(n *codec.Node, at Location) bool {
	t := n.GoType
	if t.Kind() != reflect.Struct || t.PkgPath() != optionalPackage || !strings.HasPrefix(t.Name(), "Optional[") {
		return false
	}
	pointer := t.Field(codec.OptionalValue).Type
	if value := pointer.Elem(); value.Kind() == reflect.Pointer {
		r.Refuse(at, fmt.Sprintf("%s has two forms of null", t), fmt.Sprintf("use reflectschema.Optional[%s]", value.Elem()))
		return true
	}
	n.Kind = codec.KindOptional
	n.Elem = r.resolve(pointer, at)
	return true
}

// methods handles types with their own JSON or text methods for the direction, and reports whether n is one. In a
// direction without a method, encoding/json uses the Go kind of the type. A stored type must have both methods.
func (r *Resolver) methods(n *codec.Node, at Location) bool {
	t := n.GoType
	if t.Kind() == reflect.Interface {
		return false
	}
	for _, p := range []struct {
		kind             codec.Kind
		encoder, decoder reflect.Type
		encode, decode   string
	}{
		{codec.KindJSON, jsonMarshaler, jsonUnmarshaler, marshalJSONMethod, unmarshalJSONMethod},
		{codec.KindText, textMarshaler, textUnmarshaler, marshalTextMethod, unmarshalTextMethod},
	} {
		encode, decode := p.encode, p.decode
		writes, reads := has(t, p.encoder), has(t, p.decoder)
		switch {
		case r.direction == codec.Stored && writes != reads:
			r.refuseHalf(n, t, writes, encode, decode)
		case r.direction.Encodes() && !writes, r.direction.Decodes() && !reads:
			continue
		case r.direction == codec.Stored && t == reflect.TypeFor[big.Float]():
			r.refuseType(n, "big.Float does not read its own text back to an equal value: the precision is lost", "use big.Rat or float64, or register functions with reflectschema.RegisterCodec")
		default:
			n.Kind = p.kind
			if p.kind == codec.KindText {
				n.Compare, n.Ordered = orderOf(t)
			}
			if !r.direction.Encodes() || !r.promoted(t, at, encode) {
				if r.direction.Decodes() {
					r.promoted(t, at, decode)
				}
			}
			r.losesRegistered(n, at, r.method(encode, decode))
			r.refuseOpaqueTags(t, at, r.method(encode, decode))
		}
		return true
	}
	return false
}

// promoted rejects a struct that is written or read by a method of an embedded field, which ignores the other fields.
// It reports whether it did.
func (r *Resolver) promoted(t reflect.Type, at Location, method string) bool {
	if declares(t, method) || !r.isStrict(t) {
		return false
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && !f.Anonymous && f.Tag.Get("json") != "-" {
			r.Refuse(at, fmt.Sprintf("%s is promoted from an embedded field, so %s never reaches the JSON", method, f.Name), "make the embedded field a named one"+orRegisterJSON)
			return true
		}
	}
	return false
}

// losesRegistered rejects a struct that is written or read by a method of an embedded type with a registered schema,
// which describes the embedded type alone.
func (r *Resolver) losesRegistered(n *codec.Node, at Location, method string) {
	if n.Registered != nil || n.GoType == r.skipped || HookOf(n.GoType) != nil || !r.isStrict(n.GoType) {
		return
	}
	for from := sourceOf(n.GoType, method); from != nil; from = sourceOf(from, method) {
		if lookUp[Registration](from) != nil {
			r.Refuse(at, fmt.Sprintf("%s is promoted from the embedded %s, whose registered schema does not apply to it", method, from),
				fmt.Sprintf("register %s, too, or make the embedded field a named one", n.GoType))
			return
		}
	}
}

// refuseHalf rejects a node in a stored value because the type t has only one method of a pair: the one that writes, or
// the one that reads.
func (r *Resolver) refuseHalf(n *codec.Node, t reflect.Type, writes bool, encode, decode string) {
	there, missing := encode, decode
	if !writes {
		there, missing = decode, encode
	}
	r.refuseType(n, fmt.Sprintf("%s has %s but no %s, which a stored value needs", t, there, missing), "add "+missing+orRegisterJSON)
}

// A pitfall is a type that encoding/json encodes without an error, but in an unexpected form.
type pitfall struct{ reason, fix string }

// The ends of the advice for types that the author cannot change.
const (
	useRegisterCodec = ", or register functions that write and read it, with reflectschema.RegisterCodec" + orRegisterJSON
	useProtobuf      = ", or register it, with protobuf.Register[%s]() of the module github.com/mcptool-go/mcptool/integrations/protobuf"
	orRegisterJSON   = ", or accept the form of encoding/json, with reflectschema.RegisterJSON"
)

// pitfalls contains the pitfalls of the standard library, by package and name, so that programs do not link the
// packages.
var pitfalls = map[string]map[string]pitfall{
	"net/url": {"URL": {"as an object of its eleven fields, not as a URL", `use string with jsonschema:"format=uri"`}},
	"net": {
		"IPNet":        {"as an object whose mask is in base64, not as 192.0.2.0/24", "use netip.Prefix"},
		"IPMask":       {"in base64", "use netip.Prefix, or an int of bits"},
		"HardwareAddr": {"in base64, not as 00:00:5e:00:53:01", "use string"},
	},
	"container/list": {"Element": {"as its value alone, without the list", "use a slice"}},
	"container/ring": {"Ring": {"as its value alone, without the ring", "use a slice"}},
	"reflect":        {"Value": {"as {}", "use any"}},
}

// misleading discourages types without JSON and text methods whose JSON is not the usual form of their values: those in
// pitfalls, and the nullable columns of database/sql. It refuses generated protobuf messages. Structs without json tags
// are accepted: the JSON of image.Point is correct.
func (r *Resolver) misleading(n *codec.Node) {
	p, ok := pitfallOf(n.GoType)
	if !ok {
		return
	}
	reason := fmt.Sprintf("encoding/json writes %s %s", n.GoType, p.reason)
	if isProtobuf(n.GoType) {
		r.refuseType(n, reason, p.fix+fmt.Sprintf(useProtobuf, n.GoType))
	} else {
		r.discourageType(n, reason, p.fix+useRegisterCodec)
	}
}

func pitfallOf(t reflect.Type) (pitfall, bool) {
	if ofPackage := pitfalls[t.PkgPath()]; ofPackage != nil {
		if p, ok := ofPackage[t.Name()]; ok {
			return p, true
		}
	}
	switch {
	case t.Kind() != reflect.Struct:
	case t.PkgPath() == "database/sql" && strings.HasPrefix(t.Name(), "Null"):
		return pitfall{fmt.Sprintf("as an object {%q:…,\"Valid\":…}, not as a value or null", t.Field(0).Name), "use a pointer, such as *" + strings.TrimPrefix(t.Field(0).Type.String(), "*")}, true
	case isProtobuf(t):
		return pitfall{"by its Go fields, not in the JSON format of protobuf, which protojson writes", "use your own struct"}, true
	}
	return pitfall{}, false
}

// isProtobuf reports whether a struct is a generated protobuf message: its pointer has a ProtoReflect method.
func isProtobuf(t reflect.Type) bool {
	m, ok := methodOf(pointerTo(t), protoReflectMethod)
	return ok && m.Type.NumIn() == 1 && m.Type.NumOut() == 1 && declares(t, protoReflectMethod)
}
