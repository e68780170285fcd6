package reflectschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
)

type (
	memoryIn[T any] struct {
		Rows []T `json:"rows"`
	}
	memoryDefaults struct {
		A string            `json:"a" jsonschema:"default=a long default that is filled in for each row"`
		B []int             `json:"b" jsonschema:"default=[1\\,2\\,3\\,4\\,5\\,6\\,7\\,8\\,9]"`
		C map[string]string `json:"c" jsonschema:"default={\"a\":\"b\"\\,\"c\":\"d\"}"`
	}
	memoryLarge struct {
		Buffer [40]int `json:"buffer,omitzero"`
		Name   string  `json:"name,omitempty"`
	}
	MemoryEmbedded struct {
		Buffer [40]int `json:"buffer,omitzero"`
		Name   string  `json:"name,omitempty"`
	}
	memoryEmbedding struct {
		*MemoryEmbedded
		Other string `json:"other,omitempty"`
	}
	// memoryUnique has no plan, as plans do not support uniqueItems for structs.
	memoryUnique struct {
		Rows [][]memoryLarge `json:"rows" jsonschema:"maxItems=1000000"`
		Set  []memoryLarge   `json:"set,omitzero" jsonschema:"uniqueItems"`
	}
	memoryShape  interface{ isMemoryShape() }
	memorySquare struct {
		Buffer [40]int `json:"buffer,omitzero"`
	}
)

func (memorySquare) isMemoryShape() {}

func init() {
	RegisterUnion("type", map[string]memoryShape{"square": memorySquare{}})
}

// memoryShapes are lists of 20,000 rows, with each kind of allocation.
var memoryShapes = []struct {
	name string
	in   any // a value of the Go type
	row  string
	fast bool // decoded by a plan
}{
	{"integers", memoryIn[int64]{}, `1`, true},
	{"texts", memoryIn[string]{}, `"a text of some length"`, true},
	{"structs", memoryIn[memoryLarge]{}, `{}`, true},
	{"lists", memoryIn[[]int64]{}, `[1]`, true},
	{"pointers", memoryIn[*memoryLarge]{}, `{}`, true},
	{"embedded pointers", memoryIn[memoryEmbedding]{}, `{"name":"x"}`, true},
	{"defaults", memoryIn[memoryDefaults]{}, `{}`, true},
	{"union", memoryIn[memoryShape]{}, `{"type":"square"}`, true},
	{"small maps", memoryIn[map[string]int64]{}, `{"a":1}`, true},
	{"maps", memoryIn[map[string]int64]{}, `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1}`, true},
	{"maps of structs", memoryIn[map[string]memoryLarge]{}, `{"a":{}}`, true},
	{"times", memoryIn[time.Time]{}, `"2026-01-01T00:00:00+01:07"`, true},
	{"anything", memoryIn[any]{}, `{"a":[1,"b"]}`, true},
	{"big integers", memoryIn[*big.Int]{}, `12345`, true},
	{"without a plan", memoryUnique{}, `[{}]`, false},
}

// TestMemoryIsCounted compares the counted memory of a decoded value with its heap size, with and without a check of the schema.
func TestMemoryIsCounted(t *testing.T) {
	for _, test := range memoryShapes {
		data := []byte(`{"rows":[` + strings.Repeat(test.row+",", 19_999) + test.row + `]}`)
		typ := mustCompile(t, reflect.TypeOf(test.in))
		if (typ.plan() != nil) != test.fast {
			t.Fatalf("%s: plan exists: %t, want %t", test.name, !test.fast, test.fast)
		}
		for _, fast := range []bool{true, false} {
			if fast && !test.fast {
				continue
			}
			plan, unchecked := typ.plan(), typ.uncheckedPlan()
			dst := reflect.New(typ.goType)
			before := heldNow()
			var taken int
			if fast {
				var valid bool
				if valid, taken = plan.Decode(data, dst.Elem()); !valid {
					t.Fatalf("%s: the plan cannot decode", test.name)
				}
			} else {
				var violations *codec.Violations
				if violations, taken = unchecked.Collect(data, dst.Elem(), false, nil); violations != nil {
					t.Fatal(test.name, violations)
				}
			}
			held := heldNow() - before
			if float64(taken) < 0.75*float64(held) || float64(taken) > 2.5*float64(held)+float64(len(data)) {
				t.Errorf("%s, fast = %v: counted %d bytes, allocated %d", test.name, fast, taken, held)
			}
			runtime.KeepAlive(dst)
		}
		runtime.KeepAlive(data)
	}
}

func heldNow() int {
	runtime.GC()
	runtime.GC() // the second clears pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func mustCompile(t *testing.T, goType reflect.Type) *Type {
	t.Helper()
	typ, err := Compile(goType, DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// TestMemoryIsBounded tests values that would need too much memory when decoded, and large ones that do not.
func TestMemoryIsBounded(t *testing.T) {
	const most = 499_000
	list := func(item string, n int) []byte {
		return []byte(`{"rows":[` + strings.Repeat(item+",", n-1) + item + `]}`)
	}
	for _, test := range []struct {
		name   string
		in     any
		data   []byte
		fits   bool
		reason string
	}{
		{"defaults", memoryIn[memoryDefaults]{}, list(`{}`, most/3), false, "each row has a map and a list from defaults"},
		{"structs", memoryIn[memoryLarge]{}, list(`{}`, most/2), false, ""},
		{"pointers", memoryIn[*memoryLarge]{}, list(`{}`, most/2), false, ""},
		{"embedded pointers", memoryIn[memoryEmbedding]{}, list(`{"name":""}`, most/2), false, ""},
		{"maps", memoryIn[map[string]memoryLarge]{}, list(`{"":{}}`, most/2), false, ""},
		{"union", memoryIn[memoryShape]{}, list(`{"type":"square"}`, most/2), false, ""},
		{"large integers", memoryIn[*big.Int]{}, list(`1e999`, most), false, "five characters are a thousand digits"},
		{"no plan", memoryUnique{}, list(`[{}]`, most/3), false, "lists of one, with room for four"},
		{"a syntax error at the end", memoryIn[memoryLarge]{}, append(list(`{}`, most/2), " x"...), false, "the value is refused before its end is read"},
		{"a large text", memoryIn[string]{}, []byte(`{"rows":["` + strings.Repeat("x", 16<<20-20) + `"]}`), true, "the size of a message"},
		{"a large file", memoryIn[[]byte]{}, []byte(`{"rows":["` + strings.Repeat("AAAA", 32<<20/4) + `"]}`), true, "servers may accept more than by default"},
		{"numbers", memoryIn[float64]{}, list(`1.5`, 1_000_000), true, ""},
		{"integers without a fast case", memoryIn[uint32]{}, list(`1`, 1_000_000), true, ""},
		{"any numbers", memoryIn[any]{}, list(`1.5`, 1_000_000), true, ""},
		{"texts", memoryIn[string]{}, list(`"abc"`, 1_000_000), true, ""},
		{"common rows", memoryIn[map[string]any]{}, list(`{"id":1,"name":"Ada","mail":"ada@example.com","tags":["a","b"]}`, 80_000), true, ""},
	} {
		typ := mustCompile(t, reflect.TypeOf(test.in))
		dst := reflect.New(typ.goType).Elem()
		err := typ.Decode(test.data, dst)
		if test.fits {
			if err != nil {
				t.Errorf("%s: %v: %s", test.name, err, test.reason)
			}
			continue
		}
		const words = "must be smaller: decoded, it would take more than 64 MiB of memory\nExample: "
		var invalid *InvalidError
		if !errors.As(err, &invalid) || !strings.HasPrefix(invalid.Error(), words) || !dst.IsZero() {
			t.Errorf("%s: got %v, want %s: %s", test.name, err, words, test.reason)
		}
	}
}

// TestMemoryGrowsWithTheText: a message larger than the default limit may use more memory.
func TestMemoryGrowsWithTheText(t *testing.T) {
	typ := mustCompile(t, reflect.TypeFor[memoryIn[memoryLarge]]())
	rows := strings.Repeat(`{},`, 250_000)
	data := []byte(`{"rows":[` + rows + `{"name":"` + strings.Repeat("x", 40<<20) + `"}]}`)
	if err := typ.Decode(data, reflect.New(typ.goType).Elem()); err != nil {
		t.Error(err)
	}
}

// TestStoredMemory: stored values are decoded without a memory limit.
func TestStoredMemory(t *testing.T) {
	data := bytes.Repeat([]byte(`{},`), 250_000)
	data[len(data)-1] = ']'
	rows, err := Unmarshal[[]memoryLarge](append([]byte{'['}, data...))
	if err != nil || len(rows) != 250_000 {
		t.Error(len(rows), err)
	}
	if _, err := UnmarshalLenient[[]memoryLarge](append([]byte{'['}, data...)); err == nil {
		t.Error("UnmarshalLenient succeeded, want an error: it decodes messages of clients")
	}
	var raw json.RawMessage
	if err := mustCompile(t, reflect.TypeFor[json.RawMessage]()).Decode([]byte(`1`), reflect.ValueOf(&raw).Elem()); err != nil {
		t.Error(err)
	}
}
