package toolrank

import (
	"slices"
	"strings"
)

// The part of a query that is used. The rest is ignored, so that the time of a search does not depend on the query.
const (
	MaxQueryBytes = 1000
	MaxQueryWords = 32
)

// queryWord is a word of a query.
type queryWord struct {
	text, root string
	matching   []matching
	isStop     bool
	counts     bool    // see Word.Counts
	rarity     float64 // the inverse document frequency of the word, less for a stop word
}

// matching is a term that a word of a query matches.
type matching struct {
	term   int32
	by     By
	factor float64 // of the score, at most 1
}

// cut returns the part of a query that is used.
func cut(query string) string {
	if len(query) > MaxQueryBytes {
		query = strings.ToValidUTF8(query[:MaxQueryBytes], "")
	}
	return query
}

// parser finds the words of a query, and the terms that each matches.
type parser struct {
	view
	raw       []string // the words as written, in lower case
	creating  string   // the word that means create, see creation
	isUndoing bool     // there is a word of undoing
	words     []queryWord
}

// parse returns the words of a query, and the terms of visible tools that each matches.
func parse(v view, query string) []queryWord {
	p := parser{view: v}
	var raw []string
	var split splitter
	split.split(query, func(word []byte, parts []int) {
		if parts == nil || p.isWord(string(word)) {
			raw = append(raw, string(word))
			return
		}
		eachPart(word, parts, func(part []byte) { raw = append(raw, string(part)) })
	})
	raw = raw[:min(len(raw), MaxQueryWords)]
	p.raw = raw
	onlyStops := !slices.ContainsFunc(raw, func(w string) bool { return !stopWords[w] })
	phrases := make([]string, 0, MaxQueryWords)
	for i := 1; i < len(raw); i++ {
		phrases = append(phrases, stem(raw[i-1]+raw[i]))
	}
	p.isUndoing = slices.ContainsFunc(raw, func(w string) bool { return undoing[stem(w)] })
	if m := creation.FindStringSubmatch(query); m != nil {
		p.creating = strings.ToLower(m[1])
	}
	for i, w := range raw {
		p.add(w, phrases[max(0, i-1):min(i+1, len(phrases))], stopWords[w] && !onlyStops)
	}
	return p.words
}

// add adds a word of the query, or the words of its abbreviation. Phrases are the stems of two words written together: the
// previous word and this one, this one and the next.
func (p *parser) add(w string, phrases []string, isStop bool) {
	q := queryWord{text: w, root: stem(w), isStop: isStop}
	if len(p.words) == MaxQueryWords || slices.ContainsFunc(p.words, func(other queryWord) bool { return other.root == q.root }) {
		return
	}
	p.match(&q, q.root, ByWord, 1)
	for _, phrase := range phrases {
		before := len(q.matching)
		p.match(&q, phrase, ByStem, 1)
		p.matchSynonyms(&q, phrase)
		q.isStop = q.isStop && len(q.matching) == before
	}
	if q.isStop {
		p.words = append(p.words, q)
		return
	}
	if long := abbreviations[w]; long != "" && len(q.matching) == 0 {
		for _, part := range strings.Fields(long) {
			p.add(part, nil, false)
		}
		return
	}
	if !isPast(w, q.root) {
		p.matchSynonyms(&q, q.root)
	}
	if w == p.creating {
		p.matchSynonyms(&q, stem("create"))
	}
	if p.isUndoing {
		p.match(&q, stem("un"+w), BySynonym, verbFactor)
	}
	if undoing[q.root] {
		for _, undone := range p.raw {
			p.match(&q, stem("un"+undone), BySynonym, verbFactor)
		}
	}
	if len(q.matching) == 0 {
		if a, b, ok := p.divide(w); ok {
			p.add(a, nil, stopWords[a])
			p.add(b, nil, stopWords[b])
			return
		}
		for _, n := range nearWords(p.view, w) {
			q.matching = append(q.matching, matching{p.x.words[n.word].term, ByNear, nearFactor / float64(n.distance)})
		}
	}
	p.words = append(p.words, q)
}

// isPast reports whether a word ends with -ed. Such verbs describe what happened, as in "who changed the alert", and are
// not expanded: names of tools have the synonyms for what a caller can do.
func isPast(word, root string) bool { return word != root && strings.HasSuffix(word, "ed") }

// match adds a term, if a visible tool has it.
func (p *parser) match(q *queryWord, root string, by By, factor float64) {
	if term, ok := p.termOf(root); ok {
		q.matching = append(q.matching, matching{term, by, factor})
	}
}

// matchSynonyms adds the synonyms of a stem.
func (p *parser) matchSynonyms(q *queryWord, root string) {
	for _, synonym := range verbs[root] {
		p.match(q, synonym, BySynonym, verbFactor)
	}
	for _, synonym := range nouns[root] {
		p.match(q, synonym, BySynonym, nounFactor)
	}
}

// divide returns two words of visible tools that are w if written together, of which one has at least four letters.
func (p *parser) divide(w string) (a, b string, ok bool) {
	for i := 2; i <= len(w)-2 && len(w) <= maxNearWord; i++ {
		if max(i, len(w)-i) >= 4 && p.isWord(w[:i]) && p.isWord(w[i:]) {
			return w[:i], w[i:], true
		}
	}
	return "", "", false
}
