package reflectschema

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
)

// value sets v to a generated value. It tries again if the plan refuses the value, so that large values have a chance
// to be valid as a whole.
func (d *dice) value(p *part, v reflect.Value, depth int) {
	for range p.tries() {
		v.SetZero()
		d.fill(p, v, depth)
		if p.tries() == 1 || d.odd > 0 && d.n(8) == 0 {
			return
		}
		if _, ok, _ := p.plan().Append(nil, v, math.MaxInt); ok {
			return
		}
	}
}

func (d *dice) fill(p *part, v reflect.Value, depth int) {
	switch p.Kind {
	case codec.KindPointer:
		if depth > 4 || p.null && d.n(3) == 0 || d.isOdd() {
			return
		}
		v.Set(reflect.New(p.Elem.GoType))
		d.value(p.pointed(), v.Elem(), depth+1)
	case codec.KindOptional:
		if p.null && d.n(3) == 0 {
			v.Field(codec.OptionalNull).SetBool(true)
			return
		}
		d.value(p.pointed(), v.Field(codec.OptionalValue), depth)
	case codec.KindStruct:
		for i := range p.Fields {
			f := &p.Fields[i]
			if !p.rules.Object.Required[f.Name] && p.mayOmit(f) && d.n(3) == 0 || len(f.Index) > 1 && d.n(2) == 0 {
				continue
			}
			d.value(p.field(f), madeField(v, f.Index), depth+1)
		}
	case codec.KindUnion:
		if p.null && d.n(3) == 0 || d.isOdd() || depth > 6 {
			return
		}
		a := pick(d, p.Arms...)
		made := reflect.New(a.Node.GoType)
		d.value(p.arm(&a), made.Elem(), depth+1)
		if a.GoType.Kind() != reflect.Pointer {
			made = made.Elem()
		}
		v.Set(made)
	case codec.KindSlice:
		n := p.rules.List.Least + d.n(3)
		if d.n(6) == 0 || depth > 4 {
			n = p.rules.List.Least
		}
		if d.isOdd() {
			n = 0
		}
		if n > 0 {
			v.Set(reflect.MakeSlice(p.GoType, n, n))
		}
		d.elements(p, v, depth)
	case codec.KindArray:
		d.elements(p, v, depth)
	case codec.KindMap:
		d.entries(p, v, depth)
	case codec.KindAny, codec.KindRaw, codec.KindJSON:
		d.anyValue(p, v, depth)
	default:
		d.leaf(p.inside(), v)
	}
}

func (d *dice) elements(p *part, v reflect.Value, depth int) {
	for i := range v.Len() {
		d.value(p.item(), v.Index(i), depth+1)
	}
}

func (d *dice) entries(p *part, v reflect.Value, depth int) {
	n := p.rules.Object.Least + d.n(3)
	if depth > 4 {
		n = 0
	}
	v.Set(reflect.MakeMap(p.GoType))
	known := slices.Sorted(maps.Keys(p.rules.Object.Members))
	for i := range n {
		key, elem := reflect.New(p.Key.GoType).Elem(), reflect.New(p.Elem.GoType).Elem()
		name := pick(d, "k", "", "é", "\xff", "\xfe", `"`) + strconv.Itoa(i)
		if len(known) > 0 {
			name = pick(d, known...)
		}
		switch p.Key.Kind {
		case codec.KindInt:
			key.SetInt(int64(d.n(200)) - 100)
		case codec.KindUint:
			key.SetUint(uint64(d.n(200)))
		case codec.KindText:
			if readText(key, pick(d, "red", "green", name)) != nil {
				continue
			}
		default:
			key.SetString(name)
		}
		d.value(cmp.Or(p.member(name), p.member(""), p), elem, depth+1)
		v.SetMapIndex(key, elem)
	}
}

func (d *dice) anyValue(p *part, v reflect.Value, depth int) {
	switch p.Kind {
	case codec.KindJSON:
		readOwn(p.Node, v, []byte(`{"n":`+strconv.Itoa(d.n(14))+`}`))
	case codec.KindRaw:
		d.anyText(p.Kind, p.rules, depth)
		v.SetBytes(d.out)
		d.out = nil
	default:
		if d.n(3) > 0 {
			d.anyText(p.Kind, p.rules, depth)
			var made any
			if json.Unmarshal(d.out, &made) == nil && made != nil {
				v.Set(reflect.ValueOf(made))
			}
			d.out = nil
			return
		}
		v.Set(reflect.ValueOf(pick[any](d, 1, "x", 2.5, []int(nil), map[string]string{"a": "b"}, true, json.Number("1e5"), json.Number("01"),
			map[string]any{"\xff": 1, "\xfe": 2}, math.NaN(), corpusIn{Days: 3}, json.RawMessage(`{"a":1,"a":2}`), json.RawMessage("1"+strings.Repeat("0", 120)),
			time.Unix(0, 0).UTC(), &ownJSON{7}, deep(510), make(chan int), "v", "a")))
	}
}

// leaf sets v to a value that is neither an array nor an object.
func (d *dice) leaf(p *part, v reflect.Value) {
	low, high := p.limits()
	switch p.Kind {
	case codec.KindBool:
		v.SetBool(d.n(3) > 0)
	case codec.KindInt:
		v.SetInt(pick(d, low, high, low-1, high+1, 0, int64(d.n(256))-100, 5*int64(d.n(3)), math.MaxInt64, math.MinInt64, d.chosen(p, int64(d.n(16)))))
	case codec.KindUint:
		v.SetUint(pick(d, uint64(low), uint64(high), uint64(high+1), uint64(d.n(256)), math.MaxUint64, uint64(d.chosen(p, 1))))
	case codec.KindFloat:
		f, _ := strconv.ParseFloat(d.near(&p.rules.Number), 64)
		v.SetFloat(pick(d, f, f, math.Nextafter(f, 1e9), math.Nextafter(f, -1e9), float64(float32(f)), math.Copysign(0, -1), 1e21, 1e-7, math.Inf(1), math.NaN(), 0.5, 1))
	case codec.KindNumber:
		v.SetString(pick(d, "", "1", "2.50", "1e400", "x", " 1", "1 ", d.near(&p.rules.Number), strings.Repeat("9", 101), "null", "1e1000"))
	case codec.KindBytes:
		v.SetBytes(pick(d, nil, []byte{}, []byte("hi"), []byte(strings.Repeat("\x00\xff", d.n(20)))))
	case codec.KindTime:
		v.Set(reflect.ValueOf(pick(d, time.Time{}, time.Unix(int64(d.n(1<<30)), int64(d.n(1e9))).UTC(), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
			time.Date(2024, 2, 29, 0, 0, 0, 0, time.FixedZone("", 3600*d.n(30))), time.Date(0, 1, 1, 0, 0, 0, 5, time.FixedZone("", 61)))))
	case codec.KindText:
		_ = readText(v, pick(d, append([]string{"red", "green", "10.0.0.1", "::1"}, dateAndDurationTexts...)...))
		if v.Kind() == reflect.Uint8 && d.isOdd() {
			v.SetUint(9)
		}
	default:
		s := d.sized(&p.rules.Text)
		if p.rules.Choice != nil && len(p.rules.Choice.Texts) > 0 {
			s = pick(d, p.rules.Choice.Texts...)
		}
		if p.rules.Text.Format != nil {
			s = pick(d, "2026-01-31T09:30:00Z", "2026-02-29T09:30:00Z", "2024-02-29T09:30:00Z", "a@b.example", "http://a/b", "123e4567-e89b-12d3-a456-426614174000", "^a+$", "(")
		}
		if d.isOdd() {
			s = pick(d, "", "\xff", "a\"b", "\\", "\x00\n\t", "\u2028é", "\ufffd", "a\xe2\x82")
		}
		v.SetString(s)
	}
}

// chosen returns a number listed in the schema, or other.
func (d *dice) chosen(p *part, other int64) int64 {
	if p.rules.Choice == nil || len(p.rules.Choice.Integers) == 0 {
		return other
	}
	return pick(d, p.rules.Choice.Integers...)
}
