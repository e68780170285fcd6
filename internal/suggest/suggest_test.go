package suggest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

var keywords = []string{"minimum", "maximum", "minLength", "maxLength", "required", "enum", "default"}

func TestNearest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, reason, word, want string }{
		{"slip", "one letter exchanged", "minimun", "minimum"},
		{"swap", "neighbours swapped count once", "requierd", "required"},
		{"case", "case alone is the nearest of all", "minlength", "minLength"},
		{"capital", "the first letter too", "Enum", "enum"},
		{"prefix", "a word cut short", "def", "default"},
		{"between", "the nearer of two wins, not the first", "maximun", "maximum"},
		{"far", "nothing like it", "latitude", ""},
		{"short", "two letters say nothing", "mi", ""},
		{"empty", "no word, no answer", "", ""},
		{"exact", "the word itself is near to itself", "enum", "enum"},
		{"long", "a word longer than 64 bytes is not looked at", strings.Repeat("minimum", 20), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := suggest.Nearest(tt.word, keywords); got != tt.want {
				t.Errorf("Nearest(%q) = %q, want %q: %s", tt.word, got, tt.want, tt.reason)
			}
		})
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reason, word string
		n                  int
		want               []string
	}{
		{"two", "best first", "mxLength", 2, []string{"maxLength", "minLength"}},
		{"one", "no more than asked for", "mxLength", 1, []string{"maxLength"}},
		{"none asked", "zero is none", "minimun", 0, nil},
		{"none near", "no word is better than a wrong one", "zzzzzz", 3, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := suggest.Within(tt.word, keywords, tt.n); !slices.Equal(got, tt.want) {
				t.Errorf("Within(%q, %d) = %q, want %q: %s", tt.word, tt.n, got, tt.want, tt.reason)
			}
		})
	}
	if got := suggest.Within("enum", []string{"enum", "enum"}, 2); !slices.Equal(got, []string{"enum"}) {
		t.Errorf("Within over a list that repeats itself = %q, want each word once", got)
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "abc", 0},
		{"abc", "acb", 1},
		{"kitten", "sitting", 3},
		{strings.Repeat("a", 1000), "b" + strings.Repeat("a", 1000), 1},
		{strings.Repeat("a", 65), strings.Repeat("b", 65), 65},
	} {
		if got := suggest.Distance(tt.a, tt.b, 64); got != tt.want {
			t.Errorf("Distance(%.10q, %.10q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := suggest.Distance(tt.b, tt.a, 64); got != tt.want {
			t.Errorf("Distance(%.10q, %.10q) = %d, want %d: it is symmetric", tt.b, tt.a, got, tt.want)
		}
	}
}

// FuzzWithin checks that Within returns only legal words for any input, and always the same ones.
func FuzzWithin(f *testing.F) {
	for _, w := range []string{"minimun", "", "\xff", "ENUM", "requierd"} {
		f.Add(w)
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, word string) {
		defer watch()()
		got := suggest.Within(word, keywords, 3)
		for _, w := range got {
			if !slices.Contains(keywords, w) {
				t.Errorf("Within(%q) holds %q, which is not legal", word, w)
			}
		}
		if again := suggest.Within(word, keywords, 3); !slices.Equal(got, again) {
			t.Errorf("Within(%q) = %q, then %q", word, got, again)
		}
	})
}

// TestDistanceExact compares Distance with its definition, for all pairs of short words of three letters and all
// limits.
func TestDistanceExact(t *testing.T) {
	t.Parallel()
	words := []string{""}
	for begin, end := 0, 1; len(words[begin]) < 5; begin, end = end, len(words) {
		for _, w := range words[begin:end] {
			words = append(words, w+"a", w+"b", w+"c")
		}
	}
	for _, a := range words {
		for _, b := range words {
			want := slips(a, b)
			for most := range 6 {
				if got := suggest.Distance(a, b, most); got != min(want, most+1) {
					t.Fatalf("Distance(%q, %q, %d) = %d, want %d", a, b, most, got, want)
				}
			}
		}
	}
}
