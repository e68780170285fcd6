package searchcase

import (
	"fmt"
	"slices"

	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/internal/toolrank"
)

// DefaultTop is among how many of the first tools an accepted one has to be, by default.
const DefaultTop = 5

// maxHigher bounds the tools of a failure that rank higher.
const maxHigher = 10

// Report is the result of [Check].
type Report struct {
	Cases  int       `json:"cases"`
	Top    int       `json:"top"` // among how many of the first tools an accepted one has to be
	First  int       `json:"first"`
	Five   int       `json:"firstFive"`
	Ten    int       `json:"firstTen"` // the number of cases with an accepted tool among the first ten
	Failed []Failure `json:"failed"`   // in the order of the cases
}

// Failure is a case without an accepted tool among the first.
type Failure struct {
	Position string     `json:"position,omitempty"` // see Case
	Query    string     `json:"query"`
	Accepted []Accepted `json:"accepted"`
	Higher   []Ranked   `json:"higher"`               // the first tools, none of which is accepted
	More     int        `json:"moreHigher,omitempty"` // further tools before the best accepted one, or behind Higher if none is found
}

// Ranked is a tool that a search found.
type Ranked struct {
	Rank  int    `json:"rank"` // from 1; 0 if the tool is not found
	Name  string `json:"name"`
	Words []Word `json:"words"` // the words of the query that it matches
}

// Accepted is a tool that is right for a query.
type Accepted struct {
	Ranked

	Missing []Missing `json:"missing"` // the words of the query, without stop words, that the tool does not match
}

// Word is a word of a query that a tool matches.
type Word struct {
	Query   string `json:"query"`
	Matched string `json:"matched"` // the word of the tool
	Field   string `json:"field"`   // where it counts most, such as "first sentence"
	By      string `json:"by"`      // exact, stem, synonym or near
}

// Missing is a word of a query that an accepted tool does not match.
type Missing struct {
	Word  string `json:"word"`
	Tools int    `json:"tools"` // how many tools match it
}

// Check runs the cases against the tools. A case fails if no accepted tool is among the first top ones. The error describes
// cases that are not valid: without a query that a search can use, or with the name of a tool that does not exist.
func Check(tools []toolrank.Tool, cases []Case, top int) (*Report, error) {
	names := make([]string, len(tools))
	known := map[string]bool{}
	for i := range tools {
		names[i] = tools[i].Name
		known[tools[i].Name] = true
	}
	if err := validate(cases, names, known); err != nil {
		return nil, err
	}
	c := checker{index: toolrank.New(tools), names: names, report: &Report{Cases: len(cases), Top: top, Failed: []Failure{}}}
	for i := range cases {
		c.run(&cases[i])
	}
	return c.report, nil
}

// validate returns an error that describes cases that are not valid.
func validate(cases []Case, names []string, known map[string]bool) error {
	var mistakes mistakes
	for i := range cases {
		c := &cases[i]
		if err := c.validate(); err != nil {
			mistakes.add(fmt.Errorf("%s: %w", c.label(), err))
			continue
		}
		for _, name := range c.Tools {
			if known[name] {
				continue
			}
			hint := ""
			if !mistakes.isFull() {
				if near := suggest.Nearest(name, names); near != "" {
					hint = fmt.Sprintf("; did you mean %s?", quote(near))
				}
			}
			mistakes.add(fmt.Errorf("%s: there is no tool %s%s", c.label(), quote(name), hint))
		}
	}
	return mistakes.err()
}

// label returns the position of the case, or else its query.
func (c *Case) label() string {
	if c.Position != "" {
		return c.Position
	}
	return quote(c.Query)
}

// checker runs cases.
type checker struct {
	index  *toolrank.Index
	names  []string // of the tools
	report *Report
}

// run runs one case.
func (c *checker) run(one *Case) {
	r := c.report
	best := c.best(one, c.index.Search(one.Query, max(10, r.Top), nil))
	for _, count := range []struct {
		n  *int
		of int
	}{{&r.First, 1}, {&r.Five, 5}, {&r.Ten, 10}} {
		if best > 0 && best <= count.of {
			*count.n++
		}
	}
	if best > 0 && best <= r.Top {
		return
	}
	matches := c.index.Search(one.Query, 0, nil)
	above := len(matches)
	if best = c.best(one, matches); best > 0 {
		above = best - 1
	}
	f := Failure{Position: one.Position, Query: one.Query, Higher: []Ranked{}}
	for i := range min(above, r.Top, maxHigher) {
		f.Higher = append(f.Higher, Ranked{i + 1, c.names[matches[i].Index], Matched(matches[i].Words)})
	}
	f.More = above - len(f.Higher)
	for _, name := range one.Tools {
		f.Accepted = append(f.Accepted, c.accepted(name, one.Query, matches))
	}
	slices.SortStableFunc(f.Accepted, func(a, b Accepted) int { return rankOrLast(a.Rank) - rankOrLast(b.Rank) })
	r.Failed = append(r.Failed, f)
}

// best returns the rank of the first accepted tool, or 0.
func (c *checker) best(one *Case, matches []toolrank.Match) int {
	return 1 + slices.IndexFunc(matches, func(m toolrank.Match) bool { return slices.Contains(one.Tools, c.names[m.Index]) })
}

// rankOrLast returns a rank that orders tools that are not found behind all others.
func rankOrLast(rank int) int {
	if rank == 0 {
		return 1 << 30
	}
	return rank
}

// accepted returns how a search found an accepted tool.
func (c *checker) accepted(name, query string, matches []toolrank.Match) Accepted {
	a := Accepted{Ranked: Ranked{Name: name, Words: []Word{}}, Missing: []Missing{}}
	var words []toolrank.Word
	switch i := slices.IndexFunc(matches, func(m toolrank.Match) bool { return c.names[m.Index] == name }); {
	case i >= 0:
		a.Rank, words = i+1, matches[i].Words
		a.Words = Matched(words)
	case len(matches) > 0:
		words = matches[0].Words // the same words, in which the search may have replaced some
	default:
		words = wordsOf(query)
	}
	for i, w := range words {
		if !w.IsStop && (a.Rank == 0 || w.By == toolrank.ByNothing) {
			a.Missing = append(a.Missing, Missing{w.Query, count(matches, i)})
		}
	}
	return a
}

// count returns how many matches have the word of the query with an index.
func count(matches []toolrank.Match, word int) (n int) {
	for i := range matches {
		if matches[i].Words[word].By != toolrank.ByNothing {
			n++
		}
	}
	return n
}

// Matched returns the words of a query that a tool matches, without stop words if the tool matches others.
func Matched(words []toolrank.Word) []Word {
	list, stops := []Word{}, []Word{}
	for _, w := range words {
		if w.By == toolrank.ByNothing {
			continue
		}
		by := w.By.String()
		if w.By == toolrank.ByWord {
			by = "exact"
		}
		if word := (Word{w.Query, w.Matched, w.Field.String(), by}); w.IsStop {
			stops = append(stops, word)
		} else {
			list = append(list, word)
		}
	}
	if len(list) == 0 {
		return stops
	}
	return list
}
