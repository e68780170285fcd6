package codec

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// FuzzPlanString holds strings as the plan writes them against the slow way.
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

// TestPlanStrings does what FuzzPlanString does with its seeds.
func TestPlanStrings(t *testing.T) {
	t.Parallel()
	for _, s := range oddStrings() {
		stringAgrees(t, s)
	}
}

// oddStrings have something special in every place of a word, and in what is left after the last.
func oddStrings() []string {
	all := []string{"", "x"}
	for n := range 66 {
		for _, c := range []string{"x", `"`, `\`, "\n", "\x00", "\x1f", "\x7f", "é", "\u2028", "😀", "\xff", "\xc3", "\xe2\x80"} {
			all = append(all, strings.Repeat("x", n)+c, c+strings.Repeat("y", n), strings.Repeat("x", n)+c+strings.Repeat("y", max(20-n, n%9)))
		}
	}
	return all
}

// stringAgrees is what FuzzPlanString does with one string: written where all strings are valid, and
// where only those of some lengths are. In dst there is room to look at what is left of others.
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
				t.Errorf("%q is written %s (%t), want %s (%t)", s, got, ok, quoted(before, s), valid)
			}
		}
	}
}

// quoted appends s as jsontext writes it, with U+FFFD for invalid UTF-8.
func quoted(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the error is about invalid UTF-8
	return dst
}

// textPlan returns the plan of strings under rules.
func textPlan(r *rules.Rules) *Plan {
	p := &Plan{kind: KindString, rules: r}
	p.limitText()
	return p
}

// TestPlanWords: strings that a schema lists are written whether there are few or many of them, and no others are.
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
				t.Errorf("%d words: %q is written %s (%t), want %t", n, s, got, ok, want)
			}
		}
	}
}
