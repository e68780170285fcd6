package wire

import "testing"

func TestParseVersion(t *testing.T) {
	t.Parallel()
	for v := V20241105; v <= Latest; v++ {
		if got := ParseVersion(v.String()); got != v {
			t.Errorf("ParseVersion(%q) = %s", v, got)
		}
	}
	for _, name := range []string{"", "2024-11-06", "2025-06-18 ", "latest"} {
		if v := ParseVersion(name); v != NoVersion {
			t.Errorf("ParseVersion(%q) = %s, want NoVersion", name, v)
		}
	}
}

// TestFeatures checks that the table is consistent; the transcripts check each row.
func TestFeatures(t *testing.T) {
	t.Parallel()
	for f, span := range features {
		switch {
		case span.First == NoVersion || span.First > span.Last || span.Last > Latest:
			t.Errorf("feature %d: invalid revisions %s to %s", f, span.First, span.Last)
		case NoVersion.Has(Feature(f)):
			t.Errorf("NoVersion has feature %d", f)
		case !span.First.Has(Feature(f)) || !span.Last.Has(Feature(f)):
			t.Errorf("feature %d: Has is false within its revisions", f)
		}
	}
	if LatestLegacy.Has(PerRequest) || !(LatestLegacy + 1).Has(PerRequest) {
		t.Error("PerRequest does not start after LatestLegacy")
	}
}
