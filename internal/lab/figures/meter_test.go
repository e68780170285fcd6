package main

import (
	"slices"
	"testing"
)

// TestNote checks that figures are compared with the last measurement of each.
func TestNote(t *testing.T) {
	m := &meter{last: map[string]float64{"a": 1, "b": 2, "c": 3}}
	got := m.note([]figure{{"a", 1}, {"b", 5}, {"new", 4}})
	if want := []string{"b: 5, was 2", "new: 4, was 0"}; !slices.Equal(got, want) {
		t.Errorf("note = %q, want %q", got, want)
	}
	got = m.note([]figure{{"b", 5}, {"c", 2}}) // a was not measured
	if want := []string{"c: 2, was 3"}; !slices.Equal(got, want) {
		t.Errorf("note = %q, want %q", got, want)
	}
}
