package inherit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/inherit"
)

// TestResolve writes a struct as "name: key=value … > embedded …" and expects "key=value@from" for effective values.
func TestResolve(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason  string
		structs []string // the first is the root
		want    string
	}{
		{"nothing embedded", []string{"R: k=1"}, "k=1@R"},
		{"inherited", []string{"R: a=1 > E", "E: k=1"}, "a=1@R k=1@E"},
		{"inherited over two structs", []string{"R > E", "E > F", "F: k=1"}, "k=1@F"},
		{"the outer wins", []string{"R: k=1 > E", "E: k=2"}, "k=1@R"},
		{"the outer says the same", []string{"R: k=1 > E", "E: k=1"}, "k=1@R"},
		{"each outer over its inner", []string{"R: k=1 > E", "E: k=2 > F", "F: k=3"}, "k=1@R"},
		{"side by side, different", []string{"R > E F", "E: k=1", "F: k=2"}, "k=1@E k=2@F"},
		{"side by side, the same", []string{"R > E F", "E: k=1", "F: k=1"}, "k=1@E"},
		{"side by side, decided around them", []string{"R > M", "M: k=3 > E F", "E: k=1", "F: k=2"}, "k=3@M"},
		{"depth decides nothing", []string{"R > M F", "M > E", "E: k=1", "F: k=2"}, "k=1@E k=2@F"},
		{"one struct over two others", []string{"R > E F", "E > D", "F > D", "D: k=1"}, "k=1@D"},
		{"overridden over one of two", []string{"R > E F", "E: k=2 > D", "F > D", "D: k=1"}, "k=2@E k=1@D"},
		{"a struct that embeds itself", []string{"R: k=1 > R E", "E: k=2 > R"}, "k=1@R"},
	} {
		own, embeds := map[string][]inherit.Item[string, string]{}, map[string][]string{}
		for _, text := range test.structs {
			head, inner, _ := strings.Cut(text, " > ")
			name, keys, _ := strings.Cut(head, ":")
			for _, pair := range strings.Fields(keys) {
				key, value, _ := strings.Cut(pair, "=")
				own[name] = append(own[name], inherit.Item[string, string]{Key: key, Value: value, From: name})
			}
			embeds[name] = strings.Fields(inner)
		}
		asked := map[string]int{}
		items := inherit.Resolve(test.structs[0][:1], inherit.Rules[string, string]{
			Own:    func(s string) []inherit.Item[string, string] { asked[s]++; return slices.Clip(own[s]) },
			Embeds: func(s string) []string { return embeds[s] },
			Equal:  func(a, b string) bool { return a == b },
		})
		var got []string
		for _, item := range items {
			got = append(got, text(item))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: got %q; want %q", test.reason, got, test.want)
		}
		for name, times := range asked {
			if times != 1 {
				t.Errorf("%s: %s was read %d times", test.reason, name, times)
			}
		}
	}
}

func text(item inherit.Item[string, string]) string {
	return fmt.Sprintf("%s=%s@%s", item.Key, item.Value, item.From)
}
