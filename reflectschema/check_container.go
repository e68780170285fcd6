package reflectschema

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// listRules are the keywords about arrays. The zero value allows all.
type listRules struct {
	items   *rules // nil: anything
	least   int
	most    int
	limited bool // there is a most
	unique  bool
}

// addToList adds a keyword about arrays. The draft-07 form of items that is an array
// is not known.
func (b *rulebook) addToList(l *listRules, keyword string, v *jsondoc.Value) (ok bool) {
	switch keyword {
	case "items":
		l.items, ok = b.schema(v)
	case "minItems":
		l.least, ok = parseLimit(v)
	case "maxItems":
		l.limited = true
		l.most, ok = parseLimit(v)
	default:
		l.unique, ok = v.Kind == jsontext.KindTrue, v.IsBool()
	}
	return ok
}

// each returns the rules of every item.
func (l *listRules) each() *rules {
	if l.items == nil {
		return anything
	}
	return l.items
}

// allowsLength reports whether an array may have n items.
func (l *listRules) allowsLength(n int) bool {
	return n >= l.least && (!l.limited || n <= l.most)
}

// isFull reports whether an array with n items may have no more.
func (l *listRules) isFull(n int) bool { return l.limited && n >= l.most }

// objectRules are the keywords about objects. The zero value allows all.
type objectRules struct {
	members  map[string]*rules
	rest     *rules // of all other members; nil: anything
	closed   bool   // there are no others
	required map[string]bool
	names    *rules // of the names, nil: anything
	least    int
	most     int
	limited  bool // there is a most
}

// addToObject adds a keyword about objects.
func (b *rulebook) addToObject(o *objectRules, keyword string, v *jsondoc.Value) (ok bool) {
	switch keyword {
	case "properties":
		o.members = make(map[string]*rules, len(v.Members))
		for _, m := range v.Members {
			if o.members[m.Name], ok = b.schema(m.Value); !ok {
				return false
			}
		}
		return v.Kind == jsontext.KindBeginObject
	case "required":
		o.required = make(map[string]bool, len(v.Items))
		for _, name := range v.Items {
			if name.Kind != jsontext.KindString {
				return false
			}
			o.required[name.Text()] = true
		}
		return v.Kind == jsontext.KindBeginArray
	case "additionalProperties":
		if v.Kind == jsontext.KindFalse {
			o.closed = true
			return true
		}
		o.rest, ok = b.schema(v)
	case "propertyNames":
		o.names, ok = b.schema(v)
	case "minProperties":
		o.least, ok = parseLimit(v)
	default:
		o.limited = true
		o.most, ok = parseLimit(v)
	}
	return ok
}

// member returns the rules of the member called name, nil if there must be none.
func (o *objectRules) member(name []byte) *rules {
	if r, ok := o.members[string(name)]; ok {
		return r
	}
	switch {
	case o.closed:
		return nil
	case o.rest == nil:
		return anything
	default:
		return o.rest
	}
}

// allowsName reports whether a member may be called name, valid UTF-8.
func (o *objectRules) allowsName(name []byte, matched *int) bool {
	return o.names == nil || o.names.resolved().allowsText(name, matched)
}

// allowsLength reports whether an object may have n members.
func (o *objectRules) allowsLength(n int) bool {
	return n >= o.least && (!o.limited || n <= o.most)
}
