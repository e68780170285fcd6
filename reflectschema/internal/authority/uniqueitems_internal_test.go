package authority

import (
	"encoding/json"
	"testing"
)

// TestDuplicates finds the same two items for every hash, including one with the same value for all items.
func TestDuplicates(t *testing.T) {
	t.Parallel()
	number := func(n string) any { return json.Number(n) }
	for _, row := range []struct {
		items         []any
		first, second int
	}{
		{nil, 0, 0},
		{[]any{"a"}, 0, 0},
		{[]any{"a", "b", "c"}, 0, 0},
		{[]any{"a", "b", "b", "a"}, 1, 2},
		{[]any{number("1"), "1", true, nil, number("10e-1")}, 0, 4},
		{[]any{[]any{"a"}, map[string]any{"a": "b", "c": nil}, map[string]any{"c": nil, "a": "b"}}, 1, 2},
		{[]any{[]any{"a", "b"}, []any{"a,b"}, []any{[]any{"a", "b"}}, []any{"b", "a"}}, 0, 0},
	} {
		for name, hash := range map[string]func([]byte) uint64{
			"one for all": func([]byte) uint64 { return 1<<64 - 1 },
			"by length":   func(text []byte) uint64 { return uint64(len(text)) },
		} {
			if first, second := duplicatesBy(hash, row.items, func(int) {}); first != row.first || second != row.second {
				t.Errorf("%v, %s: got %d and %d, want %d and %d", row.items, name, first, second, row.first, row.second)
			}
		}
		if first, second := duplicates(row.items, func(int) {}); first != row.first || second != row.second {
			t.Errorf("%v: got %d and %d, want %d and %d", row.items, first, second, row.first, row.second)
		}
	}
}
