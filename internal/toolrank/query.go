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

// parse finds the words of a query, and the terms that each matches.
func (s *search) parse(query string) {
	var raw []string
	var split splitter
	split.split(query, func(word []byte, parts []int) {
		if parts == nil || s.isWord(string(word)) {
			raw = append(raw, string(word))
			return
		}
		eachPart(word, parts, func(part []byte) { raw = append(raw, string(part)) })
	})
	raw = raw[:min(len(raw), MaxQueryWords)]
	s.raw = raw
	onlyStops := !slices.ContainsFunc(raw, func(w string) bool { return !stopWords[w] })
	phrases := make([]string, 0, MaxQueryWords)
	for i := 1; i < len(raw); i++ {
		phrases = append(phrases, stem(raw[i-1]+raw[i]))
	}
	s.isUndoing = slices.ContainsFunc(raw, func(w string) bool { return undoing[stem(w)] })
	if m := creation.FindStringSubmatch(query); m != nil {
		s.creating = strings.ToLower(m[1])
	}
	for i, w := range raw {
		s.add(w, phrases[max(0, i-1):min(i+1, len(phrases))], stopWords[w] && !onlyStops)
	}
}

// add adds a word of the query, or the words of its abbreviation. Phrases are the stems of two words written together: the
// previous word and this one, this one and the next.
func (s *search) add(w string, phrases []string, isStop bool) {
	q := queryWord{text: w, root: stem(w), isStop: isStop}
	if slices.ContainsFunc(s.words, func(other queryWord) bool { return other.root == q.root }) {
		return
	}
	s.match(&q, q.root, ByWord, 1)
	for _, phrase := range phrases {
		before := len(q.matching)
		s.match(&q, phrase, ByStem, 1)
		s.matchSynonyms(&q, phrase)
		q.isStop = q.isStop && len(q.matching) == before
	}
	if q.isStop {
		s.words = append(s.words, q)
		return
	}
	if long := abbreviations[w]; long != "" && len(q.matching) == 0 {
		for _, part := range strings.Fields(long) {
			s.add(part, nil, false)
		}
		return
	}
	if !isPast(w, q.root) {
		s.matchSynonyms(&q, q.root)
	}
	if w == s.creating {
		s.matchSynonyms(&q, stem("create"))
	}
	if s.isUndoing {
		s.match(&q, stem("un"+w), BySynonym, verbFactor)
	}
	if undoing[q.root] {
		for _, undone := range s.raw {
			s.match(&q, stem("un"+undone), BySynonym, verbFactor)
		}
	}
	if len(q.matching) == 0 {
		if a, b, ok := s.divide(w); ok {
			s.add(a, nil, stopWords[a])
			s.add(b, nil, stopWords[b])
			return
		}
		for _, n := range s.nearWords(w) {
			q.matching = append(q.matching, matching{s.x.words[n.word].term, ByNear, nearFactor / float64(n.distance)})
		}
	}
	s.words = append(s.words, q)
}

// isPast reports whether a word ends with -ed. Such verbs describe what happened, as in "who changed the alert", and are
// not expanded: names of tools have the synonyms for what a caller can do.
func isPast(word, root string) bool { return word != root && strings.HasSuffix(word, "ed") }

// match adds a term, if a visible tool has it.
func (s *search) match(q *queryWord, root string, by By, factor float64) {
	term, ok := s.x.byRoot[root]
	if ok && slices.ContainsFunc(s.x.terms[term], func(p posting) bool { return s.visible[p.tool] }) {
		q.matching = append(q.matching, matching{term, by, factor})
	}
}

// matchSynonyms adds the synonyms of a stem.
func (s *search) matchSynonyms(q *queryWord, root string) {
	for _, synonym := range verbs[root] {
		s.match(q, synonym, BySynonym, verbFactor)
	}
	for _, synonym := range nouns[root] {
		s.match(q, synonym, BySynonym, nounFactor)
	}
}

// divide returns two words of visible tools that are w if written together, of which one has at least four letters.
func (s *search) divide(w string) (a, b string, ok bool) {
	for i := 2; i <= len(w)-2 && len(w) <= maxNearWord; i++ {
		if max(i, len(w)-i) >= 4 && s.isWord(w[:i]) && s.isWord(w[i:]) {
			return w[:i], w[i:], true
		}
	}
	return "", "", false
}

// isWord reports whether a visible tool has the word.
func (s *search) isWord(w string) bool {
	id, ok := s.x.byRaw[w]
	return ok && s.isAnyVisible(s.x.words[id].tools)
}

func (s *search) isAnyVisible(tools []int32) bool {
	return slices.ContainsFunc(tools, func(i int32) bool { return s.visible[i] })
}
