package wire

import "testing"

func TestParseVersion(t *testing.T) {
	t.Parallel()
	for v := V20241105; v <= Latest; v++ {
		if got := ParseVersion(v.String()); got != v {
			t.Errorf("%s is read as %s", v, got)
		}
	}
	for _, name := range []string{"", "2024-11-06", "2025-06-18 ", "latest"} {
		if v := ParseVersion(name); v != NoVersion {
			t.Errorf("%q is read as %s", name, v)
		}
	}
}

// TestFeatures checks what holds for the table as a whole; the transcripts check each row.
func TestFeatures(t *testing.T) {
	t.Parallel()
	for f, span := range features {
		switch {
		case span.First == NoVersion || span.First > span.Last || span.Last > Latest:
			t.Errorf("feature %d is in revisions %s to %s", f, span.First, span.Last)
		case NoVersion.Has(Feature(f)):
			t.Errorf("feature %d is there without a revision", f)
		case !span.First.Has(Feature(f)) || !span.Last.Has(Feature(f)):
			t.Errorf("feature %d is not in its own span", f)
		}
	}
	if LatestLegacy.Has(PerRequest) || !(LatestLegacy + 1).Has(PerRequest) {
		t.Error("the eras do not meet where latestLegacy says")
	}
}
