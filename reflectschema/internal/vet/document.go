package vet

import "github.com/mcptool-go/mcptool/internal/jsondoc"

// MaxListed is the maximum number of mistakes listed for each check: enough to see the pattern.
const MaxListed = 20

// A Document is a schema document, not necessarily valid. It counts checked values, so it must be walked only once and
// by one goroutine.
type Document struct {
	Root *jsondoc.Value // an object
	// Misfit returns the reason why the value of a keyword does not fit the schema at a JSON pointer, or "" if it fits
	// or if the document cannot be compiled.
	Misfit func(pointer, keyword string, value *jsondoc.Value) string

	values int // checked so far
}

// Walk calls visit in document order for every schema of the document and for every other value in the place of a schema,
// except inside the keywords in skip.
func (d *Document) Walk(visit func(*Subschema), skip ...string) {
	(&Subschema{document: d, Value: d.Root}).walk(visit, skip)
}

// A Check finds one kind of mistake.
type Check struct {
	Name string // in lower case, with hyphens: misspelt-keyword
	Why  string // the consequence
	Fix  string // the correction
	find func(s *Subschema, report Report)
}

// A Report function is called for each mistake at a subschema, or at the location that the names below it lead to.
// Found is the part of the schema that is wrong.
type Report func(found string, below ...string)

// Find reports the mistakes in one schema of a document, but not those in the schemas inside it.
func (c *Check) Find(s *Subschema, report Report) { c.find(s, report) }

// A Mistake is a part of a document that JSON Schema allows and that its author cannot have meant.
type Mistake struct {
	Check   *Check
	Pointer string // the location in the document, as a JSON pointer
	Path    string // the values that the location describes: items[].qty
	Found   string
}

// Mistakes returns the mistakes in document order, at most [MaxListed] of each kind.
func (d *Document) Mistakes() (mistakes []Mistake) {
	listed := map[*Check]int{}
	d.Walk(func(s *Subschema) {
		if s.Broken {
			return
		}
		for _, c := range []*Check{Misspelt, WithoutEffect, Contradicting, RefusedValue} {
			c.Find(s, func(found string, below ...string) {
				if listed[c]++; listed[c] <= MaxListed {
					mistakes = append(mistakes, Mistake{c, s.Pointer(below...), s.Path(below...), found})
				}
			})
		}
	})
	return mistakes
}
