package toolrank

import (
	"cmp"
	"math"
	"slices"
)

// The parameters of the ranking besides fields.
const (
	saturation    = 2    // the weight of a word in a tool at which it has half of its greatest score
	stemFactor    = 0.85 // of the score of a word, if the tool has another form of it
	verbFactor    = 0.6  // or a synonym
	nounFactor    = 0.5
	nearFactor    = 0.4 // or a word with another letter
	stopFactor    = 0.2 // of the rarity of stop words
	partFactor    = 0.7 // of the score of a tool that matches no word that counts; it is 1 for all
	nameBonus     = 0.3 // added to the score of a tool, times the share of its name that the query matches
	commonDivisor = 2   // words that more than one in so many tools match do not count
)

// Search returns the tools that match words of the query, best first: tools whose name is the query, then tools that match
// all words that count, then others. It returns at most limit matches; if limit is 0 or negative, all of them.
//
// The function keep reports whether the tool with an index is visible to the caller; nil means that all are. Search calls it
// once for each tool. An index of the visible tools alone would return the same matches, scores and words.
//
// A tool that only has stop words of a query, such as "the", is no match, unless they are in its name or the query has no
// others.
//
// Only the first [MaxQueryBytes] and [MaxQueryWords] of the query are used. A query without words has no matches.
func (x *Index) Search(query string, limit int, keep func(i int) bool) []Match {
	v := newView(x, keep)
	query = cut(query)
	s := search{view: v, words: parse(v, query)}
	return s.rank(plainName(query), limit)
}

// search ranks the visible tools for the words of a query.
type search struct {
	view
	words []queryWord
}

// tally is the score of a tool so far.
type tally struct {
	score    float64
	rarity   float64 // of the words that count and that the tool matches
	count    int32   // these words
	names    int32   // the words that match its name
	word     float64 // the score of the current word
	isInName bool    // the current word matches the name
	isFound  bool    // the tool matches a word that is not a stop word, or its name has one
}

// rank returns the best matches for the words of the query.
func (s *search) rank(name string, limit int) []Match {
	tallies := make([]tally, len(s.x.tools))
	var touched []int32
	required := tally{}
	for i := range s.words {
		q := &s.words[i]
		touched = s.score(q, tallies, touched[:0])
		s.weigh(q, len(touched))
		required.add(q)
		for _, tool := range touched {
			tallies[tool].add(q)
		}
	}
	var best []candidate
	for i := range tallies {
		t := &tallies[i]
		c := candidate{tool: int32(i), score: t.score, isName: name != "" && s.visible[i] && s.x.tools[i].name == name}
		if !t.isFound && !c.isName {
			continue
		}
		c.isAll = required.count > 0 && t.count == required.count
		if required.rarity > 0 {
			c.score *= partFactor + (1-partFactor)*t.rarity/required.rarity
		}
		c.score *= 1 + nameBonus*float64(t.names)/float64(max(1, s.x.tools[i].size))
		best = insert(best, c, limit)
	}
	if limit <= 0 {
		slices.SortFunc(best, compareCandidates)
	}
	matches := make([]Match, len(best))
	for i, c := range best {
		matches[i] = Match{Index: int(c.tool), Score: c.score, IsName: c.isName, All: c.isAll, Words: s.explain(c.tool)}
	}
	return matches
}

// candidate is a tool that may be among the best.
type candidate struct {
	score         float64
	tool          int32
	isName, isAll bool
}

// insert adds c to the best candidates, which are in order and at most limit; without a limit it adds c to the end.
func insert(best []candidate, c candidate, limit int) []candidate {
	if limit <= 0 {
		return append(best, c)
	}
	if len(best) == limit {
		if compareCandidates(best[limit-1], c) < 0 {
			return best
		}
		best = best[:limit-1]
	}
	at, _ := slices.BinarySearchFunc(best, c, compareCandidates)
	return slices.Insert(best, at, c)
}

// compareCandidates orders candidates: best first.
func compareCandidates(a, b candidate) int {
	switch {
	case a.isName != b.isName:
		return compareTrue(a.isName)
	case a.isAll != b.isAll:
		return compareTrue(a.isAll)
	case a.score != b.score:
		return cmp.Compare(b.score, a.score)
	default:
		return cmp.Compare(a.tool, b.tool)
	}
}

// compareTrue compares two conditions of which one is true: isFirst reports whether that is the first one.
func compareTrue(isFirst bool) int {
	if isFirst {
		return -1
	}
	return 1
}

// score sets the score of the word in the tools that match it, and appends these to touched.
func (s *search) score(q *queryWord, tallies []tally, touched []int32) []int32 {
	for _, m := range q.matching {
		postings := s.x.terms[m.term]
		for i := range postings {
			p := &postings[i]
			if !s.visible[p.tool] {
				continue
			}
			t := &tallies[p.tool]
			if t.word == 0 {
				touched = append(touched, p.tool)
			}
			if score := s.scoreIn(q, m, p); score > t.word {
				t.word, t.isInName = score, p.field == FieldName
			}
		}
	}
	return touched
}

// scoreIn returns the score of a word in a tool, without the rarity of the word.
func (s *search) scoreIn(q *queryWord, m matching, p *posting) float64 {
	weight := float64(p.weight)
	score := m.factor * weight / (saturation + weight)
	if m.by == ByWord && s.x.words[p.word].text != q.text {
		score *= stemFactor
	}
	return score
}

// weigh sets what the word is worth if n visible tools match it.
func (s *search) weigh(q *queryWord, n int) {
	q.rarity = math.Log(1 + (float64(s.count-n)+0.5)/(float64(n)+0.5))
	if q.isStop {
		q.rarity *= stopFactor
	}
	q.counts = n > 0 && !q.isStop && n <= max(1, s.count/commonDivisor)
}

// add adds the current word to the score of the tool.
func (t *tally) add(q *queryWord) {
	t.score += q.rarity * t.word
	t.isFound = t.isFound || !q.isStop || t.isInName
	if q.counts {
		t.count++
		t.rarity += q.rarity
	}
	if t.isInName && !q.isStop {
		t.names++
	}
	t.word = 0
}

// explain returns how a tool matches the words of the query.
func (s *search) explain(tool int32) []Word {
	words := make([]Word, len(s.words))
	for i := range s.words {
		q, best := &s.words[i], 0.0
		w := Word{Query: q.text, IsStop: q.isStop, Counts: q.counts}
		for _, m := range q.matching {
			p := postingOf(s.x.terms[m.term], tool)
			if p == nil {
				continue
			}
			score := s.scoreIn(q, m, p)
			if score <= best {
				continue
			}
			best, w.Matched, w.Field, w.By = score, s.x.words[p.word].text, p.field, m.by
			if m.by == ByWord && w.Matched != q.text {
				w.By = ByStem
			}
		}
		words[i] = w
	}
	return words
}
