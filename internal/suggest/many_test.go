package suggest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/suggest"
)

// slips implements the definition of Distance.
func slips(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], 1+rows[i-2][j-2])
			}
		}
	}
	return rows[len(a)][len(b)]
}

// withinByDefinition implements the documentation of Within without a bound on the work.
func withinByDefinition(word string, legal []string, n int) (words []string) {
	byScore := map[int][]string{}
	for _, l := range legal {
		if score := scoreByDefinition(word, l); score >= 0 && !slices.Contains(byScore[score], l) {
			byScore[score] = append(byScore[score], l)
		}
	}
	for score := range 5 {
		words = append(words, byScore[score]...)
	}
	return words[:min(n, len(words))]
}

func scoreByDefinition(word, legal string) int {
	a, b := strings.ToLower(word), strings.ToLower(legal)
	shorter := min(len(a), len(b))
	d := slips(a, b)
	switch {
	case legal == "" || len(legal) > 64:
		return -1
	case d <= min(3, shorter/3):
		return d
	case shorter >= 3 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)):
		return 4
	default:
		return -1
	}
}

// someWord returns a random word of at most n characters from a small alphabet.
func someWord(r *rand.Rand, n int) string {
	letters := []rune("aaabbcCBA_é")
	word := make([]rune, r.IntN(n+1))
	for i := range word {
		word[i] = letters[r.IntN(len(letters))]
	}
	return string(word)
}

// misspelt changes a word in up to n places.
func misspelt(r *rand.Rand, word string, n int) string {
	b := []byte(word)
	for range r.IntN(n + 1) {
		at := r.IntN(len(b) + 1)
		switch {
		case at == len(b) || r.IntN(3) == 0:
			b = slices.Insert(b, at, "abc_Z"[r.IntN(5)])
		case at > 0 && r.IntN(2) == 0:
			b[at], b[at-1] = b[at-1], b[at]
		default:
			b = slices.Delete(b, at, at+1)
		}
	}
	return string(b)
}

// TestFewLegal checks that, among a typical number of words, exactly those matching the definition of near are found.
func TestFewLegal(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 1500 {
		legal := make([]string, r.IntN(60))
		if r.IntN(50) == 0 {
			legal = make([]string, 256)
		}
		length := 3 + r.IntN(20)
		for i := range legal {
			legal[i] = someWord(r, length)
			if r.IntN(30) == 0 {
				legal[i] += strings.Repeat("a", r.IntN(60))
			}
		}
		word := someWord(r, length)
		if len(legal) > 0 && r.IntN(3) > 0 {
			word = misspelt(r, legal[r.IntN(len(legal))], 4)
		}
		if word == "" || len(word) > 64 {
			continue
		}
		got, want := suggest.Within(word, legal, 3), withinByDefinition(word, legal, 3)
		if !slices.Equal(got, want) {
			t.Errorf("Within(%q, %q) = %q, want %q", word, legal, got, want)
		}
		if len(legal) > 0 {
			if d := suggest.Distance(word, legal[0], 64); len(legal[0]) <= 64 && d != slips(word, legal[0]) {
				t.Errorf("Distance(%q, %q) = %d, want %d", word, legal[0], d, slips(word, legal[0]))
			}
		}
		found += len(got)
	}
	if found < 500 {
		t.Errorf("%d words were near, too few to hold against anything", found)
	}
}

// manyNames are names of a server with more tools than a person would look through.
var manyNames = []struct {
	name, word string
	at         func(i int) string
}{
	{"different", "customer_updaet", func(i int) string {
		verbs, nouns := []string{"get", "list", "create", "update", "delete"}, []string{"customer", "invoice", "payment", "refund", "report"}
		return fmt.Sprintf("%s_%s_%d", nouns[i%5], verbs[i/5%5], i/25)
	}},
	{"same start", "warehouse_inventory_itme_0777", func(i int) string { return fmt.Sprintf("warehouse_inventory_item_%04d", i) }},
	{"long", "x" + strings.Repeat("a", 55) + "01x777xx", func(i int) string { return strings.Repeat("a", 60) + fmt.Sprintf("%04d", i) }},
	{"prefix", "svc", func(i int) string { return fmt.Sprintf("svc_%d", i) }},
}

// TestManyLegal checks that a single slip, or a truncated word, is recognized among any number of words.
func TestManyLegal(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for _, many := range manyNames {
		legal := make([]string, 5000)
		for i := range legal {
			legal[i] = many.at(i)
		}
		for range 100 {
			meant := legal[r.IntN(len(legal))]
			at := r.IntN(len(meant))
			word := meant[:at] + "%" + meant[at+1:]
			got := suggest.Within(word, legal, 3)
			if len(got) == 0 || suggest.Distance(word, got[0], 1) > 1 {
				t.Errorf("Within(%q) = %q, want %q or one as near", word, got, meant)
			}
			if got := suggest.Within(strings.ToUpper(meant), legal, 3); len(got) == 0 || got[0] != meant {
				t.Errorf("Within(%q) = %q, want %q first", strings.ToUpper(meant), got, meant)
			}
		}
	}
	names := make([]string, 5000)
	for i := range names {
		names[i] = fmt.Sprintf("%d_%d", i, i)
	}
	names[4000], names[4999] = "svc_status_of_everything", "svc_status"
	if got := suggest.Within("svc", names, 3); !slices.Equal(got, []string{"svc_status_of_everything", "svc_status"}) {
		t.Errorf("Within = %q, want the words that start so, in the given order", got)
	}
	if got := suggest.Within("nothing like it", names, 3); got != nil {
		t.Errorf("Within = %q, want none", got)
	}
}

// BenchmarkWithin shows that a wrong name costs little more when there are many names.
func BenchmarkWithin(b *testing.B) {
	for _, many := range manyNames {
		for _, n := range []int{256, 2000} {
			legal := make([]string, n)
			for i := range legal {
				legal[i] = many.at(i)
			}
			b.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(many.name, " ", "-"), n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					suggest.Within(many.word, legal, 3)
				}
			})
		}
	}
}
