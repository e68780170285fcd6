package reflectschema

import (
	"fmt"
	"reflect"
	"strings"
)

// A pitfall is a type that encoding/json writes without complaint, but not as
// what it stands for.
type pitfall struct{ reason, fix string }

// useTypeCodec ends the advice for a type that cannot be changed.
const useTypeCodec = ", or register functions that write and read it, with reflectschema.TypeCodec"

// pitfalls are those of the standard library, by name: importing their packages would
// cost every program.
var pitfalls = map[string]pitfall{
	"net/url.URL":            {"as an object of its eleven fields, not as a URL", `use string with jsonschema:"format=uri"`},
	"net.IPNet":              {"as an object whose mask is in base64, not as 192.0.2.0/24", "use netip.Prefix"},
	"net.IPMask":             {"in base64", "use netip.Prefix, or an int of bits"},
	"net.HardwareAddr":       {"in base64, not as 00:00:5e:00:53:01", "use string"},
	"container/list.Element": {"as its value alone, without the list", "use a slice"},
	"container/ring.Ring":    {"as its value alone, without the ring", "use a slice"},
	"reflect.Value":          {"as {}", "use any"},
}

// misleading refuses types without JSON and text methods that are not written as what
// they stand for: those in pitfalls, the nullable columns of database/sql, and
// generated protobuf messages. A struct is not suspicious because its fields have no
// json tags: those of image.Point are right as they are.
func (r *resolver) misleading(n *node, at place) bool {
	p, ok := pitfallOf(n.goType)
	if ok {
		r.refuse(at, fmt.Sprintf("encoding/json writes %s %s", n.goType, p.reason), p.fix+useTypeCodec)
	}
	return ok
}

func pitfallOf(t reflect.Type) (pitfall, bool) {
	if p, ok := pitfalls[fullName(t)]; ok {
		return p, true
	}
	switch {
	case t.Kind() != reflect.Struct:
	case t.PkgPath() == "database/sql" && strings.HasPrefix(t.Name(), "Null"):
		return pitfall{fmt.Sprintf("as an object {%q:…,\"Valid\":…}, not as a value or null", t.Field(0).Name), "use a pointer, such as *" + strings.TrimPrefix(t.Field(0).Type.String(), "*")}, true
	case isProtobuf(t):
		return pitfall{"by its Go fields, not in the JSON format of protobuf, which protojson writes", "use a struct of your own"}, true
	}
	return pitfall{}, false
}

// isProtobuf reports whether a struct is a generated protobuf message, which a method of
// its pointer tells.
func isProtobuf(t reflect.Type) bool {
	m, ok := reflect.PointerTo(t).MethodByName("ProtoReflect")
	return ok && m.Type.NumIn() == 1 && m.Type.NumOut() == 1 && declares(t, "ProtoReflect")
}
