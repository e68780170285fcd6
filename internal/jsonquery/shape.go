package jsonquery

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Shape describes the structure of a part with at most size bytes: {id: integer, lines: {sku: string, n: integer}[40]}[20000].
// Of a list it describes the first elements together.
func (d *Document) Shape(n int32, size int) string {
	const deepest = 4
	for depth := deepest; ; depth-- {
		var b strings.Builder
		if d.writeShape(&b, []int32{n}, depth); b.Len() <= size || depth == 0 {
			return b.String()
		}
	}
}

const (
	shapeSample  = 30 // elements of a list, or members of a map
	shapeMembers = 30 // members of an object
)

// writeShape writes the shape of values that occur in the same place.
func (d *Document) writeShape(b *strings.Builder, values []int32, depth int) {
	byKind := map[rawjson.Kind][]int32{}
	for _, n := range values {
		byKind[d.Kind(n)] = append(byKind[d.Kind(n)], n)
	}
	written := 0
	for _, kind := range []rawjson.Kind{rawjson.Object, rawjson.Array, rawjson.String, rawjson.Number, rawjson.Bool, rawjson.Null} {
		same := byKind[kind]
		if len(same) == 0 {
			continue
		}
		if written++; written > 1 {
			b.WriteString(" or ")
		}
		switch kind {
		case rawjson.Object:
			d.writeObject(b, same, depth)
		case rawjson.Array:
			d.writeList(b, same, depth)
		case rawjson.String:
			b.WriteString("string")
			if size := d.size(same[0]); len(same) == 1 && size > shortText {
				b.WriteString(" of " + strconv.Itoa(size) + " bytes")
			}
		case rawjson.Number:
			if slices.ContainsFunc(same, func(n int32) bool { return !rawjson.IsInteger(d.JSON(n)) }) {
				b.WriteString("number")
			} else {
				b.WriteString("integer")
			}
		case rawjson.Bool:
			b.WriteString("boolean")
		default:
			b.WriteString("null")
		}
	}
}

// writeObject writes the shape of objects.
func (d *Document) writeObject(b *strings.Builder, objects []int32, depth int) {
	first := d.nodes[objects[0]].count
	if depth == 0 || len(objects) == 1 && first > mapMembers {
		b.WriteString("object")
		if len(objects) == 1 {
			b.WriteString(" of " + strconv.Itoa(int(first)) + " members")
		}
		if depth > 0 {
			b.WriteString(", such as " + d.name(objects[0]+1) + ": ")
			d.writeShape(b, d.sample(objects[:1]), depth-1)
		}
		return
	}
	var names []string
	members := map[string][]int32{}
	for _, n := range objects {
		for _, child := range d.children(n) {
			name := d.name(child)
			if members[name] == nil {
				names = append(names, name)
			}
			members[name] = append(members[name], child)
		}
	}
	b.WriteByte('{')
	for i, name := range names[:min(len(names), shapeMembers)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name)
		if len(members[name]) < len(objects) {
			b.WriteByte('?')
		}
		b.WriteString(": ")
		d.writeShape(b, members[name], depth-1)
	}
	if more := len(names) - shapeMembers; more > 0 {
		b.WriteString(", and " + strconv.Itoa(more) + " more")
	}
	b.WriteByte('}')
}

// writeList writes the shape of lists.
func (d *Document) writeList(b *strings.Builder, lists []int32, depth int) {
	elements := d.sample(lists)
	if depth == 0 || len(elements) == 0 {
		b.WriteString("list")
	} else {
		d.writeShape(b, elements, depth-1)
	}
	b.WriteByte('[')
	if len(lists) == 1 {
		b.WriteString(strconv.Itoa(int(d.nodes[lists[0]].count)))
	}
	b.WriteByte(']')
}

// sample returns some members or elements of the nodes.
func (d *Document) sample(of []int32) (some []int32) {
	for _, n := range of {
		for i, child := range d.children(n) {
			if i >= shapeSample || len(some) >= shapeSample {
				break
			}
			some = append(some, child)
		}
	}
	return some
}
