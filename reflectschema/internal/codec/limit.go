package codec

import (
	"reflect"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// A Limit is a bound from the tag of a field, for a type with text methods and an order. JSON Schema has no keyword for
// it, so it is checked with the Go value.
type Limit struct {
	Keyword string // minimum, maximum, exclusiveMinimum or exclusiveMaximum
	Text    string // the bound, as the type writes it
	bound   reflect.Value
	order   reflect.Value // the method Compare of the type
}

// NewLimit returns the limit of a keyword at a bound. It returns the error of the type if it cannot read or write the bound.
func (n *Node) NewLimit(keyword, bound string) (Limit, error) {
	l := Limit{Keyword: keyword, bound: reflect.New(n.GoType).Elem(), order: n.Compare}
	err := UnmarshalText(l.bound, bound)
	if err == nil {
		l.Text, err = MarshalText(l.bound)
	}
	return l, err
}

// Allows reports whether a value is within the limit.
func (l *Limit) Allows(v reflect.Value) bool {
	var order int64
	err := contain(func() error {
		order = l.order.Call([]reflect.Value{v, l.bound})[0].Int()
		return nil
	})
	switch {
	case err != nil:
		return false
	case order == 0:
		return !l.bounds().Open
	default:
		return order > 0 == l.bounds().Least
	}
}

// bounds returns the rule of the keyword.
func (l *Limit) bounds() *jsondoc.Limit {
	keyword, _ := jsondoc.KeywordNamed(l.Keyword)
	return keyword.Limit
}

// Contradicts reports whether no value is within both limits.
func (l *Limit) Contradicts(other *Limit) bool {
	return l.bounds().Least != other.bounds().Least && (!l.Allows(other.bound) || !other.Allows(l.bound))
}

// exceeded returns the violation of the first limit that a value exceeds, nil if there is none.
func (n *Node) exceeded(v reflect.Value, text string) *Violation {
	for i := range n.Limits {
		if l := &n.Limits[i]; !l.Allows(v) {
			return &Violation{Keyword: l.Keyword, Want: l.Text, Got: show.Value(text)}
		}
	}
	return nil
}
