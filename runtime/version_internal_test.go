package runtime

import "testing"

func TestParseVersion(t *testing.T) {
	t.Parallel()
	for v := v20241105; v <= latest; v++ {
		if got := parseVersion(v.String()); got != v {
			t.Errorf("%s is read as %s", v, got)
		}
	}
	for _, name := range []string{"", "2024-11-06", "2025-06-18 ", "latest"} {
		if v := parseVersion(name); v != noVersion {
			t.Errorf("%q is read as %s", name, v)
		}
	}
}

// TestFeatures checks what holds for the table as a whole; the transcripts check each row.
func TestFeatures(t *testing.T) {
	t.Parallel()
	for f, span := range features {
		switch {
		case span.first == noVersion || span.first > span.last || span.last > latest:
			t.Errorf("feature %d is in revisions %s to %s", f, span.first, span.last)
		case noVersion.has(feature(f)):
			t.Errorf("feature %d is there without a revision", f)
		case !span.first.has(feature(f)) || !span.last.has(feature(f)):
			t.Errorf("feature %d is not in its own span", f)
		}
	}
	if latestLegacy.has(perRequest) || !(latestLegacy + 1).has(perRequest) {
		t.Error("the eras do not meet where latestLegacy says")
	}
}
