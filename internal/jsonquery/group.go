package jsonquery

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/bytesize"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Limits of the groups of a query.
const (
	maxGroups     = 10_000
	maxGroupBytes = 8 << 20 // of their keys
	// maxAnswerBytes is the maximum size of all groups in the answer, without the last value.
	maxAnswerBytes = 16 << 20
	// maxDigits is the number of digits up to which a number with an exponent is written as an integer.
	maxDigits = 30
)

// group is the rows with the same values in some columns.
type group struct {
	keys [][]byte
	sums []sum
}

// sum is an aggregate of the values that were added so far.
type sum struct {
	count    int
	decimals [maxDecimals + 1]int64 // exact sums, by the number of digits after the point
	rest     float64                // of numbers that are not in decimals
	min, max []byte
}

// maxDecimals is the number of digits after the point up to which sums are exact.
const maxDecimals = 9

// groups returns the groups of the rows as a JSON array of objects.
func (q *query) groups() ([]byte, error) {
	by, err := q.columnsOf("group", q.in.Group)
	if err != nil {
		return nil, err
	}
	of, err := q.aggregated()
	if err != nil {
		return nil, err
	}
	byKey := map[string]*group{}
	var all []*group
	if len(by) == 0 {
		all = append(all, &group{sums: make([]sum, len(of))})
		byKey[""] = all[0]
	}
	var key []byte
	size := 0
	for _, row := range q.rows {
		if err := q.spend((len(by) + len(of)) * q.doc.size(row)); err != nil {
			return nil, err
		}
		key = key[:0]
		for _, c := range by {
			key = append(append(key, canonical(c.of(q.doc, row))...), ',')
		}
		g := byKey[string(key)]
		if g == nil {
			if size += len(key); len(all) == maxGroups || size > maxGroupBytes {
				return nil, fmt.Errorf("there are too many groups, more than %d; add conditions, or group by a column with fewer values", len(all))
			}
			var keys [][]byte
			for _, c := range by {
				keys = append(keys, c.of(q.doc, row))
			}
			g = &group{keys, make([]sum, len(of))}
			byKey[string(key)] = g
			all = append(all, g)
		}
		if err := q.addRow(g, row, of); err != nil {
			return nil, err
		}
	}
	return q.appendGroups(all)
}

// aggregated returns the columns of the aggregates; nil for one without a column.
func (q *query) aggregated() (of []*column, err error) {
	names := slices.Clone(q.in.Group)
	for i, a := range q.in.Aggregate {
		var c *column
		switch {
		case a.Field == "" && a.Fn != "count":
			return nil, fmt.Errorf(`aggregate[%d]: %s needs a field. Example: {"fn":%[2]q,"field":%q}`, i, a.Fn, first(q.namesOf(q.rows), rowValue))
		case a.Field != "":
			if c, err = q.column(a.Field); err != nil {
				return nil, fmt.Errorf("aggregate[%d]: %w", i, err)
			}
		}
		of, names = append(of, c), append(names, a.name())
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("two members of the groups would have the name %q; leave one out, or give count a field, such as {\"fn\":\"count\",\"field\":%q}", shorten(name), first(q.in.Group, rowValue))
		}
	}
	return of, nil
}

// name returns the name of the aggregate in the answer.
func (a Aggregate) name() string {
	if a.Field == "" {
		return a.Fn
	}
	return a.Fn + "_" + a.Field
}

// columnsOf returns columns by their names, which the member has.
func (q *query) columnsOf(member string, names []string) (columns []*column, err error) {
	for i, name := range names {
		c, err := q.column(name)
		if err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", member, i, err)
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// first returns the first name, or another one if there is none.
func first(names []string, otherwise string) string {
	if len(names) == 0 {
		return otherwise
	}
	return names[0]
}

// canonical returns a value in a form in which equal values have equal bytes.
func canonical(value []byte) []byte {
	switch rawjson.KindOf(value) {
	case rawjson.Invalid:
		return []byte("null")
	case rawjson.Number:
		return canonicalNumber(value)
	default:
		return value
	}
}

// canonicalNumber is canonical for a number.
func canonicalNumber(value []byte) []byte {
	if rawjson.IsInteger(value) && string(value) != "-0" {
		return value
	}
	f, _ := strconv.ParseFloat(string(value), 64)
	switch digits, exponent := decimal(value); {
	case f == 0:
		return []byte("0")
	case math.Abs(f) < exactFloats:
		return rawjson.AppendFloat(nil, f)
	case exponent < int64(len(digits)) || exponent > maxDigits:
		return value
	default:
		integer := digits + strings.Repeat("0", int(exponent)-len(digits))
		if f < 0 {
			integer = "-" + integer
		}
		return []byte(integer)
	}
}

// addRow adds a row to the aggregates of its group.
func (q *query) addRow(g *group, row int32, of []*column) error {
	for i, c := range of {
		s := &g.sums[i]
		if c == nil {
			s.count++
			continue
		}
		value := c.of(q.doc, row)
		kind := rawjson.KindOf(value)
		if kind == rawjson.Invalid || kind == rawjson.Null {
			continue
		}
		s.count++
		switch fn := q.in.Aggregate[i].Fn; fn {
		case "sum", "avg":
			if kind != rawjson.Number {
				return fmt.Errorf("aggregate[%d]: %s needs numbers, but %s of %s is %s", i, fn, c.name, q.doc.Path(row), kindName(value))
			}
			s.add(value)
		case "min", "max":
			if s.min == nil || keyOf(value).compare(keyOf(s.min)) < 0 {
				s.min = value
			}
			if s.max == nil || keyOf(value).compare(keyOf(s.max)) > 0 {
				s.max = value
			}
		}
	}
	return nil
}

// add adds a number.
func (s *sum) add(raw []byte) {
	whole, fraction, _ := bytes.Cut(raw, []byte("."))
	if len(fraction) <= maxDecimals {
		i, err := strconv.ParseInt(string(whole)+string(fraction), 10, 64)
		total := s.decimals[len(fraction)] + i
		if err == nil && (total > s.decimals[len(fraction)]) == (i > 0) { // no exponent, and no overflow
			s.decimals[len(fraction)] = total
			return
		}
	}
	f, _ := strconv.ParseFloat(string(raw), 64)
	s.rest += f
}

// append appends the aggregate as JSON; null if it has no value.
func (s *sum) append(dst []byte, fn string) []byte {
	switch {
	case fn == "count":
		return strconv.AppendInt(dst, int64(s.count), 10)
	case s.count == 0 && fn != "sum":
		return append(dst, "null"...)
	case fn == "min":
		return append(dst, s.min...)
	case fn == "max":
		return append(dst, s.max...)
	}
	total, unit := new(big.Rat), big.NewInt(1)
	for _, n := range s.decimals {
		total.Add(total, new(big.Rat).SetFrac(big.NewInt(n), unit))
		unit = new(big.Int).Mul(unit, big.NewInt(10)) //nolint:mnd // decimal digits
	}
	rest := new(big.Rat).SetFloat64(s.rest)
	if rest == nil { // infinite
		return append(dst, "null"...)
	}
	total.Add(total, rest)
	if fn == "avg" {
		total.Quo(total, new(big.Rat).SetInt64(int64(s.count)))
	}
	if total.IsInt() {
		return append(dst, total.Num().String()...)
	}
	f, _ := total.Float64()
	return rawjson.AppendFloat(dst, f)
}

// appendGroups returns the groups as JSON.
func (q *query) appendGroups(all []*group) ([]byte, error) {
	dst := []byte("[")
	for _, g := range all {
		dst = append(rawjson.AppendComma(dst), '{')
		for i, name := range q.in.Group {
			dst = append(append(rawjson.AppendMinimal(rawjson.AppendComma(dst), name), ':'), canonical(g.keys[i])...)
		}
		for i, a := range q.in.Aggregate {
			if len(dst) > maxAnswerBytes {
				return nil, fmt.Errorf("the groups have more than %s; use conditions, or columns with shorter values", bytesize.Text(maxAnswerBytes))
			}
			dst = g.sums[i].append(append(rawjson.AppendMinimal(rawjson.AppendComma(dst), a.name()), ':'), a.Fn)
		}
		if len(q.in.Aggregate) == 0 && len(q.in.Group) == 0 {
			dst = append(dst, "{}"...)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']'), nil
}
