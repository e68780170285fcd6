package openapi

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/pb33f/go-yaml"
	"github.com/pb33f/libopenapi/datamodel/high/base"
	"github.com/pb33f/libopenapi/orderedmap"
)

// merge adds a part of an allOf to a stripped schema, so that a value must fit both.
func (t *typer) merge(p place, into *base.Schema, part *shape) {
	from := part.Schema
	if from.BooleanSchema != nil {
		if !*from.BooleanSchema {
			t.note(p, "false in an allOf is ignored")
		}
		return
	}
	into.Type = t.mergeTypes(p, into.Type, part.types())
	t.mergeProperties(into, from)
	for _, name := range from.Required {
		if !slices.Contains(into.Required, name) {
			into.Required = append(slices.Clip(into.Required), name)
		}
	}
	switch {
	case into.Items == nil:
		into.Items = from.Items
	case from.Items != nil && into.Items.IsA() && from.Items.IsA():
		into.Items = &base.DynamicValue[*base.SchemaProxy, bool]{A: t.both(into.Items.A, from.Items.A)}
	}
	if into.AdditionalProperties == nil || into.AdditionalProperties.IsB() && from.AdditionalProperties != nil {
		into.AdditionalProperties = from.AdditionalProperties
	}
	switch values := part.values(); {
	case values == nil:
	case len(into.Enum) == 0 && into.Const == nil:
		into.Enum, into.Const = from.Enum, from.Const
	default:
		allowed := make(map[[2]string]bool)
		for _, value := range values {
			allowed[[2]string{value.Tag, value.Value}] = true
		}
		common := slices.DeleteFunc(slices.Clone((&shape{Schema: into}).values()), func(n *yaml.Node) bool { return !allowed[[2]string{n.Tag, n.Value}] })
		if len(common) == 0 {
			t.note(p, "the enums in an allOf have no value in common, so the first one is used")
			return
		}
		into.Enum, into.Const = common, nil
	}
	mergeBounds(into, from)
	t.mergeRest(p, into, from)
}

// mergeTypes returns the types that both lists have; nil is any type.
func (t *typer) mergeTypes(p place, a, b []string) []string {
	if len(a) == 0 || len(b) == 0 {
		return slices.Concat(a, b)
	}
	var common []string
	for _, name := range a {
		switch {
		case slices.Contains(b, name), name == "integer" && slices.Contains(b, "number"):
			common = append(common, name)
		case name == "number" && slices.Contains(b, "integer"):
			common = append(common, "integer")
		}
	}
	if len(common) == 0 {
		t.note(p, "the types in an allOf contradict each other, so the first one is used")
		return a
	}
	return common
}

func (t *typer) mergeProperties(into, from *base.Schema) {
	if orderedmap.Len(from.Properties) == 0 {
		return
	}
	merged := orderedmap.New[string, *base.SchemaProxy]()
	for name, proxy := range into.Properties.FromOldest() {
		merged.Set(name, proxy)
	}
	for name, proxy := range from.Properties.FromOldest() {
		if present, ok := merged.Get(name); ok {
			proxy = t.both(present, proxy)
		}
		merged.Set(name, proxy)
	}
	into.Properties = merged
}

// both returns a schema that requires two. It is one schema for the same ones, also within those that it has returned, because
// members of recursive schemas require them again.
func (t *typer) both(a, b *base.SchemaProxy) *base.SchemaProxy {
	var ids []schemaID
	var all []*base.SchemaProxy
	for _, proxy := range []*base.SchemaProxy{a, b} {
		parts := []*base.SchemaProxy{proxy}
		if s := proxy.Schema(); s != nil && s.GoLow() == nil {
			parts = s.AllOf
		}
		for _, part := range parts {
			id := schemaID{part, 0}
			if s := part.Schema(); s != nil {
				id = idOf(s)
			}
			if !slices.Contains(ids, id) {
				ids, all = append(ids, id), append(all, part)
			}
		}
	}
	key := fmt.Sprint(ids)
	if t.merged[key] == nil {
		t.merged[key] = all[0]
		if len(all) > 1 {
			t.merged[key] = base.CreateSchemaProxy(&base.Schema{AllOf: all})
		}
	}
	return t.merged[key]
}

func mergeBounds(into, from *base.Schema) {
	into.Minimum, into.Maximum = larger(into.Minimum, from.Minimum, 1), larger(into.Maximum, from.Maximum, -1)
	into.MinLength, into.MaxLength = larger(into.MinLength, from.MinLength, 1), larger(into.MaxLength, from.MaxLength, -1)
	into.MinItems, into.MaxItems = larger(into.MinItems, from.MinItems, 1), larger(into.MaxItems, from.MaxItems, -1)
	into.MinProperties, into.MaxProperties = larger(into.MinProperties, from.MinProperties, 1), larger(into.MaxProperties, from.MaxProperties, -1)
}

// larger returns the larger of two bounds, or the smaller one if sign is negative. nil means unbounded.
func larger[T int64 | float64](a, b *T, sign T) *T {
	if a == nil || b != nil && *b*sign > *a*sign {
		return b
	}
	return a
}

// mergeRest copies keywords that cannot be combined, unless they are set.
func (t *typer) mergeRest(p place, into, from *base.Schema) {
	if into.Pattern != "" && from.Pattern != "" && from.Pattern != into.Pattern {
		t.note(p, "the second pattern in an allOf is not checked")
	}
	merged, other := reflect.ValueOf(into).Elem(), reflect.ValueOf(from).Elem()
	for _, name := range []string{
		"Pattern", "Format", "MultipleOf", "UniqueItems", "ExclusiveMinimum", "ExclusiveMaximum", "PatternProperties", "PrefixItems",
		"DependentRequired", "DependentSchemas", "Not", "If", "ContentEncoding", "ContentMediaType",
	} {
		if keyword := merged.FieldByName(name); keyword.IsZero() {
			keyword.Set(other.FieldByName(name))
		}
	}
}
