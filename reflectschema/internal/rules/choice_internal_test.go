package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// choiceKinds return the i-th value of an enum.
var choiceKinds = []struct {
	name string
	at   func(i int) string
}{
	{"strings", func(i int) string { return strconv.Quote("choice " + strconv.Itoa(i)) }},
	{"escaped", func(i int) string { return fmt.Sprintf(`"\u00e9\"\\%d\n"`, i) }},
	{"integers", func(i int) string { return strconv.Itoa(i*7 - 100) }},
	{"floats", func(i int) string { return fmt.Sprintf("%d.%d5", i-5, i%10) }},
	{"exponents", func(i int) string { return fmt.Sprintf("%de%d", i+1, i%4) }},
	{"long numbers", func(i int) string { return fmt.Sprintf("1234567890123456%d", i) }},
	{"bools", func(i int) string { return strconv.FormatBool(i%2 == 0) }},
	{"null", func(int) string { return "null" }},
}

// enumOf returns the rules of an enum with n values of the given kind, or of all kinds in turn if kind is out of range.
func enumOf(tb testing.TB, kind, n int) (made *Rules, values []string, raw []byte) {
	tb.Helper()
	for i := range n {
		k := kind
		if k == len(choiceKinds) {
			k = i % len(choiceKinds)
		}
		values = append(values, choiceKinds[k].at(i))
	}
	raw = []byte(`{"enum":[` + strings.Join(values, ",") + `]}`)
	if made = Of(jsondoc.Parse(raw)); made == nil {
		tb.Fatalf("no rules for an enum of %d", n)
	}
	return made, values, raw
}

// TestChoices: a value is found in short and long enums exactly if the authority accepts it.
func TestChoices(t *testing.T) {
	t.Parallel()
	other := []string{`""`, `"choice"`, `"choice 00"`, `"CHOICE 1"`, `"choice 3000"`, `"\u0063hoice 1"`, `"é\"\\1\n"`, `"1"`, "-100", "-101", "0", "-0", "1", "1.0", "10e-1", "-5.05", "-5.050", "1e2", "100", "12345678901234561", "true", "false", "null", "[]", "{}"}
	for kind := range len(choiceKinds) + 1 {
		for _, n := range []int{0, 1, 7, 8, 9, 3000} {
			made, values, raw := enumOf(t, kind, n)
			auth, err := authority.Compile(raw, authority.Draft2020)
			if err != nil {
				t.Fatal(err)
			}
			probes := slices.Concat(other, values[:min(n, 50)], values[max(n-50, 0):])
			for k := range choiceKinds {
				probes = append(probes, choiceKinds[k].at(n), choiceKinds[k].at(n/2))
			}
			for _, v := range probes {
				got := made.Check(&Reader{Data: []byte(v)})
				parsed, err := authority.Parse([]byte(v))
				if err != nil {
					t.Fatal(err)
				}
				failures, err := auth.Check(auth.Root, parsed, 1, nil)
				listed, plain := slices.Contains(values, v), !strings.ContainsAny(v, "e") && len(v) < 15 || v[0] == '"'
				if valid := len(failures) == 0; err != nil || got && !valid || listed && !valid || listed && plain && !got {
					t.Errorf("%d values, kind %d: %s: got %t, authority: %t, %v", n, kind, v, got, valid, err)
				}
			}
		}
	}
}

// TestChosenAllocates: looking up a value returns the text of the schema without allocations, for any number of values.
func TestChosenAllocates(t *testing.T) {
	for _, n := range []int{8, 3000} {
		made, values, _ := enumOf(t, 0, n)
		last := []byte(strings.Trim(values[n-1], `"`))
		if allocs := testing.AllocsPerRun(100, func() {
			if text, ok := made.Chosen(last, new(int)); !ok || text != string(last) {
				t.Errorf("got %q, %t", text, ok)
			}
		}); allocs > 0 {
			t.Errorf("%d values: %v allocations, want none", n, allocs)
		}
	}
}

// BenchmarkChoices shows that the cost of a lookup does not depend on the number of values.
func BenchmarkChoices(b *testing.B) {
	for kind := range 4 {
		for _, n := range []int{8, 9, 300, 3000} {
			made, values, _ := enumOf(b, kind, n)
			b.Run(fmt.Sprintf("%s/%d", choiceKinds[kind].name, n), func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					i = (i + 7) % n
					in := Reader{Data: []byte(values[i])}
					if !made.Check(&in) {
						b.Fatal(values[i])
					}
				}
			})
		}
	}
}
