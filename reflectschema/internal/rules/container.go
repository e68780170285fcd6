package rules

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// List are the keywords about arrays. The zero value allows all.
type List struct {
	items   *Rules // nil: anything
	Least   int
	most    int
	limited bool // there is a most
	Unique  bool
}

// addToList adds a keyword about arrays. The draft-07 form of items that is an array
// is not known.
func (b *rulebook) addToList(l *List, keyword string, v *jsondoc.Value) (ok bool) {
	switch keyword {
	case "items":
		l.items, ok = b.schema(v)
	case "minItems":
		l.Least, ok = parseLimit(v)
	case "maxItems":
		l.limited = true
		l.most, ok = parseLimit(v)
	default:
		l.Unique, ok = v.Kind == jsontext.KindTrue, v.IsBool()
	}
	return ok
}

// Each returns the rules of every item.
func (l *List) Each() *Rules {
	if l.items == nil {
		return Anything
	}
	return l.items
}

// AllowsLength reports whether an array may have n items.
func (l *List) AllowsLength(n int) bool {
	return n >= l.Least && (!l.limited || n <= l.most)
}

// isFull reports whether an array with n items may have no more.
func (l *List) isFull(n int) bool { return l.limited && n >= l.most }

// Object are the keywords about objects. The zero value allows all.
type Object struct {
	Members  map[string]*Rules
	Rest     *Rules // of all other members; nil: anything
	Closed   bool   // there are no others
	Required map[string]bool
	Names    *Rules // of the names, nil: anything
	Least    int
	most     int
	limited  bool // there is a most
}

// addToObject adds a keyword about objects.
func (b *rulebook) addToObject(o *Object, keyword string, v *jsondoc.Value) (ok bool) {
	switch keyword {
	case "properties":
		o.Members = make(map[string]*Rules, len(v.Members))
		for _, m := range v.Members {
			if o.Members[m.Name], ok = b.schema(m.Value); !ok {
				return false
			}
		}
		return v.Kind == jsontext.KindBeginObject
	case "required":
		o.Required = make(map[string]bool, len(v.Items))
		for _, name := range v.Items {
			if name.Kind != jsontext.KindString {
				return false
			}
			o.Required[name.Text()] = true
		}
		return v.Kind == jsontext.KindBeginArray
	case "additionalProperties":
		if v.Kind == jsontext.KindFalse {
			o.Closed = true
			return true
		}
		o.Rest, ok = b.schema(v)
	case "propertyNames":
		o.Names, ok = b.schema(v)
	case "minProperties":
		o.Least, ok = parseLimit(v)
	default:
		o.limited = true
		o.most, ok = parseLimit(v)
	}
	return ok
}

// Member returns the rules of the member called name, nil if there must be none.
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

// AllowsName reports whether a member may be called name, valid UTF-8.
func (o *Object) AllowsName(name []byte, matched *int) bool {
	return o.Names == nil || o.Names.Resolved().AllowsText(name, matched)
}

// AllowsLength reports whether an object may have n members.
func (o *Object) AllowsLength(n int) bool {
	return n >= o.Least && (!o.limited || n <= o.most)
}
