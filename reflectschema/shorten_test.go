package reflectschema_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/testing/testscale"
	"github.com/mcptool-go/mcptool/reflectschema"
)

type (
	// cutReport is a result with lists of every kind.
	cutReport struct {
		Title  string               `json:"title"`
		Rows   []cutRow             `json:"rows" mcp:"truncate"`
		Names  []string             `json:"names,omitempty" mcp:"truncate" jsonschema:"minItems=2"`
		Groups []cutGroup           `json:"groups" mcp:"truncate"`
		ByName map[string]*cutGroup `json:"by_name"`
		Pair   [2]cutGroup          `json:"pair"`
		Whole  []int                `json:"whole"`
		Tree   *cutTree             `json:"tree"`
		Shape  cutShape             `json:"shape"`
		Tail   int                  `json:"tail"`
	}
	cutRow   struct{ ID, Text string }
	cutGroup struct {
		Note  string
		Items []int `mcp:"truncate" jsonschema:"minItems=1"`
	}
	cutTree struct {
		Label string
		Below []cutTree `mcp:"truncate"`
	}
	cutShape  interface{ isCutShape() }
	cutCircle struct{ Radius int }
	cutPath   struct {
		Points []int `mcp:"truncate"`
	}
)

func (cutCircle) isCutShape() {}
func (cutPath) isCutShape()   {}

func init() {
	reflectschema.RegisterUnion("kind", map[string]cutShape{"circle": cutCircle{}, "path": cutPath{}})
}

func outputOf[T any](tb testing.TB) *reflectschema.Type {
	tb.Helper()
	made, err := reflectschema.Compile(reflect.TypeFor[T](), reflectschema.DirectionOutput)
	if err != nil {
		tb.Fatal(err)
	}
	return made
}

func shortenerOf[T any](tb testing.TB) private.Shorten {
	tb.Helper()
	shorten, err := outputOf[T](tb).Shortener(onlyLists)
	if err != nil || shorten == nil {
		tb.Fatal("no lists found: ", err)
	}
	return shorten
}

// size returns the length in bytes.
func size(part []byte) int { return len(part) }

// twice returns the length of a text plus its length as a JSON string.
func twice(part []byte) int { return len(part) + len(rawjson.AppendQuoted(nil, part)) - 2 }

func TestShorten(t *testing.T) {
	t.Parallel()
	type two struct {
		A []int    `json:"a" mcp:"truncate"`
		B []string `json:"b" mcp:"truncate"`
		C []int    `json:"c"`
	}
	type atLeast struct {
		A []int `json:"a" mcp:"truncate" jsonschema:"minItems=3"`
	}
	type group struct {
		Items []int `json:"items" mcp:"truncate"`
	}
	type nested struct {
		Groups []group `json:"groups" mcp:"truncate"`
	}
	type below struct {
		Groups map[string][]group `json:"groups"`
	}
	type forest struct {
		Trees []cutTree
	}
	for _, test := range []struct {
		name    string
		shorten private.Shorten
		value   string
		most    int
		want    string // "" if it cannot be shortened enough
		cuts    []private.Cut
		reason  string
	}{
		{"fits", shortenerOf[two](t), `{"a":[1,2,3],"b":[],"c":[]}`, 100, `{"a":[1,2,3],"b":[],"c":[]}`, nil, "a result that fits is unchanged"},
		{"from the end", shortenerOf[two](t), `{"a":[1,2,3,4,5,6],"b":[],"c":[]}`, 27, `{"a":[1,2,3],"b":[],"c":[]}`, []private.Cut{{Path: "a", Shown: 3, Total: 6}}, "the first elements are kept"},
		{"the large one", shortenerOf[two](t), `{"a":[1,2,3,4,5,6,7,8,9],"b":["x"],"c":[]}`, 30, `{"a":[1,2,3],"b":["x"],"c":[]}`, []private.Cut{{Path: "a", Shown: 3, Total: 9}}, "short lists are unchanged"},
		{"both", shortenerOf[two](t), `{"a":[1,2,3,4,5,6,7,8,9],"b":["x","y","z"],"c":[]}`, 33, `{"a":[1,2],"b":["x","y"],"c":[]}`, []private.Cut{{Path: "a", Shown: 2, Total: 9}, {Path: "b", Shown: 2, Total: 3}}, "to the same length"},
		{"all of them", shortenerOf[two](t), `{"a":[1,2,3],"b":["x"],"c":[]}`, 22, `{"a":[],"b":[],"c":[]}`, []private.Cut{{Path: "a", Shown: 0, Total: 3}, {Path: "b", Shown: 0, Total: 1}}, "down to no elements"},
		{"not tagged", shortenerOf[two](t), `{"a":[],"b":[],"c":[1,2,3,4,5,6]}`, 20, "", nil, "other lists are unchanged"},
		{"at least", shortenerOf[atLeast](t), `{"a":[1,2,3,4,5]}`, 13, `{"a":[1,2,3]}`, []private.Cut{{Path: "a", Shown: 3, Total: 5}}, "down to minItems"},
		{"below minItems", shortenerOf[atLeast](t), `{"a":[1,2,3,4,5]}`, 12, "", nil, "not below minItems"},
		{"the longer", shortenerOf[nested](t), `{"groups":[{"items":[1,2,3,4,5,6,7,8]},{"items":[]},{"items":[1]}]}`, 60, `{"groups":[{"items":[1,2,3,4]},{"items":[]},{"items":[1]}]}`, []private.Cut{{Path: "groups[0].items", Shown: 4, Total: 8}}, "the inner list is longer than the outer"},
		{
			"both of them", shortenerOf[nested](t), `{"groups":[{"items":[1,2,3]},{"items":[4,5,6]},{"items":[7]}]}`, 50, `{"groups":[{"items":[1,2]},{"items":[4,5]}]}`,
			[]private.Cut{{Path: "groups", Shown: 2, Total: 3}, {Path: "groups[0].items", Shown: 2, Total: 3}, {Path: "groups[1].items", Shown: 2, Total: 3}},
			"what is cut in what is left is told",
		},
		{"in a map", shortenerOf[below](t), `{"groups":{"a.b":[{"items":[1]},{"items":[1,2,3,4]}]}}`, 50, `{"groups":{"a.b":[{"items":[1]},{"items":[1,2]}]}}`, []private.Cut{{Path: `groups["a.b"][1].items`, Shown: 2, Total: 4}}, "at any depth"},
		{"recursive", shortenerOf[forest](t), `{"Trees":[{"Label":"","Below":[{"Label":"","Below":[{"Label":"a","Below":[]},{"Label":"b","Below":[]}]}]}]}`, 90, `{"Trees":[{"Label":"","Below":[{"Label":"","Below":[{"Label":"a","Below":[]}]}]}]}`, []private.Cut{{Path: "Trees[0].Below[0].Below", Shown: 1, Total: 2}}, "a type whose list is found before the type itself"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			short, cuts, fits := test.shorten([]byte(test.value), test.most, size)
			if fits != (test.want != "") || string(short) != test.want {
				t.Errorf("got %s, %v; want %s: %s", short, fits, test.want, test.reason)
			}
			if d := cmp.Diff(test.cuts, cuts); d != "" {
				t.Error(d)
			}
		})
	}
}

// dice generates random results.
type dice struct{ *rand.Rand }

func (d dice) items(most int) []int {
	items := make([]int, 1+d.IntN(most))
	for i := range items {
		items[i] = d.IntN(1 << d.IntN(30))
	}
	return items
}

func (d dice) text() string { return strings.Repeat(`ä"\ x`, d.IntN(8)) }

func (d dice) group() cutGroup { return cutGroup{d.text(), d.items(40)} }

func (d dice) tree(depth int) cutTree {
	t := cutTree{Label: d.text(), Below: []cutTree{}}
	for range d.IntN(4) * min(depth, 1) {
		t.Below = append(t.Below, d.tree(depth-1))
	}
	return t
}

func (d dice) report() cutReport {
	r := cutReport{
		Title: d.text(), Names: []string{"a", "b"}, ByName: map[string]*cutGroup{}, Pair: [2]cutGroup{d.group(), d.group()},
		Whole: d.items(9), Tree: new(d.tree(4)), Shape: cutCircle{3}, Tail: 7, Rows: []cutRow{}, Groups: []cutGroup{},
	}
	for range d.IntN(60) {
		r.Rows = append(r.Rows, cutRow{d.text(), d.text()})
		r.Names = append(r.Names, d.text())
	}
	for range d.IntN(12) {
		r.Groups = append(r.Groups, d.group())
		r.ByName[d.text()] = new(d.group())
	}
	if d.IntN(2) == 0 {
		r.Shape = cutPath{d.items(40)}
	}
	return r
}

// TestShortenAnything: a shortened result is within the limit, fits the schema, and differs from the original only in
// the ends of lists, as the cuts report.
func TestShortenAnything(t *testing.T) {
	t.Parallel()
	shorten, whole := shortenerOf[cutReport](t), outputOf[cutReport](t)
	d := dice{rand.New(rand.NewPCG(6, 3))}
	fitted, cut := 0, 0
	for range testscale.Count(400) {
		value, err := whole.AppendEncode(nil, reflect.ValueOf(new(d.report())).Elem())
		if err != nil {
			t.Fatal(err)
		}
		weigh := size
		if d.IntN(2) == 0 {
			weigh = twice
		}
		most := d.IntN(weigh(value) + 20)
		short, cuts, fits := shorten(value, most, weigh)
		if !fits {
			continue
		}
		fitted++
		cut += len(cuts)
		if got := weigh(short); got > most {
			t.Fatalf("%d bytes, want at most %d:\n%s\n%s", got, most, value, short)
		}
		if err := whole.Schema().Check(short); err != nil {
			t.Fatalf("%v:\n%s\n%s", err, value, short)
		}
		if weigh(value) <= most && !bytes.Equal(value, short) {
			t.Fatalf("a result that fits was shortened:\n%s\n%s", value, short)
		}
		found := comparison{}
		found.compare(t, "", parsed(t, value), parsed(t, short))
		told := map[[2]int]int{}
		for _, c := range cuts {
			told[[2]int{c.Shown, c.Total}]++
		}
		if d := cmp.Diff(map[[2]int]int(found), told); d != "" {
			t.Fatalf("%s\n%s\n%s", d, value, short)
		}
	}
	if fitted < 100 || cut < 400 {
		t.Errorf("%d results fit, %d cuts; want more of both", fitted, cut)
	}
}

// comparison counts the shortened lists by remaining and original length.
type comparison map[[2]int]int

// compare checks that short equals whole except for the ends of lists.
func (c comparison) compare(t *testing.T, path string, whole, short any) {
	t.Helper()
	switch w := whole.(type) {
	case map[string]any:
		s, ok := short.(map[string]any)
		if !ok || len(s) != len(w) {
			t.Fatalf("%s: %v is not %v", path, short, whole)
		}
		for name := range w {
			c.compare(t, path+"."+name, w[name], s[name])
		}
	case []any:
		s, ok := short.([]any)
		if !ok || len(s) > len(w) {
			t.Fatalf("%s: %v is not %v", path, short, whole)
		}
		if len(s) < len(w) {
			c[[2]int{len(s), len(w)}]++
			if strings.HasSuffix(path, ".whole") || strings.HasSuffix(path, ".pair") {
				t.Fatalf("%s was shortened", path)
			}
		}
		for i := range s {
			c.compare(t, path+"[]", w[i], s[i])
		}
	default:
		if whole != short {
			t.Fatalf("%s: %v is not %v", path, short, whole)
		}
	}
}

func parsed(t *testing.T, text []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}
