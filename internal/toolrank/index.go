package toolrank

import (
	"encoding/json"
	"slices"
)

// Tool is the part of a tool definition that is indexed. An entry of tools/list can be unmarshaled into it.
type Tool struct {
	Name        string
	Title       string // of the tool, or else of its annotations
	Description string
	InputSchema json.RawMessage // may be nil or invalid: the part before a mistake is indexed
}

// Field is a part of a tool definition.
type Field uint8

// The fields, from the one that counts most to the one that counts least.
const (
	FieldName Field = iota
	FieldTitle
	FieldFirstSentence // of the description
	FieldDescription   // after the first sentence
	FieldArgument      // the names of arguments, also of nested ones
	FieldArgumentValue // the strings in enum and const
	FieldArgumentText  // titles and descriptions in the input schema
	fieldCount
)

// String returns the name of the field for people, such as "first sentence".
func (f Field) String() string {
	if f >= fieldCount {
		return "unknown field"
	}
	return fields[f].name
}

// fields has the parameters of the ranking: the weight of a word in the field, how much the length of the field reduces
// that weight (from 0 to 1), and the length in words at which it does not. The lengths are constants and no averages over
// the tools, so that the weights of one tool do not depend on other tools.
var fields = [fieldCount]struct {
	name         string
	weight       float32
	normalized   float32
	typicalWords float32
}{
	FieldName:          {"name", 4, 0.5, 3},
	FieldTitle:         {"title", 2.5, 0.5, 3},
	FieldFirstSentence: {"first sentence", 2, 0.6, 10},
	FieldDescription:   {"description", 0.7, 0.6, 20},
	FieldArgument:      {"argument", 0.5, 0.6, 6},
	FieldArgumentValue: {"argument value", 0.4, 0.6, 8},
	FieldArgumentText:  {"argument description", 0.25, 0.6, 30},
}

// maxFieldWords bounds the words of one field of one tool; further ones are ignored.
const maxFieldWords = 2000

// Index ranks the tools from which it was made. It is immutable, so it may be used by any number of goroutines. After a
// change of the tools make another one: 1 000 tools take less than 50 ms.
type Index struct {
	tools   []entry
	terms   [][]posting // by stem, in ascending order of the tools
	words   []word
	letters []uint32         // by word, see lettersOf; apart from the words, since every correction of a word reads all of them
	byRaw   map[string]int32 // the indexes in words of words as written, in lower case
	byRoot  map[string]int32 // the indexes in terms of stems
}

// entry is a tool.
type entry struct {
	name string // in the form of plainName
	size int    // the words of the name
}

// posting is the presence of a term in a tool.
type posting struct {
	tool   int32
	word   int32   // the word of the tool with this stem, in the field that counts most
	weight float32 // of all occurrences
	field  Field   // that counts most
}

// word is a word in lower case as a tool has it.
type word struct {
	text   string
	term   int32
	isStop bool
	tools  []int32
}

// New returns an index of tools. The tools may have equal names.
func New(tools []Tool) *Index {
	b := builder{x: &Index{
		tools:  make([]entry, 0, len(tools)),
		byRaw:  make(map[string]int32),
		byRoot: make(map[string]int32),
	}}
	for i := range tools {
		b.add(&tools[i])
	}
	return b.x
}

// Len returns the number of tools.
func (x *Index) Len() int { return len(x.tools) }

// builder fills an index.
type builder struct {
	x        *Index
	splitter splitter
	tool     int32
	words    [fieldCount]int     // all words of the current tool
	lengths  [fieldCount]float32 // without stop words
	seen     []occurrence        // the terms of the current tool
	slots    []int32             // by term: the index in seen, valid if seen has the term there
}

// occurrence counts a term in the fields of a tool.
type occurrence struct {
	term   int32
	counts [fieldCount]float32
	words  [fieldCount]int32 // the first word with the stem in each field
}

func (b *builder) add(t *Tool) {
	b.tool = int32(len(b.x.tools)) //nolint:gosec // the number of tools is far below 2^31
	b.seen, b.words, b.lengths = b.seen[:0], [fieldCount]int{}, [fieldCount]float32{}
	b.text(FieldName, t.Name)
	size := int(b.lengths[FieldName])
	b.text(FieldTitle, t.Title)
	first, rest := FirstSentence(t.Description)
	b.text(FieldFirstSentence, first)
	b.text(FieldDescription, rest)
	b.schema(t.InputSchema)
	b.x.tools = append(b.x.tools, entry{name: plainName(t.Name), size: size})
	b.flush()
}

// text adds the words of a text to a field.
func (b *builder) text(f Field, text string) {
	b.splitter.prose = f == FieldFirstSentence || f == FieldDescription
	b.splitter.split(text, func(word []byte, parts []int) {
		eachPart(word, parts, func(part []byte) { b.word(f, part, true) })
		b.word(f, word, parts == nil)
	})
}

// word adds one word to a field, and to its length unless the parts of the word are counted instead.
func (b *builder) word(f Field, text []byte, counts bool) {
	if b.words[f]++; b.words[f] > maxFieldWords {
		return
	}
	id := b.wordOf(text)
	w := &b.x.words[id]
	if n := len(w.tools); n == 0 || w.tools[n-1] != b.tool {
		w.tools = append(w.tools, b.tool)
	}
	slot := b.slots[w.term]
	if int(slot) >= len(b.seen) || b.seen[slot].term != w.term {
		slot = int32(len(b.seen)) //nolint:gosec // bounded by maxFieldWords
		b.slots[w.term] = slot
		b.seen = append(b.seen, occurrence{term: w.term})
	}
	o := &b.seen[slot]
	if o.counts[f] == 0 {
		o.words[f] = id
	}
	o.counts[f]++
	if counts && !w.isStop {
		b.lengths[f]++
	}
}

// wordOf returns the index of a word, and adds it and its stem if they are new.
func (b *builder) wordOf(text []byte) int32 {
	if id, ok := b.x.byRaw[string(text)]; ok {
		return id
	}
	raw := string(text)
	root := stem(raw)
	t, ok := b.x.byRoot[root]
	if !ok {
		t = int32(len(b.x.terms)) //nolint:gosec // bounded by the text
		b.x.byRoot[root] = t
		b.x.terms = append(b.x.terms, nil)
		b.slots = append(b.slots, 0)
	}
	id := int32(len(b.x.words)) //nolint:gosec // bounded by the text
	b.x.byRaw[raw] = id
	b.x.words = append(b.x.words, word{text: raw, term: t, isStop: stopWords[raw]})
	b.x.letters = append(b.x.letters, lettersOf(raw))
	return id
}

// flush turns what the current tool contains into postings.
func (b *builder) flush() {
	for i := range b.seen {
		o := &b.seen[i]
		p := posting{tool: b.tool}
		var most float32
		for f, n := range o.counts {
			if n == 0 {
				continue
			}
			par := &fields[f]
			w := par.weight * n / (1 - par.normalized + par.normalized*b.lengths[f]/par.typicalWords)
			p.weight += w
			if w > most {
				most, p.field, p.word = w, Field(f), o.words[f]
			}
		}
		b.x.terms[o.term] = append(b.x.terms[o.term], p)
	}
}

// postingOf returns the posting of a tool, or nil.
func postingOf(postings []posting, tool int32) *posting {
	i, ok := slices.BinarySearchFunc(postings, tool, func(p posting, tool int32) int { return int(p.tool) - int(tool) })
	if !ok {
		return nil
	}
	return &postings[i]
}
