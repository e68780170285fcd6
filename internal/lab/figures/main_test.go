package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestCompare checks that a figure may improve but not get worse, that figures of size have a slack, and that a new one
// must be recorded.
func TestCompare(t *testing.T) {
	recorded := map[string]float64{"lines": 10, "functions": 5, "prose in x": 2.5, "linked tokens": 1000}
	for _, tt := range []struct {
		name          string
		measured      []figure
		worse, better string
	}{
		{"the same", []figure{{"lines", 10}, {"functions", 5}, {"prose in x", 2.5}}, "", ""},
		{"not measured", []figure{{"lines", 10}, {"functions", 5}}, "", ""},
		{"one is worse", []figure{{"lines", 11}, {"functions", 4}}, "worse: lines 11, was 10", "better: functions 4, was 5; record it with -update"},
		{"within the slack", []figure{{"linked tokens", 1020}, {"functions", 5}}, "", ""},
		{"beyond the slack", []figure{{"linked tokens", 1021}}, "worse: linked tokens 1021, was 1000", ""},
		{"prose", []figure{{"prose in x", 2.6}}, "worse: prose in x 2.6, was 2.5", ""},
		{"a new one", []figure{{"lines", 10}, {"files", 1}}, "new: files 1; add it to " + file, ""},
	} {
		worse, better := compare(recorded, tt.measured)
		if got := strings.Join(worse, "\n"); got != tt.worse {
			t.Errorf("%s: worse %q, want %q", tt.name, got, tt.worse)
		}
		if got := strings.Join(better, "\n"); got != tt.better {
			t.Errorf("%s: better %q, want %q", tt.name, got, tt.better)
		}
	}
}

// TestWrite checks that improved and new figures are written, and that worse and obsolete ones
// are not.
func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "figures.txt")
	recorded := map[string]float64{"lines": 10, "functions": 5, "gone": 1, "prose in x": 2.5}
	if err := write(path, recorded, []figure{{"lines", 11}, {"functions", 4}, {"files", 7}}); err != nil {
		t.Fatal(err)
	}
	got, err := read(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"lines": 10, "functions": 4, "files": 7, "prose in x": 2.5}
	for _, name := range []string{"lines", "functions", "gone", "files", "prose in x"} {
		if got[name] != want[name] {
			t.Errorf("%s is %v, want %v", name, got[name], want[name])
		}
	}
	if _, err := read(filepath.Join(t.TempDir(), "none")); err != nil {
		t.Errorf("a missing file: %v, want no error", err)
	}
}
