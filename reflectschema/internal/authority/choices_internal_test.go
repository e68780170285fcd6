package authority

import (
	"fmt"
	"strings"
	"testing"
)

// TestEnumWork: the cost of an enum does not depend on the number of its values.
func TestEnumWork(t *testing.T) {
	t.Parallel()
	for _, kind := range []struct {
		name string
		at   func(i int) string
	}{
		{"strings", func(i int) string { return fmt.Sprintf(`"choice %d"`, i) }},
		{"integers", func(i int) string { return fmt.Sprint(i) }},
		{"equal integers in another spelling", func(i int) string { return fmt.Sprintf("%d.0", i) }},
		{"arrays", func(i int) string { return "[" + strings.Repeat("1,", i) + "1]" }},
	} {
		spent := map[int]int{}
		for _, n := range []int{9, 200} {
			values := make([]string, n)
			for i := range values {
				values[i] = strings.TrimSuffix(kind.at(i), ".0")
			}
			auth, err := Compile([]byte(`{"items":{"enum":[`+strings.Join(values, ",")+`]}}`), Draft2020)
			if err != nil {
				t.Fatal(err)
			}
			v, err := Parse([]byte("[" + kind.at(0) + strings.Repeat(","+kind.at(8), 99) + "]"))
			if err != nil {
				t.Fatal(err)
			}
			e := newEvaluator(auth, newBudget(t.Context(), maxWork))
			if valid := e.valid(auth.Root, v.Any, nil); !valid || e.over {
				t.Errorf("%s, %d values: valid = %t, over = %t", kind.name, n, valid, e.over)
			}
			spent[n] = maxWork - e.work
		}
		if spent[9] != spent[200] || spent[9] < 100 {
			t.Errorf("%s: %d units of work with 9 values, %d with 200, want the same", kind.name, spent[9], spent[200])
		}
	}
}
