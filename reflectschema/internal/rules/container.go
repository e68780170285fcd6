package rules

import (
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// List are the keywords for arrays. The zero value allows all arrays.
type List struct {
	items *Rules // nil: all values
	Count
	Unique bool
}

// addToList adds a keyword for arrays. It reports false if it does not support the keyword or its value, such as an
// array as items (draft-07).
func (b *rulebook) addToList(l *List, k jsondoc.Keyword, v *jsondoc.Value) (ok bool) {
	switch {
	case k.Name == "items":
		l.items, ok = b.schema(v)
	case k.Name == "uniqueItems":
		l.Unique, ok = v.IsTrue(), v.IsBool()
	case k.Limit != nil && k.Limit.Of == jsondoc.Items:
		ok = l.add(k, v)
	}
	return ok
}

// Count are the limits of a number of characters, items or members. The zero value has no limits.
type Count struct {
	Least   int
	Most    int
	Limited bool // Most applies
}

// add adds a limit.
func (c *Count) add(k jsondoc.Keyword, v *jsondoc.Value) (ok bool) {
	if k.Limit.Least {
		c.Least, ok = parseLimit(v)
		return ok
	}
	c.Limited = true
	c.Most, ok = parseLimit(v)
	return ok
}

// AllowsLength reports whether n is within the limits.
func (c *Count) AllowsLength(n int) bool {
	return n >= c.Least && (!c.Limited || n <= c.Most)
}

// isFull reports whether n has reached the upper limit.
func (c *Count) isFull(n int) bool { return c.Limited && n >= c.Most }

// Each returns the rules of the items.
func (l *List) Each() *Rules {
	if l.items == nil {
		return Anything
	}
	return l.items
}

// Object are the keywords for objects. The zero value allows all objects.
type Object struct {
	Members  map[string]*Rules
	Rest     *Rules // of members not in Members; nil: all values
	Closed   bool   // only the names in Members are allowed
	Required map[string]bool
	Names    *Rules // of the names of members; nil: all names
	Count
}

// addToObject adds a keyword for objects. It reports false if it does not support the keyword or its value.
func (b *rulebook) addToObject(o *Object, k jsondoc.Keyword, v *jsondoc.Value) (ok bool) {
	switch k.Name {
	case "properties":
		o.Members = make(map[string]*Rules, len(v.Members))
		for _, m := range v.Members {
			if o.Members[m.Name], ok = b.schema(m.Value); !ok {
				return false
			}
		}
		return v.Kind == rawjson.Object
	case "required":
		o.Required = make(map[string]bool, len(v.Items))
		for _, name := range v.Items {
			if name.Kind != rawjson.String {
				return false
			}
			o.Required[name.Text()] = true
		}
		return v.Kind == rawjson.Array
	case "additionalProperties":
		if v.IsFalse() {
			o.Closed = true
			return true
		}
		o.Rest, ok = b.schema(v)
	case "propertyNames":
		o.Names, ok = b.schema(v)
	default:
		return k.Limit != nil && o.add(k, v)
	}
	return ok
}

// Member returns the rules of the member called name, nil if the member is not allowed.
func (o *Object) Member(name []byte) *Rules {
	if r, ok := o.Members[string(name)]; ok {
		return r
	}
	switch {
	case o.Closed:
		return nil
	case o.Rest == nil:
		return Anything
	default:
		return o.Rest
	}
}

// AllowsName reports whether a member is known to be allowed to have the name, which must be valid UTF-8. For matched
// see [Rules.AllowsText].
func (o *Object) AllowsName(name []byte, matched *int) bool {
	return o.Names == nil || o.Names.Resolved().AllowsText(name, matched)
}
