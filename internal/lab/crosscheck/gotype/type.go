// Package gotype generates Go types: structs of anything that JSON can represent, with suitable options and tags, as a
// [reflect.Type] or as Go source.
package gotype

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// A Type is a generated Go type.
type Type struct {
	kind   kind
	leaf   leaf // of kind leafKind
	elem   *Type
	key    *Type
	length int
	fields []Field
}

type kind int

const (
	leafKind kind = iota
	sliceKind
	arrayKind
	mapKind
	pointerKind
	structKind
)

// A Field is a field of a struct.
type Field struct {
	name     string // "_" for a blank field
	goType   *Type
	tag      string
	embedded bool
}

// Reflect returns the reflect.Type. The type must have no blank or embedded fields, and only leaves with a known
// reflect.Type.
func (t *Type) Reflect() reflect.Type {
	switch t.kind {
	case sliceKind:
		return reflect.SliceOf(t.elem.Reflect())
	case arrayKind:
		return reflect.ArrayOf(t.length, t.elem.Reflect())
	case mapKind:
		return reflect.MapOf(t.key.Reflect(), t.elem.Reflect())
	case pointerKind:
		return reflect.PointerTo(t.elem.Reflect())
	case structKind:
		fields := make([]reflect.StructField, len(t.fields))
		for i, f := range t.fields {
			fields[i] = reflect.StructField{Name: f.name, Type: f.goType.Reflect(), Tag: reflect.StructTag(f.tag)}
		}
		return reflect.StructOf(fields)
	default:
		return t.leaf.goType
	}
}

// Source returns the type as Go source.
func (t *Type) Source() string {
	switch t.kind {
	case sliceKind:
		return "[]" + t.elem.Source()
	case arrayKind:
		return fmt.Sprintf("[%d]%s", t.length, t.elem.Source())
	case mapKind:
		return fmt.Sprintf("map[%s]%s", t.key.Source(), t.elem.Source())
	case pointerKind:
		return "*" + t.elem.Source()
	case structKind:
		if len(t.fields) == 0 {
			return "struct{}"
		}
		var b strings.Builder
		b.WriteString("struct {\n")
		for _, f := range t.fields {
			name := f.name + " "
			if f.embedded {
				name = ""
			}
			fmt.Fprintf(&b, "%s%s %s\n", name, f.goType.Source(), quoteTag(f.tag))
		}
		b.WriteString("}")
		return b.String()
	default:
		return t.leaf.source
	}
}

// weight returns the number of leaves in the type.
func (t *Type) weight() int {
	switch t.kind {
	case leafKind:
		return max(1, t.leaf.weight)
	case structKind:
		sum := 1
		for _, f := range t.fields {
			sum += f.goType.weight()
		}
		return sum
	default:
		return t.elem.weight()
	}
}

// quoteTag returns a tag as Go source.
func quoteTag(tag string) string {
	switch {
	case tag == "":
		return ""
	case strings.ContainsAny(tag, "`\n\r"):
		return strconv.Quote(tag)
	default:
		return "`" + tag + "`"
	}
}

// Smaller returns all variants of the struct with one field removed, and the structs in its fields.
func (t *Type) Smaller() []*Type {
	var smaller []*Type
	for i, f := range t.fields {
		c := *t
		c.fields = append(append([]Field{}, t.fields[:i]...), t.fields[i+1:]...)
		if len(c.fields) > 0 {
			smaller = append(smaller, &c)
		}
		if f.goType.kind == structKind && len(f.goType.fields) > 0 {
			for _, inner := range f.goType.Smaller() {
				c := *t
				c.fields = append([]Field{}, t.fields...)
				c.fields[i].goType = inner
				smaller = append(smaller, &c)
			}
		}
	}
	return smaller
}
