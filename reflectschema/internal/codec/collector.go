package codec

import (
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// A collector records why parts of a value cannot be decoded. The value is strict JSON, but need not fit the schema,
// which may come from a method of a type.
type collector struct {
	violations *Violations
	at         jsondoc.Path              // of the current value
	found      map[string]discriminators // by name of the discriminator
	lenient    bool                      // a null member is absent, any other null is a zero value
	work       *authority.Budget         // for registered schemas; nil: one for each value
}

// fail records a violation in the current value.
func (c *collector) fail(v Violation) { c.failAt(c.at, v) }

// failAt records a violation in the value at a location.
func (c *collector) failAt(at jsondoc.Path, v Violation) {
	c.violations.Total = min(c.violations.Total+1, MaxCounted)
	if len(c.violations.List) < MaxViolations {
		c.violations.List = append(c.violations.List, v.Below(at))
	}
}

// isFull reports whether further violations are not counted.
func (c *collector) isFull() bool { return c.violations.Total >= MaxCounted }

// enter extends the path by the step to a part of the current value. The caller must call leave after reading the part.
// Enter and leave do nothing for nil.
func (c *collector) enter(step jsondoc.Step) {
	if c != nil {
		c.at = append(c.at, step)
	}
}

func (c *collector) enterMember(name string) {
	c.enter(jsondoc.Step{Name: name, Index: jsondoc.NamedMember})
}

func (c *collector) leave() {
	if c != nil {
		c.at = c.at[:len(c.at)-1]
	}
}

// budget returns the budget for registered schemas, nil if c is nil.
func (c *collector) budget() *authority.Budget {
	if c == nil {
		return nil
	}
	return c.work
}

// showRaw returns JSON for display, with its type.
func showRaw(raw []byte) string {
	v, err := authority.Parse(raw)
	if err != nil {
		return show.Clip(string(raw), show.MaxText)
	}
	return show.Typed(v.Any)
}

// discriminators maps the offset of each object in a JSON text to its discriminator.
type discriminators map[int]string

// discriminator returns the discriminator of the next object. The first call finds the discriminators of all objects,
// because a search in each object would read deeply nested objects once per level.
func (r *reader) discriminator(member string) (text string, given bool) {
	found, ok := r.collect.found[member]
	if !ok {
		found = discriminators{}
		scan := rawjson.New(r.Data, rawjson.MaxDepth)
		found.collect(&scan, member)
		if r.collect.found == nil {
			r.collect.found = map[string]discriminators{}
		}
		r.collect.found[member] = found
	}
	r.Peek()
	text, given = found[r.Pos]
	return text, given
}

// collect adds the discriminators of all objects in the next value.
func (t discriminators) collect(scan *rawjson.Scanner, member string) {
	switch scan.Next() {
	case rawjson.Object:
		at := scan.Offset()
		scan.OpenObject()
		for name, ok := scan.Member(); ok; name, ok = scan.Member() {
			if string(name) == member && scan.Next() == rawjson.String {
				t[at] = string(rawjson.Unquote(scan.Value()))
				continue
			}
			t.collect(scan, member)
		}
	case rawjson.Array:
		scan.OpenArray()
		for scan.Element() {
			t.collect(scan, member)
		}
	default:
		scan.Value()
	}
}
