package install

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/internal/testing/testscale"
)

// TestMerge installs into random documents and removes it again.
func TestMerge(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testscale.Count(3000)) {
		text := randomDocument(rand.New(rand.NewPCG(seed, 1)))
		if complaint := mergeComplaint(text, "servers", "w"); complaint != "" {
			t.Fatalf("seed %d: %s\n%s", seed, complaint, text)
		}
	}
}

// FuzzMerge does the same with fuzzed documents.
func FuzzMerge(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(randomDocument(rand.New(rand.NewPCG(seed, 2))), "servers", "w")
	}
	for _, text := range []string{"", " \n", "{}", "[]", "{ // x\n}", "\xef\xbb\xbf{}", "{\"servers\":{\"w\":{\"url\":1,},},}", "{\"servers\":{\"w\":{},\"w\":1}}", "{}//", "{/**/\"a\"/**/:/**/1/**/,/**/}/**/"} {
		f.Add([]byte(text), "servers", "w")
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, text []byte, container, name string) {
		defer watch()()
		if complaint := mergeComplaint(text, container, name); complaint != "" {
			t.Fatalf("%s\n%q", complaint, text)
		}
	})
}

// mergeComplaint installs into a document twice and removes the entry again. It returns a description of what was lost,
// or "". Expected values are computed by the library from the bytes before and after, not by the code under test.
func mergeComplaint(text []byte, container, name string) string {
	if !utf8.ValidString(container) || !utf8.ValidString(name) {
		return "" // not a JSON name
	}
	j := editing(container, name, entryOf)
	change := func(text []byte) (Action, []byte, error) {
		tree, err := j.client.format.decode(text)
		if err != nil {
			return "", nil, err
		}
		c := Change{Action: Nothing}
		after, err := j.change(&c, text, tree)
		return c.Action, after, err
	}
	action, set, err := change(text)
	if err != nil || action != Add {
		return "" // for example, duplicate member names
	}
	if lost := lostComments(text, set); lost != "" {
		return "the comment was lost: " + lost
	}
	if again, same, err := change(set); err != nil || again != Nothing || !bytes.Equal(same, set) {
		return fmt.Sprintf("the second time it is %s, %v", again, err)
	}
	j.request.Remove = true
	action, after, err := change(set)
	if err != nil || action != Remove {
		return fmt.Sprintf("it is not removed: %s, %v", action, err)
	}
	if lost := lostComments(text, after); lost != "" {
		return "removing it, the comment was lost: " + lost
	}
	before, got, empty := minimal(text), minimal(after), string(hujson.String(container))+":{}}"
	if got != before && got != strings.TrimSuffix(before, "}")+empty && got != strings.TrimSuffix(before, "}")+","+empty {
		return "not what was there before: " + got
	}
	return ""
}

// minimal returns a document without white space and comments, with its members in order.
func minimal(text []byte) string {
	text, _ = bytes.CutPrefix(text, byteOrderMark)
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}")
	}
	v, err := hujson.Parse(append(bytes.Clone(text), '\n'))
	if err != nil {
		return err.Error()
	}
	v.Minimize()
	return string(v.Pack())
}

// lostComments returns a comment of the first document that the second lacks, or "" if there is none.
func lostComments(was, is []byte) string {
	left := comments(is)
	for _, c := range comments(was) {
		i := slices.Index(left, c)
		if i < 0 {
			return c
		}
		left = slices.Delete(left, i, i+1)
	}
	return ""
}

var comment = regexp.MustCompile(`//.*|(?s:/\*.*?\*/)`)

func comments(text []byte) (all []string) {
	text, _ = bytes.CutPrefix(text, byteOrderMark)
	v, err := hujson.Parse(append(bytes.Clone(text), '\n'))
	if err != nil {
		return nil
	}
	gather := func(e hujson.Extra) {
		for _, comment := range comment.FindAll(e, -1) {
			all = append(all, strings.TrimSpace(string(comment)))
		}
	}
	for part := range v.All() {
		gather(part.BeforeExtra)
		gather(part.AfterExtra)
		switch composite := part.Value.(type) {
		case *hujson.Object:
			gather(composite.AfterExtra)
		case *hujson.Array:
			gather(composite.AfterExtra)
		}
	}
	return all
}

// randomDocument returns a plausible hand-written configuration.
func randomDocument(r *rand.Rand) []byte {
	w := &writer{r: r, newline: pick(r, "\n", "\n", "\r\n"), unit: pick(r, "  ", "    ", "\t", ""), jwcc: r.IntN(2) == 0, lines: r.IntN(4) > 0}
	w.gap("")
	w.object(0, true)
	w.gap("")
	if w.jwcc && r.IntN(4) == 0 {
		w.b.WriteString("// the end")
	}
	return w.b.Bytes()
}

type writer struct {
	r             *rand.Rand
	b             bytes.Buffer
	newline, unit string
	jwcc, lines   bool
	names         int
}

func pick[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }

// gap writes white space and, at random, a comment.
func (w *writer) gap(usual string) {
	w.b.WriteString(usual)
	if w.jwcc && w.r.IntN(6) == 0 {
		w.names++
		text := strings.Repeat("x", w.names%7) + string(rune('a'+w.names%26))
		w.b.WriteString(pick(w.r, " /* "+text+" */", " // "+text+" { \""+w.newline+usual, "/**/"))
	}
	if w.r.IntN(30) == 0 {
		w.b.WriteString(pick(w.r, " ", "\t", w.newline))
	}
}

func (w *writer) object(depth int, top bool) {
	w.b.WriteByte('{')
	line := ""
	if w.lines {
		line = w.newline + strings.Repeat(w.unit, depth)
	}
	n := w.r.IntN(4)
	servers := -1
	if top && w.r.IntN(4) > 0 {
		n++
		servers = w.r.IntN(n)
	}
	for i := range n {
		if line != "" {
			w.gap(line + w.unit)
		} else {
			w.gap("")
		}
		w.names++
		name := `"` + pick(w.r, "a", "é", `\u0041`, "mcpServers", "x y", "") + string(rune('a'+i)) + `"`
		if i == servers {
			name = pick(w.r, `"servers"`, `"servers"`, `"\u0073ervers"`)
		}
		w.b.WriteString(name)
		w.gap("")
		w.b.WriteByte(':')
		w.gap(pick(w.r, " ", " ", ""))
		if i == servers {
			w.object(depth+1, false)
		} else {
			w.value(depth + 1)
		}
		w.gap("")
		if i < n-1 || w.jwcc && w.r.IntN(3) == 0 {
			w.b.WriteByte(',')
		}
	}
	w.gap("")
	if n > 0 {
		w.b.WriteString(line)
	}
	w.b.WriteByte('}')
}

func (w *writer) value(depth int) {
	switch k := w.r.IntN(8); {
	case k < 2 && depth < 4:
		w.object(depth, false)
	case k == 2:
		w.b.WriteByte('[')
		w.gap("")
		for i := range w.r.IntN(3) {
			if i > 0 {
				w.b.WriteByte(',')
			}
			w.value(depth + 1)
		}
		w.gap("")
		w.b.WriteByte(']')
	default:
		w.b.WriteString(pick(w.r, "1.50", "-0", "1e400", "true", "null", `"//"`, `"/* \" {"`, `""`, `"\ud800"`))
	}
}
