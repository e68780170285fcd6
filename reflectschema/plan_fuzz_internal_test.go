package reflectschema

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/internal/testing/testscale"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
)

// FuzzPlan compares the plans of the corpus and of generated types with the slow path, and the slow path with oracles. The first byte of an input
// selects the type, the second the rate of wrong values. The rest are choices for generating JSON, or the JSON itself.
func FuzzPlan(f *testing.F) {
	types := slices.Concat(corpus(f), corpusKeywords(f), generated(f, 100))
	for i := range types {
		for wild := range byte(16) {
			f.Add([]byte{byte(i), wild, 1, 2, 3})
		}
	}
	f.Add([]byte("\x00\xff{\"location\":\"Lisbon\",\"days\":3}"))
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		defer watch()()
		planAgrees(t, types, data)
	})
}

// planAgrees is FuzzPlan for one input.
func planAgrees(t *testing.T, types []*Type, data []byte) {
	t.Helper()
	if len(data) < 2 {
		return
	}
	typ, wild := types[int(data[0])%len(types)], data[1]
	if wild == 0xff {
		decodeAgrees(t, typ, data[2:])
		return
	}
	d := newDice(data[2:])
	d.odd = []int{0, 200, 60, 20}[wild%4]
	if wild%16 > 9 {
		v := reflect.New(typ.goType).Elem()
		d.value(partOf(typ), v, 0)
		encodeAgrees(t, typ, v)
		return
	}
	d.text(partOf(typ), 0)
	if wild%8 > 4 {
		d.mutate()
	}
	decodeAgrees(t, typ, d.out)
}

// decodeAgrees checks that data decoded by the plan is valid, and that the slow path decodes it to the same value. It
// reports whether the plan could decode it.
func decodeAgrees(t *testing.T, typ *Type, data []byte) bool {
	t.Helper()
	collectsAsOracle(t, typ, data)
	fast := reflect.New(typ.goType).Elem()
	if valid, _ := typ.decodeFast(data, fast); !valid {
		return false
	}
	slow := reflect.New(typ.goType).Elem()
	if _, err := typ.decodeSlow(data, slow, nil); err != nil {
		t.Fatalf("%v: the plan accepts %q, but the authority does not:\n%v\nschema %s", typ.goType, data, err, typ.Schema().JSON())
	}
	if !reflect.DeepEqual(fast.Interface(), slow.Interface()) {
		t.Fatalf("%v: the plan decodes %q to\n%#v, want\n%#v", typ.goType, data, fast, slow)
	}
	if len(data)%8 > 0 {
		return true
	}
	// Compare the encoded values as well, since -0 and 0 are equal.
	one, errOne := typ.appendSlow(nil, fast, math.MaxInt)
	two, errTwo := typ.appendSlow(nil, slow, math.MaxInt)
	if !bytes.Equal(one, two) || (errOne == nil) != (errTwo == nil) {
		t.Fatalf("%v: the plan decodes %q to\n%s, want\n%s", typ.goType, data, one, two)
	}
	return true
}

// collectsAsOracle checks that an unchecked plan decodes data, unless it is not strict JSON, to the same value as the oracle, or
// refuses the same parts.
func collectsAsOracle(t *testing.T, typ *Type, data []byte) {
	t.Helper()
	if _, err := authority.Parse(data); err != nil {
		return
	}
	got, want := reflect.New(typ.goType).Elem(), reflect.New(typ.goType).Elem()
	violations, _ := typ.uncheckedPlan().Collect(data, got, false, nil)
	o := decodeOracle{}
	o.value(typ.root(), bytes.TrimSpace(data), want, nil)
	if (violations == nil) != (o.refused == nil) {
		t.Fatalf("%v: an unchecked plan decodes %q with violations %+v, want %v", typ.goType, data, violations, o.refused)
	}
	if violations == nil {
		if !reflect.DeepEqual(got.Interface(), want.Interface()) {
			t.Fatalf("%v: an unchecked plan decodes %q to\n%#v, want\n%#v", typ.goType, data, got, want)
		}
		return
	}
	var pointers []string
	for _, at := range o.refused {
		pointers = append(pointers, at.Pointer())
	}
	for _, v := range violations.List {
		// UnmarshalJSON and a registered schema may refuse a part of the value.
		if !slices.ContainsFunc(pointers, func(p string) bool { return v.Pointer == p || strings.HasPrefix(v.Pointer, p+"/") }) {
			t.Fatalf("%v: an unchecked plan refuses %q at %q, want %q", typ.goType, data, v.Pointer, pointers)
		}
	}
	if violations.Total > len(violations.List) {
		return
	}
	for _, p := range pointers {
		if !slices.ContainsFunc(violations.List, func(v codec.Violation) bool { return v.Pointer == p || strings.HasPrefix(v.Pointer, p+"/") }) {
			t.Fatalf("%v: an unchecked plan decodes %q at %q, with violations %+v", typ.goType, data, p, violations.List)
		}
	}
}

// encodeAgrees checks that the plan's output is valid, and equal to the output of the slow path. It reports whether the
// plan could encode v.
func encodeAgrees(t *testing.T, typ *Type, v reflect.Value) bool {
	t.Helper()
	encodesAsOracle(t, typ, v)
	fast, err := typ.appendFast([]byte("x"), v, math.MaxInt)
	if err != nil {
		return false
	}
	slow, err := typ.appendSlow([]byte("x"), v, math.MaxInt)
	if err != nil {
		t.Fatalf("%v: the plan writes %s, but the authority refuses it:\n%v\nschema %s", typ.goType, fast, err, typ.Schema().JSON())
	}
	if !bytes.Equal(fast, slow) {
		t.Fatalf("%v: the plan writes\n%s, want\n%s", typ.goType, fast, slow)
	}
	end := len(fast)
	same, err := typ.appendFast([]byte("x"), v, end)
	if err != nil || !bytes.Equal(same, fast) {
		t.Fatalf("%v: with enough room, the plan writes\n%s (%v), want\n%s", typ.goType, same, err, fast)
	}
	if cut, err := typ.appendFast([]byte("x"), v, end-1); !errors.Is(err, errTooLong) {
		t.Fatalf("%v: with too little room, the plan writes\n%s (%v), of\n%s", typ.goType, cut, err, fast)
	}
	if _, err := typ.appendSlow([]byte("x"), v, end-1); !errors.Is(err, errTooLong) {
		t.Fatalf("%v: with too little room for\n%s\ngot error %v", typ.goType, fast, err)
	}
	return true
}

// TestPlanServes checks that the plan accepts enough of the generated JSON and values for FuzzPlan to be meaningful.
func TestPlanServes(t *testing.T) {
	t.Parallel()
	for _, typ := range corpus(t) {
		const tries = 150
		served, written := 0, 0
		for i := range tries {
			d := newDice([]byte{byte(i), 1})
			d.text(partOf(typ), 0)
			if decodeAgrees(t, typ, d.out) {
				served++
			}
			d.out = nil
			v := reflect.New(typ.goType).Elem()
			d.value(partOf(typ), v, 0)
			if encodeAgrees(t, typ, v) {
				written++
			}
		}
		t.Logf("%v %d: %d read, %d written of %d", typ.goType, typ.usage.direction, served, written, tries)
		if served < tries/20 || written < tries/20 {
			t.Errorf("%v: the plan decodes %d and encodes %d of %d", typ.goType, served, written, tries)
		}
	}
}

// TestPlanGenerated compares the plans of generated types with the slow path.
func TestPlanGenerated(t *testing.T) {
	t.Parallel()
	read, written := 0, 0
	const tries = 20
	types := generated(t, testscale.Count(300))
	for _, typ := range types {
		for i := range tries {
			d := newDice([]byte{byte(i), 2})
			d.odd = i % 2 * 60
			d.text(partOf(typ), 0)
			if decodeAgrees(t, typ, d.out) {
				read++
			}
			d.out = nil
			v := reflect.New(typ.goType).Elem()
			d.value(partOf(typ), v, 0)
			if encodeAgrees(t, typ, v) {
				written++
			}
		}
	}
	if n := len(types) * tries; read < n/4 || written < n/4 {
		t.Errorf("the plans decode %d and encode %d of %d", read, written, n)
	}
}

// TestPlanRefusesUnknown: a schema with a keyword that plans do not support has no plan.
func TestPlanRefusesUnknown(t *testing.T) {
	t.Parallel()
	typ, err := Compile(reflect.TypeFor[corpusUnknown](), DirectionInput)
	if err != nil || typ.plan() != nil {
		t.Errorf("got a plan for %s (%v)", typ.Schema().JSON(), err)
	}
}
