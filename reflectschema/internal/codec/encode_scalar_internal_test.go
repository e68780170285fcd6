package codec

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/internal/testing/ijson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// FuzzPlanString compares strings encoded by the plan with the slow path.
func FuzzPlanString(f *testing.F) {
	for _, s := range oddStrings() {
		f.Add(s)
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, s string) {
		defer watch()()
		stringAgrees(t, s)
	})
}

// TestPlanStrings is FuzzPlanString with its seeds.
func TestPlanStrings(t *testing.T) {
	t.Parallel()
	for _, s := range oddStrings() {
		stringAgrees(t, s)
	}
}

// oddStrings returns strings with special characters at every position of a word, and after the last whole word.
func oddStrings() []string {
	all := []string{"", "x"}
	for n := range 66 {
		for _, c := range []string{"x", `"`, `\`, "\n", "\x00", "\x1f", "\x7f", "é", "\u2028", "😀", "\xff", "\xc3", "\xe2\x80"} {
			all = append(all, strings.Repeat("x", n)+c, c+strings.Repeat("y", n), strings.Repeat("x", n)+c+strings.Repeat("y", max(20-n, n%9)))
		}
	}
	return all
}

// stringAgrees is FuzzPlanString for one string, for a plan that accepts all strings and one that limits their length.
// The spare capacity of dst contains other data.
func stringAgrees(t *testing.T, s string) {
	t.Helper()
	const some = 32
	before := append([]byte(`"a":`), strings.Repeat(`"`, 2*some)...)[:4]
	limited := &rules.Rules{Types: jsondoc.TypeString, Text: rules.Text{Count: rules.Count{Least: 2, Most: 20, Limited: true}}}
	for _, p := range []*Plan{textPlan(rules.Anything), textPlan(limited)} {
		for _, room := range []int{0, some, 2 * some} {
			got, ok := p.encodeString(&encoder{most: math.MaxInt}, before[:4:4+room], s)
			length := utf8.RuneCountInString(s)
			valid := p.free || length >= 2 && length <= 20
			if ok != valid || ok && string(got) != string(quoted(before, s)) {
				t.Errorf("encodeString(%q) = %s (%t), want %s (%t)", s, got, ok, quoted(before, s), valid)
			}
		}
	}
}

// quoted appends s with the fewest escapes, and with U+FFFD for invalid UTF-8.
func quoted(dst []byte, s string) []byte { return append(dst, ijson.Quote(s)...) }

// textPlan returns a plan for strings with the given rules.
func textPlan(r *rules.Rules) *Plan {
	p := &Plan{kind: KindString, rules: r}
	p.limitText()
	return p
}

// TestPlanWords: strings listed in a schema are encoded, and no others, for short and long lists.
func TestPlanWords(t *testing.T) {
	t.Parallel()
	before := []byte(`"a":`)
	for _, n := range []int{0, 1, 7, 8, 9, 3000} {
		listed := make([]string, n)
		for i := range listed {
			listed[i] = oddStrings()[i%2] + "\"é " + strconv.Itoa(i)
		}
		p := textPlan(&rules.Rules{Types: jsondoc.TypeString, Choice: &rules.Choices{Texts: slices.Sorted(slices.Values(listed))}})
		for _, s := range append([]string{"", "x", "\"é", "\xff", "\"é " + strconv.Itoa(n+n%2)}, listed...) {
			got, ok := p.encodeString(&encoder{most: math.MaxInt}, before, s)
			if want := slices.Contains(listed, s); ok != want || ok && string(got) != string(quoted(before, s)) {
				t.Errorf("%d words: encodeString(%q) = %s (%t), want %t", n, s, got, ok, want)
			}
		}
	}
}
