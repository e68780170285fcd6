package jsonquery

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// test is a condition: one of the alternatives must hold.
type test []*alternative

// alternative is a Comparison with its column.
type alternative struct {
	column   *column
	op       string
	value    []byte                // compact JSON
	key      *key                  // of value
	values   map[string]bool       // of the op "in", in the form of canonical
	kinds    map[rawjson.Kind]bool // of values
	compared bool                  // with a value of its type
	other    []byte                // the last value of another type
}

// tests returns the conditions of the query.
func (q *query) tests() (tests []test, err error) {
	for i, c := range q.in.Where {
		all := c.Any
		switch {
		case len(all) > 0 && (c.Field != "" || c.Op != "" || c.Value != nil):
			return nil, fmt.Errorf("where[%d]: use either any, or field and op; conditions in the list where must all hold", i)
		case len(all) == 0:
			all = []Comparison{{c.Field, c.Op, c.Value}}
		}
		var t test
		for _, one := range all {
			a, err := q.alternative(one)
			if err != nil {
				return nil, fmt.Errorf("where[%d]: %w", i, err)
			}
			t = append(t, a)
		}
		tests = append(tests, t)
	}
	return tests, nil
}

// alternative returns a Comparison with its column.
func (q *query) alternative(c Comparison) (*alternative, error) {
	if c.Field == "" || c.Op == "" {
		return nil, fmt.Errorf("field and op are required. Example: %s", q.exampleOf(first(q.namesOf(q.rows), rowValue)))
	}
	col, err := q.column(c.Field)
	if err != nil {
		return nil, err
	}
	a := &alternative{column: col, op: c.Op}
	switch {
	case c.Op == "is_null" || c.Op == "not_null":
		return a, nil
	case len(c.Value) == 0:
		return nil, fmt.Errorf("%s needs a value. Example: %s", c.Op, q.exampleOf(c.Field))
	}
	if a.value, err = rawjson.AppendCompact(nil, c.Value); err != nil {
		return nil, err
	}
	a.key = keyOf(a.value)
	kind := rawjson.KindOf(a.value)
	switch c.Op {
	case "in":
		const most = 1000
		list, err := New(a.value)
		if err != nil {
			return nil, err
		}
		if kind != rawjson.Array || list.nodes[0].count > most {
			return nil, fmt.Errorf(`the value of "in" must be a list of at most %d values. Example: {"field":%q,"op":"in","value":[1,2]}`, most, c.Field)
		}
		a.values, a.kinds = map[string]bool{}, map[rawjson.Kind]bool{}
		for _, n := range list.children(0) {
			a.values[string(canonical(list.JSON(n)))], a.kinds[list.Kind(n)] = true, true
		}
	case "lt", "le", "gt", "ge":
		if kind != rawjson.Number && kind != rawjson.String {
			return nil, fmt.Errorf("the value of %q must be a number or a text. Example: {\"field\":%q,\"op\":%[1]q,\"value\":1}", c.Op, c.Field)
		}
	}
	return a, nil
}

// filter removes the rows that do not meet all tests.
func (q *query) filter(tests []test) error {
	if len(tests) == 0 {
		return nil
	}
	all := q.rows
	var kept []int32
	for _, row := range all {
		holds, err := q.meets(row, tests)
		if err != nil {
			return err
		}
		if holds {
			kept = append(kept, row)
		}
	}
	for _, t := range tests {
		for _, a := range t {
			if !a.compared && a.other != nil {
				often := "never"
				if a.op == "ne" {
					often = "always"
				}
				return fmt.Errorf("%s is %s, so %q %s holds for %s. Example: %s",
					a.column.name, kindName(a.other), a.op, often, shorten(string(a.value)), q.exampleFor(a))
			}
		}
	}
	q.rows = kept
	return nil
}

// exampleFor returns a condition with a value of the type that the column has.
func (q *query) exampleFor(a *alternative) string {
	kind, op := rawjson.KindOf(a.other), a.op
	if kind == rawjson.Object || len(a.other) > shortText {
		return q.exampleOf(a.column.name)
	}
	if op == "in" || kind == rawjson.Bool {
		op = "eq"
	}
	return string(encode(Comparison{a.column.name, op, a.other}))
}

// meets reports whether a row meets all tests.
func (q *query) meets(row int32, tests []test) (bool, error) {
	for _, t := range tests {
		holds := false
		for i := 0; i < len(t) && !holds; i++ {
			if err := q.spend(q.doc.size(row)); err != nil {
				return false, err
			}
			holds = t[i].holds(t[i].column.of(q.doc, row))
		}
		if !holds {
			return false, nil
		}
	}
	return true, nil
}

// holds reports whether a value, nil if it is absent, meets the Comparison.
func (a *alternative) holds(value []byte) bool {
	kind := rawjson.KindOf(value)
	isNull := kind == rawjson.Null || kind == rawjson.Invalid
	switch a.op {
	case "is_null":
		return isNull
	case "not_null":
		return !isNull
	case "in":
		if a.kinds[kind] {
			a.compared = true
		} else if !isNull && len(a.kinds) > 0 {
			a.other = value
		}
		return a.values[string(canonical(value))]
	case "eq":
		return a.equals(value)
	case "ne":
		return !a.equals(value)
	}
	if isNull {
		return false
	}
	if a.op == "contains" {
		return a.contains(value)
	}
	if kind != rawjson.KindOf(a.value) {
		a.other = value
		return false
	}
	a.compared = true
	switch order := keyOf(value).compare(a.key); a.op {
	case "lt":
		return order < 0
	case "le":
		return order <= 0
	case "gt":
		return order > 0
	default:
		return order >= 0
	}
}

// equals reports whether a value equals the one of the condition. A value that is absent equals null.
func (a *alternative) equals(value []byte) bool {
	kind, wanted := rawjson.KindOf(value), rawjson.KindOf(a.value)
	if kind == rawjson.Invalid {
		kind = rawjson.Null
	}
	if kind != wanted {
		if kind != rawjson.Null && wanted != rawjson.Null {
			a.other = value
		}
		return false
	}
	a.compared = true
	if kind == rawjson.Number {
		return keyOf(value).compare(a.key) == 0
	}
	return kind == rawjson.Null || bytes.Equal(value, a.value)
}

// contains reports whether a text contains the text of the condition, or a list contains its value.
func (a *alternative) contains(value []byte) bool {
	switch rawjson.KindOf(value) {
	case rawjson.String:
		if rawjson.KindOf(a.value) == rawjson.String {
			a.compared = true
			// The text is decoded only if it may match: n is also in \n.
			text := value[1 : len(value)-1]
			return bytes.Contains(text, a.value[1:len(a.value)-1]) && (bytes.IndexByte(text, '\\') < 0 || bytes.Contains(rawjson.Unquote(value), a.key.text))
		}
	case rawjson.Array:
		a.compared = true
		list := rawjson.New(value, 0)
		list.OpenArray()
		for list.Element() {
			if element := list.Value(); rawjson.KindOf(a.value) == rawjson.KindOf(element) && a.equals(element) {
				return true
			}
		}
		return false
	default:
	}
	a.other = value
	return false
}

// kindName returns the type of a value for a text.
func kindName(value []byte) string {
	names := map[rawjson.Kind]string{rawjson.Number: "a number", rawjson.String: "a text", rawjson.Bool: "a boolean", rawjson.Array: "a list", rawjson.Object: "an object"}
	return cmp.Or(names[rawjson.KindOf(value)], "null")
}

// exactFloats is the number from which different integers may be the same float64.
const exactFloats = 1 << 53

// key is a value in a form that is compared quickly.
type key struct {
	rank   int // of its type, up to absent
	number float64
	text   []byte
}

// keyOf returns the key of a value; nil means absent.
func keyOf(value []byte) *key {
	k := &key{rank: absent}
	switch rawjson.KindOf(value) {
	case rawjson.Number:
		k.rank = 0
		k.number, _ = strconv.ParseFloat(string(value), 64) // infinite if it is too large
		if math.Abs(k.number) >= exactFloats {
			k.text = value // for exact comparisons
		}
	case rawjson.String:
		k.rank, k.text = 1, rawjson.Unquote(value)
	case rawjson.Bool:
		k.rank, k.text = 2, value // false, true
	default:
	}
	return k
}

// compare orders two values: by type, numbers by value, texts by their bytes, false before true. Absent values, nulls, lists and
// objects are last, and equal.
func (k *key) compare(other *key) int {
	order := cmp.Or(cmp.Compare(k.rank, other.rank), cmp.Compare(k.number, other.number))
	if order != 0 || k.text == nil || other.text == nil {
		return order
	}
	if k.number == 0 {
		return bytes.Compare(k.text, other.text)
	}
	digits, exponent := decimal(k.text)
	others, otherExponent := decimal(other.text)
	order = cmp.Or(cmp.Compare(exponent, otherExponent), cmp.Compare(digits, others))
	if k.number < 0 {
		return -order
	}
	return order
}

// decimal returns a number that is not zero as 0.digits times ten to the power of exponent, without its sign. The first and
// the last digit are not zero.
func decimal(raw []byte) (digits string, exponent int64) {
	const most = 1 << 40 // more digits than any text has
	text, power, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(string(raw), "-")), "e")
	whole, fraction, _ := strings.Cut(text, ".")
	exponent, _ = strconv.ParseInt(power, 10, 64) // the largest number if it is larger
	all := whole + fraction
	digits = strings.TrimLeft(all, "0")
	return strings.TrimRight(digits, "0"), max(min(exponent, most), -most) + int64(len(whole)+len(digits)-len(all))
}

// absent is the rank of values that are last.
const absent = 3

// maxSorted is the maximum number of values to sort by: rows times columns. Each takes about 60 bytes.
const maxSorted = 1 << 18

// sort sorts the rows. Those without a value are last in any order.
func (q *query) sort() error {
	by := q.in.Sort
	if len(by) == 0 {
		return nil
	}
	if n := len(q.rows) * len(by); n > maxSorted {
		return fmt.Errorf("there are %d rows to sort, more than %d; add conditions", len(q.rows), maxSorted/len(by))
	}
	names := make([]string, len(by))
	for i, o := range by {
		names[i] = o.Field
	}
	columns, err := q.columnsOf("sort", names)
	if err != nil {
		return err
	}
	keys := make([]key, 0, len(q.rows)*len(by))
	order := make([]int, len(q.rows))
	for i, row := range q.rows {
		if err := q.spend(q.doc.size(row)); err != nil {
			return err
		}
		for _, c := range columns {
			keys = append(keys, *keyOf(c.of(q.doc, row)))
		}
		order[i] = i
	}
	needed := len(order)
	if q.in.Limit > 0 && q.in.Offset >= 0 && q.in.Offset < needed {
		needed = min(q.in.Offset+q.in.Limit, needed)
	}
	sortFirst(order, needed, func(a, b int) int {
		for i, o := range by {
			x, y := &keys[a*len(by)+i], &keys[b*len(by)+i]
			if c := x.compare(y); c != 0 {
				if o.Desc && x.rank != absent && y.rank != absent {
					return -c
				}
				return c
			}
		}
		return a - b // rows with equal values keep their order
	})
	sorted := make([]int32, len(order))
	for i, at := range order {
		sorted[i] = q.rows[at]
	}
	q.rows = sorted
	return nil
}

// sortFirst sorts s, of which only the first n elements are needed: the order of the others is undefined.
func sortFirst(s []int, n int, compare func(a, b int) int) {
	const few = 200 // each element may move as many
	if n > few || n == 0 {
		slices.SortFunc(s, compare)
		return
	}
	slices.SortFunc(s[:n], compare)
	for i := n; i < len(s); i++ {
		if x := s[i]; compare(x, s[n-1]) < 0 {
			at, _ := slices.BinarySearchFunc(s[:n], x, compare)
			s[i] = s[n-1]
			copy(s[at+1:n], s[at:n-1])
			s[at] = x
		}
	}
}
