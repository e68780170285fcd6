package reflectschema

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/datetime"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// dice makes choices from the bytes of a fuzz input, and then from a generator seeded with them. A small change of the
// input is a small change of the result, and a short input can produce a large result.
type dice struct {
	data []byte
	rest *rand.Rand
	out  []byte
	odd  int // one of odd values is wrong; 0 for none
}

func newDice(data []byte) *dice {
	h := fnv.New64a()
	_, _ = h.Write(data)
	return &dice{data: data, rest: rand.New(rand.NewPCG(h.Sum64(), 1))}
}

// n returns a number in [0, n).
func (d *dice) n(n int) int {
	if len(d.data) == 0 {
		return d.rest.IntN(n)
	}
	b := int(d.data[0])
	d.data = d.data[1:]
	return b % n
}

// isOdd reports whether the next value should be wrong.
func (d *dice) isOdd() bool { return d.odd > 0 && d.n(d.odd) == 0 }

func pick[T any](d *dice, list ...T) T { return list[d.n(len(list))] }

func (d *dice) write(parts ...string) {
	for _, p := range parts {
		d.out = append(d.out, p...)
	}
}

// space sometimes writes white space.
func (d *dice) space() {
	if d.n(12) == 0 {
		d.write(pick(d, " ", "\n", "\t", "\r", "  "))
	}
	if d.isOdd() {
		d.write(pick(d, "\v", "\x00", "\ufeff", "\u00a0", "/**/"))
	}
}

// dateAndDurationTexts are texts that a datetime.Date or a Duration accepts, inside and outside of common bounds.
var dateAndDurationTexts = []string{"2026-01-31", "2026-06-15", "2026-01-01", "2027-01-01", "0001-01-01", "2026-02-30", "0000-01-01", "15m", "0.25h", "1h30m", "2h", "8h", "0s", "-5m", "3000000h", "P1D"}

// oddValues are wrong in most places, or valid in an unusual form.
var oddValues = []string{
	"null", "true", "false", "0", "-0", "1", "-1", "1.0", "1e2", "100e-2", "0.5", "01", "-", "1.", "1e", "+1", "NaN",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615", "18446744073709551616",
	"999999999999999999", "1000000000000000000", "1e400", "1e-400", "1e1000", "0e99999", "123456789012345678901234567890", "0.1000000000000000055511151231257827",
	strings.Repeat("9", 100), strings.Repeat("9", 101), "1." + strings.Repeat("0", 99),
	`""`, `"x"`, `"\u0061"`, `"\ud800"`, `"\ud83d\ude00"`, `"\ude00"`, "\"\xff\"", "\"\xe2\x82\"", "\"\x01\"", `"\n"`, `"\x"`, `"`, `"a`, `"1"`, `"true"`, `"é€😀"`,
	"[]", "{}", "[[[]]]", "[null]", "[1,]", `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":{"b":[1,"x",null]}}`, "[", "{", "]", "}", ",", ":", "nul", "tru", "",
	strings.Repeat("[", 511) + strings.Repeat("]", 511), strings.Repeat("[", 600) + strings.Repeat("]", 600), strings.Repeat(`{"a":`, 505) + "1" + strings.Repeat("}", 505),
	`"2026-01-31T09:30:00Z"`, `"2026-02-30T09:30:00Z"`, `"2016-12-31T23:59:60Z"`, `"2026-01-31t09:30:00z"`, `"2026-01-31T09:30:00,5Z"`, `"2026-01-31T24:00:00Z"`, `"2026-01-31T09:30:00.123456789123+23:59"`, `"2026-01-31T09:30:00+24:00"`,
}

// text writes JSON for a part. It tries again if the plan refuses the result, so that long values have a chance to be
// valid as a whole.
func (d *dice) text(p *part, depth int) {
	d.space()
	defer d.space()
	if d.isOdd() {
		d.write(pick(d, oddValues...))
		return
	}
	start := len(d.out)
	for range p.tries() {
		d.out = d.out[:start]
		d.attempt(p, depth)
		if p.tries() == 1 {
			continue
		}
		if valid, _ := p.plan().Decode(d.out[start:], reflect.New(p.GoType).Elem()); valid {
			return
		}
	}
}

func (d *dice) attempt(p *part, depth int) {
	if p.null && d.n(6) == 0 {
		d.write("null")
		return
	}
	switch p.Kind {
	case codec.KindPointer, codec.KindOptional:
		d.text(p.pointed(), depth)
	case codec.KindStruct:
		d.write("{")
		d.structText(p, depth, true)
	case codec.KindUnion:
		a := pick(d, p.Arms...)
		open := a.Open
		if d.isOdd() {
			open = strings.Replace(open, pick(d, ":", `"`, "{"), pick(d, " : ", `"\u0063`, `{"X":1,`, `{"Seconds":5,`), 1)
		}
		d.write(open)
		d.structText(p.arm(&a), depth, false)
	case codec.KindSlice, codec.KindArray:
		d.listText(p, depth)
	case codec.KindMap:
		d.mapText(p, depth)
	case codec.KindAny, codec.KindRaw, codec.KindJSON:
		d.anyText(p.Kind, p.rules, depth)
	case codec.KindBool, codec.KindInt, codec.KindUint, codec.KindFloat, codec.KindNumber:
		quote := ""
		if p.Quoted {
			quote = `"`
		}
		d.write(quote)
		d.numberText(p.inside())
		d.write(quote)
	default:
		d.stringText(p)
	}
}

// structText writes the members of an object after its opening brace.
func (d *dice) structText(p *part, depth int, first bool) {
	var last string
	for i := range p.Fields {
		f := &p.Fields[i]
		switch required := p.rules.Object.Required[f.Name]; {
		case !required && (d.n(2) == 0 || depth > 3), required && d.isOdd():
			continue
		case d.isOdd():
			f = &p.Fields[d.n(len(p.Fields))]
		}
		if !first {
			d.write(",")
		}
		first = false
		d.space()
		last = string(jsondoc.AppendString(nil, f.Name))
		if d.isOdd() {
			last = pick(d, `"unknown"`, `"`+strings.ToUpper(f.Name)+`"`, fmt.Sprintf(`"\u%04x%s"`, f.Name[0], f.Name[1:]), `""`, f.Name)
		}
		d.write(last)
		d.space()
		d.write(":")
		d.text(p.field(f), depth+1)
	}
	if d.isOdd() && last != "" {
		d.write(",", last, ":1")
	}
	d.write("}")
}

func (d *dice) listText(p *part, depth int) {
	d.write("[")
	n := p.rules.List.Least + d.n(3)
	if p.Kind == codec.KindArray {
		n = p.GoType.Len()
	}
	if depth > 4 && p.Kind == codec.KindSlice {
		n = p.rules.List.Least
	}
	if d.isOdd() {
		n = d.n(20)
	}
	for i := range n {
		if i > 0 {
			d.write(",")
		}
		d.text(p.item(), depth+1)
	}
	d.write("]")
}

func (d *dice) mapText(p *part, depth int) {
	d.write("{")
	n := p.rules.Object.Least + d.n(3)
	if depth > 4 {
		n = p.rules.Object.Least
	}
	known := slices.Sorted(maps.Keys(p.rules.Object.Members))
	known = slices.DeleteFunc(known, func(name string) bool { return !p.rules.Object.Required[name] && d.n(3) > 0 })
	if len(known) > 0 {
		n = len(known) + d.n(2)
	}
	for i := range n {
		if i > 0 {
			d.write(",")
		}
		name := strconv.Itoa(i)
		switch p.Key.Kind {
		case codec.KindText:
			name = colors[i%2]
		case codec.KindString:
			name = pick(d, "k", "", "é") + name
		default:
		}
		if i < len(known) {
			name = known[i]
		}
		if d.isOdd() {
			name = pick(d, "-1", "01", "300", "x", `\u0031`, "-0", "+1", " 1", "\xff", `a\"b`)
		}
		d.write(`"`, name, `":`)
		d.text(cmp.Or(p.member(name), p), depth+1)
	}
	d.write("}")
}

// anyText writes JSON of any form for the rules.
func (d *dice) anyText(kind codec.Kind, c *rules.Rules, depth int) {
	switch {
	case kind == codec.KindJSON && d.n(8) > 0:
		d.write(`{"n":`, strconv.Itoa(d.n(16)), `}`)
	case c == rules.Anything && depth > 3:
		d.write(pick(d, oddValues...))
	case c == rules.Anything && d.n(2) == 0:
		d.write(pick(d, "1", "-2.5", `"x"`, "true", "[]", "{}", "12345678901234567", "0.1", "1e3", "-0"))
	case c.Choice != nil:
		d.write(pick(d, `"a"`, "1", "2.5", "null", "true", "[1]", `"x"`, "1.0", `"v"`))
	case c.Object.Members != nil || c == rules.Anything && d.n(2) == 0:
		d.anyObject(c, depth)
	case c.Types == jsondoc.TypeArray || c == rules.Anything:
		d.write("[")
		for i := range d.n(4) {
			if i > 0 {
				d.write(",")
			}
			d.anyText(codec.KindAny, c.List.Each().Resolved(), depth+1)
		}
		d.write("]")
	case c.Types&jsondoc.TypeNumber != 0:
		d.write(d.near(&c.Number))
	default:
		d.write(`"`, d.sized(&c.Text), `"`)
	}
}

func (d *dice) anyObject(c *rules.Rules, depth int) {
	d.write("{")
	first := true
	for _, name := range []string{"n", "f", "s", "e", "l", "o", "k", "x", "zzz"} {
		if d.n(5) > 1 && !c.Object.Required[name] {
			continue
		}
		member := c.Object.Member([]byte(name))
		if member == nil {
			continue
		}
		if !first {
			d.write(",")
		}
		first = false
		d.write(`"`, name, `":`)
		d.anyText(codec.KindAny, member.Resolved(), depth+1)
	}
	d.write("}")
}

func (d *dice) numberText(p *part) {
	switch {
	case p.Kind == codec.KindBool:
		d.write(pick(d, "true", "true", "false"))
	case p.rules.Choice != nil:
		d.write(pick(d, "1", "20", "300", "7", "0.5", "1.0", "0.50", "1.00000000000000001", "5e-1"))
	case p.Kind == codec.KindInt || p.Kind == codec.KindUint:
		low, high := p.limits()
		d.write(pick(d, strconv.FormatInt(low, 10), strconv.FormatInt(high, 10), strconv.Itoa(d.n(16)), strconv.Itoa(d.n(256)-100), d.near(&p.rules.Number)))
	default:
		d.write(d.near(&p.rules.Number))
	}
}

// near writes a number close to the bounds.
func (d *dice) near(n *rules.Number) string {
	s := pick(d, "0", "1", "3", "15", "-2.25", "0.2", "0.29", "0.07", "123.456", "1e-7", "16777217")
	if len(n.Bounds) > 0 && d.n(4) > 0 {
		s = strconv.FormatFloat(pick(d, n.Bounds...).At, 'f', -1, 64)
	}
	switch d.n(8) {
	case 0:
		if !strings.Contains(s, ".") && !strings.Contains(s, "e") {
			s += "."
		}
		s += pick(d, "0", "00", "00000000000000000000001", "5")
	case 1:
		s += "e0"
	case 2:
		s = "-" + strings.TrimPrefix(s, "-")
	}
	return s
}

func (d *dice) stringText(p *part) {
	t := &p.rules.Text
	switch {
	case p.Kind == codec.KindBytes:
		d.write(pick(d, `""`, `"aGk="`, `"AA=="`, `"AA"`, `"aGk\n="`, `"\u0061Gk="`))
	case p.Kind == codec.KindText && p.GoType == reflect.TypeFor[datetime.Date](), p.Kind == codec.KindText && p.GoType == reflect.TypeFor[datetime.Duration]():
		d.write(`"`, pick(d, dateAndDurationTexts...), `"`)
	case p.Kind == codec.KindTime || t.Format != nil:
		d.write(pick(d, `"2026-01-31T09:30:00Z"`, `"2026-01-21T09:30:00.5+02:00"`, `"a@b.example"`, `"http://a/b"`, `"123e4567-e89b-12d3-a456-426614174000"`, `"^a+$"`, `"("`))
	case p.Kind == codec.KindText:
		d.write(pick(d, `"red"`, `"green"`, `"10.0.0.1"`, `"::1"`, `"\u0067reen"`))
	case p.rules.Choice != nil && len(p.rules.Choice.Texts) > 0:
		d.out = jsondoc.AppendString(d.out, pick(d, p.rules.Choice.Texts...))
	default:
		d.write(`"`, d.sized(t), `"`)
	}
}

// sized writes the content of a string of about the allowed length.
func (d *dice) sized(t *rules.Text) string {
	n := d.n(20)
	if t.Limited && d.n(2) == 0 {
		n = t.Most + d.n(3) - 1
	}
	return strings.Repeat(pick(d, "a", "a", "b", "é", "😀", `\n`, `\u00e9`, `\ud83d\ude00`, "\u2028", "\x7f"), max(n, 0))
}

// mutate changes a few bytes.
func (d *dice) mutate() {
	for range d.n(3) {
		if len(d.out) == 0 {
			return
		}
		i := d.n(len(d.out))
		switch d.n(4) {
		case 0:
			d.out = append(d.out[:i], d.out[i+1:]...)
		case 1:
			d.out[i] = pick[byte](d, '"', '\\', '{', '}', '[', ']', ',', ':', '0', '9', '.', 'e', '-', ' ', 'n', 0xff, 0)
		case 2:
			d.out = append(d.out[:i:i], append([]byte(pick(d, oddValues...)), d.out[i:]...)...)
		default:
			j := i + d.n(8)
			d.out = append(d.out, bytes.Clone(d.out[i:min(j, len(d.out))])...)
		}
	}
}
