package lint

import (
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/internal/vet"
)

var internals = reflectschema.Internal(private.Key{})

// Document checks a JSON Schema document against those rules of a profile that apply to schemas of the direction. The
// findings are in the order of the document, at most 20 for each rule. An empty list means that no problem is known. A
// value that is not a profile has no rules.
//
// The document need not be a valid schema, but must be an object in strict JSON (see [reflectschema.Schema.Check]);
// otherwise the error has the location and the reason. Time and memory are linear in its size, except that
// [ProfileAnyClient] also checks values, such as defaults, if [reflectschema.ParseSchema] can read the document: the first 200
// of each enum or examples, and the first 2000 of a document.
func Document(document []byte, d reflectschema.Direction, p Profile) ([]Finding, error) {
	doc, err := internals.ParseDocument(document)
	if err != nil {
		return nil, err
	}
	return lint(doc, d, p), nil
}

// Schema checks a parsed schema, like [Document].
func Schema(s *reflectschema.Schema, d reflectschema.Direction, p Profile) []Finding {
	return lint(internals.Document(s), d, p)
}

// lint applies the rules of a profile to a document in one walk.
func lint(doc *vet.Document, d reflectschema.Direction, p Profile) []Finding {
	l := linter{profile: p, root: doc.Root, members: map[*jsondoc.Value]map[string]*jsondoc.Value{}}
	for _, r := range p.data().rules {
		if r.AppliesTo(d) {
			l.rules = append(l.rules, r)
		}
	}
	l.listed = make([]listed, len(l.rules))
	var top *vet.Subschema
	doc.Walk(func(s *vet.Subschema) {
		if s.Broken {
			l.apply(onBroken, s)
			return
		}
		if s.Parent == nil {
			top = s
		}
		l.sizes.add(s)
		l.apply(onSchema, s)
	}, p.data().strips...)
	l.apply(atEnd, top)
	return l.findings
}

// A linter is the state of one walk over one document.
type linter struct {
	profile  Profile
	rules    []rule
	root     *jsondoc.Value
	findings []Finding
	sizes    sizes

	current int                                          // index of the current rule in rules
	listed  []listed                                     // parallel to rules
	members map[*jsondoc.Value]map[string]*jsondoc.Value // index by name of the objects on the path of a reference
}

// listed contains the number of findings of a rule, and the index of the last one in findings.
type listed struct{ count, last int }

// apply calls the checks of one phase.
func (l *linter) apply(when phase, s *vet.Subschema) {
	for i, r := range l.rules {
		if r.when == when {
			l.current = i
			r.find(l, s)
		}
	}
}

// report adds a finding of the current rule at s, or at the location that the names below s lead to. Beyond
// [vet.MaxListed] findings of a rule, it only counts them in the last one.
func (l *linter) report(s *vet.Subschema, found string, below ...string) {
	seen := &l.listed[l.current]
	if seen.count++; seen.count > vet.MaxListed {
		l.findings[seen.last].More++
		return
	}
	seen.last = len(l.findings)
	l.findings = append(l.findings, Finding{
		Profile: l.profile,
		Rule:    l.rules[l.current].Rule,
		Pointer: s.Pointer(below...),
		Path:    s.Path(below...),
		Found:   found,
	})
}

// leads reports whether a JSON pointer has a target in the document.
func (l *linter) leads(pointer string) bool {
	d := l.root
	for _, token := range jsondoc.Tokens(pointer) {
		if d.Kind == rawjson.Object {
			d = l.member(d, token)
		} else {
			d = d.At("/" + jsondoc.EscapeToken(token))
		}
		if d == nil {
			return false
		}
	}
	return true
}

// member returns a member of an object. It indexes the members, because many references may pass through one object.
func (l *linter) member(d *jsondoc.Value, name string) *jsondoc.Value {
	byName, ok := l.members[d]
	if !ok {
		byName = make(map[string]*jsondoc.Value, len(d.Members))
		for _, m := range d.Members {
			byName[m.Name] = m.Value
		}
		l.members[d] = byName
	}
	return byName[name]
}
