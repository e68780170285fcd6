package tag

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// JSONTypeOf returns the only JSON type, besides null, that a registered schema allows, "" if it is not known.
func JSONTypeOf(doc *jsondoc.Value) string {
	given := doc.Get("type")
	if given == nil || given.Kind == rawjson.String {
		return given.Text()
	}
	types := slices.DeleteFunc(given.Texts(), func(t string) bool { return t == "null" })
	if len(types) != 1 {
		return ""
	}
	return types[0]
}

// registeredShapes contains the JSON forms of types with a registered schema, by the JSON type of the schema.
var registeredShapes = map[string]Shapes{
	"string": onText, "integer": onInteger, "number": onNumber, "boolean": onBool, "array": onSlice, "object": onMap,
}

// widens returns a mistake if a keyword of a tag would replace one in the registered schema of a node and allow more.
// Values, such as those of enum, are checked against the schema elsewhere.
func widens(n *codec.Node, of *Keyword, value []byte) *Mistake {
	k, keyword := of.schema(), of.SchemaName()
	doc := n.Registered.Doc()
	registered := fmt.Sprintf("the schema registered for %s has", n.GoType)
	if k.Limit != nil {
		bound, _ := jsondoc.Parse(value).Number()
		for _, other := range jsondoc.LimitsOf(k.Limit.Of, k.Limit.Least) {
			if other.Limit.Open && !k.Limit.Open {
				continue // the open bound remains in the schema
			}
			theirs, ok := doc.Get(other.Name).Number()
			if ok && (k.Limit.Least && bound.Cmp(theirs) < 0 || !k.Limit.Least && bound.Cmp(theirs) > 0) {
				return &Mistake{Reason: fmt.Sprintf("%s %s %s, which a tag cannot widen", registered, other.Name, show.Rat(theirs)), Fix: "stay within it, or drop the keyword"}
			}
		}
		return nil
	}
	switch given := doc.Get(keyword); {
	case given == nil:
	case k.Bounds, keyword == "const", k.Role == jsondoc.Annotation && jsondoc.Refuses(keyword): // the last: contentEncoding and the like, by which a decoder may reject values
		if shown := string(given.AppendTo(nil)); shown != strings.TrimSpace(string(value)) {
			return &Mistake{Reason: fmt.Sprintf("%s a %s already: %s", registered, keyword, show.Clip(shown, show.MaxText)), Fix: "drop it"}
		}
	}
	return nil
}

// listedValues returns the number of values that a registered schema lists for a node or, for a slice or an array, for
// its elements.
func listedValues(n *codec.Node) int {
	n = n.Bare()
	if (n.Kind == codec.KindSlice || n.Kind == codec.KindArray) && n.Elem != nil {
		n = n.Elem.Bare()
	}
	if n.Registered == nil {
		return 0
	}
	return len(n.Registered.Doc().Get("enum").Elements())
}
