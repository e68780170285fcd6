package reflectschema

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/internal/testing/testscale"
)

// FuzzPlan holds the plans of the corpus, and of types made up at random, against the slow way. The first byte of an
// input chooses a type, the second how wild it is; what follows are choices in making
// up JSON for it, or the JSON itself.
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

// planAgrees is what FuzzPlan does with one input.
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

// decodeAgrees holds that what the plan reads is valid, and that the slow way reads the same.
// It reports whether the plan could read it.
func decodeAgrees(t *testing.T, typ *Type, data []byte) bool {
	t.Helper()
	fast := reflect.New(typ.goType).Elem()
	if valid, _ := typ.decodeFast(data, fast); !valid {
		return false
	}
	slow := reflect.New(typ.goType).Elem()
	if _, err := typ.decodeSlow(data, slow, nil); err != nil {
		t.Fatalf("%v: the plan takes %q, and the authority says\n%v\nschema %s", typ.goType, data, err, typ.Schema().JSON())
	}
	if !reflect.DeepEqual(fast.Interface(), slow.Interface()) {
		t.Fatalf("%v: the plan makes of %q\n%#v, not\n%#v", typ.goType, data, fast, slow)
	}
	if len(data)%8 > 0 {
		return true
	}
	// The same by what is written, since -0 and 0 are equal.
	one, errOne := typ.appendSlow(nil, fast, math.MaxInt)
	two, errTwo := typ.appendSlow(nil, slow, math.MaxInt)
	if !bytes.Equal(one, two) || (errOne == nil) != (errTwo == nil) {
		t.Fatalf("%v: the plan makes of %q\n%s, not\n%s", typ.goType, data, one, two)
	}
	return true
}

// encodeAgrees holds that what the plan writes is valid, and the bytes that the slow way
// writes. It reports whether the plan could write it.
func encodeAgrees(t *testing.T, typ *Type, v reflect.Value) bool {
	t.Helper()
	encodesAsOracle(t, typ, v)
	fast, err := typ.appendFast([]byte("x"), v, math.MaxInt)
	if err != nil {
		return false
	}
	slow, err := typ.appendSlow([]byte("x"), v, math.MaxInt)
	if err != nil {
		t.Fatalf("%v: the plan writes %s, and the authority says\n%v\nschema %s", typ.goType, fast, err, typ.Schema().JSON())
	}
	if !bytes.Equal(fast, slow) {
		t.Fatalf("%v: the plan writes\n%s, not\n%s", typ.goType, fast, slow)
	}
	end := len(fast)
	same, err := typ.appendFast([]byte("x"), v, end)
	if err != nil || !bytes.Equal(same, fast) {
		t.Fatalf("%v: with room for all of it the plan writes\n%s (%v), not\n%s", typ.goType, same, err, fast)
	}
	if cut, err := typ.appendFast([]byte("x"), v, end-1); !errors.Is(err, errTooLong) {
		t.Fatalf("%v: with too little room the plan writes\n%s (%v), of\n%s", typ.goType, cut, err, fast)
	}
	if _, err := typ.appendSlow([]byte("x"), v, end-1); !errors.Is(err, errTooLong) {
		t.Fatalf("%v: with too little room for\n%s\nthe error is %v", typ.goType, fast, err)
	}
	return true
}

// TestPlanServes keeps the fuzz test honest: most of what it makes up without
// meaning harm is read by the plan.
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
		t.Logf("%v %d: %d read, %d written of %d", typ.goType, typ.opts.Direction, served, written, tries)
		if served < tries/20 || written < tries/20 {
			t.Errorf("%v: the plan reads %d and writes %d of %d", typ.goType, served, written, tries)
		}
	}
}

// TestPlanGenerated holds the plans of generated types against the slow way.
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
		t.Errorf("the plans read %d and write %d of %d", read, written, n)
	}
}

// TestPlanRefusesUnknown: a schema that the plan does not fully know has none.
func TestPlanRefusesUnknown(t *testing.T) {
	t.Parallel()
	typ, err := Compile(reflect.TypeFor[corpusUnknown](), Options{})
	if err != nil || typ.plan() != nil {
		t.Errorf("there is a plan for %s (%v)", typ.Schema().JSON(), err)
	}
}
