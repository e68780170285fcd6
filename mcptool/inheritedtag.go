package mcptool

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/internal/inherit"
)

type (
	tagItem     = inherit.Item[reflect.Type, anySetting]
	tagOverride = inherit.Override[reflect.Type, anySetting]
)

// tagged caches the settings in the tags of argument structs: a definition by type, which must not be modified.
// Generated funcs often share an argument type, and reading its tags takes longer than the rest of defining a tool.
var tagged sync.Map // of *definition, by reflect.Type

// definitions is a pool of unused definitions, which are large compared with the tools built from them.
var definitions = sync.Pool{New: func() any { return new(definition) }}

// definitionOf returns a definition with the settings in the tags of the argument struct and in the options. The caller
// must free it.
func definitionOf(f authorFunc, kind itemKind, opts []Option) *definition {
	known, ok := tagged.Load(f.in)
	if !ok {
		known, _ = tagged.LoadOrStore(f.in, readTags(f.in))
	}
	read, _ := known.(*definition)
	d, _ := definitions.Get().(*definition)
	*d = *read
	d.kind, d.ofService = kind, f.ofService
	d.apply(opts)
	if f.isNil {
		d.mistake("the func is nil", "pass a func")
	}
	return d
}

// free returns a definition, which nothing else refers to, to the pool.
func (d *definition) free() {
	*d = definition{}
	definitions.Put(d)
}

// untagged is the definition for argument structs without blank and embedded fields, as most are.
var untagged = new(definition)

// readTags returns a definition with the settings in the blank fields of the argument struct and of the structs that it
// embeds.
func readTags(in reflect.Type) *definition {
	if in = deref(in); in.Kind() != reflect.Struct || !mayDescribe(in) {
		return untagged
	}
	d := new(definition)
	d.readStruct(in)
	d.mistakes = slices.Clip(d.mistakes)
	return d
}

// mayDescribe reports whether a struct has a blank or an embedded field, which may describe the tool.
func mayDescribe(t reflect.Type) bool {
	for field := range t.Fields() {
		if field.Name == "_" || field.Anonymous {
			return true
		}
	}
	return false
}

// readStruct reads the blank fields of a struct and of the structs that it embeds.
func (d *definition) readStruct(in reflect.Type) {
	arguments := map[reflect.Type]bool{}
	flatten(in, arguments)
	items, overrides := inherit.Resolve(in, inherit.Rules[reflect.Type, anySetting]{
		Own: func(t reflect.Type) []tagItem {
			if t == in {
				d.readBlank(in, "", true)
				return d.tagItems(in)
			}
			var embedded definition
			embedded.readBlank(t, " of "+t.String(), arguments[t])
			d.mistakes = append(d.mistakes, embedded.mistakes...)
			return embedded.tagItems(t)
		},
		Embeds: func(t reflect.Type) (inner []reflect.Type) {
			for field := range t.Fields() {
				if e := embeddedStruct(field); e != nil {
					inner = append(inner, e)
				}
			}
			return inner
		},
		Equal: func(a, b anySetting) bool { return reflect.DeepEqual(a.content(), b.content()) },
	})
	for _, item := range items {
		if item.From != in {
			d.inherit(in, item)
		}
	}
	for _, o := range overrides {
		if o.Outer.Key == "scopes" {
			d.checkOverriddenScopes(o)
		}
	}
}

// tagItems returns the settings so far, which are from blank fields of t.
func (d *definition) tagItems(t reflect.Type) (items []tagItem) {
	for _, key := range tagKeys {
		if s := key.of(d); s.isSet() {
			items = append(items, tagItem{Key: key.name, Value: s, From: t})
		}
	}
	return items
}

// inherit sets one key from an embedded struct.
func (d *definition) inherit(in reflect.Type, item tagItem) {
	key := tagKeys[slices.IndexFunc(tagKeys, func(key tagKey) bool { return key.name == item.Key })]
	mistake := func(reason, fix string) {
		d.mistakes = append(d.mistakes, Mistake{Type: item.From.String(), Field: "_", Reason: reason, Fix: fix})
	}
	switch own := key.of(d); {
	case key.ofOneTool:
		mistake(fmt.Sprintf("%s sets a %s for every tool whose arguments embed the struct", item.Value.origin(), key.name),
			fmt.Sprintf("write the %s of this tool in the tag of %s itself, or remove this one", key.name, in))
	case own.isSet():
		mistake(fmt.Sprintf("%s sets %s=%s, and %s sets %s=%s, and both are embedded", own.origin(), key.name, brief(own.content()), item.Value.origin(), key.name, brief(item.Value.content())),
			fmt.Sprintf("write %s in the mcp tag of %s itself, which takes precedence", key.name, in))
	default:
		own.take(item.Value)
	}
}

// checkOverriddenScopes notes scopes that an embedded struct requires and an outer struct does not: embedding a struct
// must not remove its protection.
func (d *definition) checkOverriddenScopes(o tagOverride) {
	outer, _ := o.Outer.Value.content().([]string)
	inner, _ := o.Inner.Value.content().([]string)
	for _, scope := range inner {
		if !slices.Contains(outer, scope) {
			d.mistakes = append(d.mistakes, Mistake{
				Type: o.Outer.From.String(), Field: "_", Tag: "scopes=" + strings.Join(outer, " "),
				Reason: fmt.Sprintf("%s requires the scope %q, and %s, which embeds it, does not", o.Inner.From, scope, o.Outer.From),
				Fix:    fmt.Sprintf("list all the scopes in %s, or remove %q from the mcp tag of %s", o.Outer.From, scope, o.Inner.From),
			})
		}
	}
}

// embeddedStruct returns the struct type that a field embeds, by value or by pointer and under any JSON name; nil if
// none.
func embeddedStruct(field reflect.StructField) reflect.Type {
	t := deref(field.Type)
	if !field.Anonymous || t.Kind() != reflect.Struct {
		return nil
	}
	return t
}

// flatten adds t to the structs whose fields are arguments, with those it embeds without a JSON name.
func flatten(t reflect.Type, arguments map[reflect.Type]bool) {
	if arguments[t] {
		return
	}
	arguments[t] = true
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if e := embeddedStruct(field); e != nil && name == "" {
			flatten(e, arguments)
		}
	}
}
