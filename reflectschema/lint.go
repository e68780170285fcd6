package reflectschema

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// maxPlaces is how many places are listed that break the same rule: enough to
// see the pattern. The rest is counted.
const maxPlaces = 20

// Lint checks a JSON Schema document, from any server, against the rules of a profile for schemas of that
// direction. The findings are in the order of the document; none means that no problem is known.
//
// The document need not be a valid schema, only an object in strict JSON; for any other
// input the error is a [*SchemaError]. Time and memory are linear in its size, except that for
// [AnyClient] a document that contains values is read as by [ParseSchema]; if that fails, its values are not checked, and
// only the first 2000 of them ever are.
func Lint(document []byte, d Direction, p Profile) ([]Finding, error) {
	v, err := parseStrict(document)
	if err != nil {
		return nil, notStrict(err)
	}
	doc := jsondoc.Parse(document)
	if doc.Kind != jsontext.KindBeginObject {
		return nil, schemaError(nil, "must be an object, got %s", show.Value(v.Any))
	}
	return lint(doc, nil, d, p), nil
}

// Lint is like the function [Lint], for a schema that has been parsed.
func (s *Schema) Lint(d Direction, p Profile) []Finding { return lint(s.doc(), s, d, p) }

// lint lints a document; schema is the one that was read from it, nil if none was.
func lint(root *jsondoc.Value, schema *Schema, d Direction, p Profile) []Finding {
	l := linter{profile: p, strips: p.data().strips, root: root, schema: schema, members: map[*jsondoc.Value]map[string]*jsondoc.Value{}}
	for _, r := range p.data().rules {
		if r.AppliesTo(d) {
			l.rules = append(l.rules, r)
		}
	}
	l.listed = make([]listed, len(l.rules))
	top := &site{doc: root}
	l.visit(top)
	l.apply(atEnd, top)
	return l.findings
}

// linter is one walk over one document.
type linter struct {
	profile  Profile
	strips   []string
	rules    []rule
	root     *jsondoc.Value
	findings []Finding
	sizes    sizes

	current int                                          // rule
	listed  []listed                                     // by rule
	members map[*jsondoc.Value]map[string]*jsondoc.Value // of objects that references lead through

	schema *Schema     // made of the document when it is needed
	judged bool        // whether judge is what it will be
	judge  *valueJudge // nil if the document cannot be used
}

// listed says how many findings a rule has, and which is the last one.
type listed struct{ count, last int }

// visit applies the rules to a place and to all places inside it.
func (l *linter) visit(s *site) {
	if s.broken {
		l.apply(onBroken, s)
		return
	}
	l.sizes.add(s)
	l.apply(onSchema, s)
	for _, m := range s.doc.Members {
		how := jsondoc.HeldBy(m.Name)
		switch {
		case how == 0 || slices.Contains(l.strips, m.Name):
		case how == jsondoc.HoldsNamed && m.Value.Kind != jsontext.KindBeginObject:
			l.visit(&site{doc: m.Value, up: s, keyword: m.Name, broken: true})
		case how == jsondoc.HoldsNamed:
			for _, named := range m.Value.Members {
				if m.Name == "dependencies" && named.Value.Kind == jsontext.KindBeginArray {
					continue // names, not a schema
				}
				l.visit(s.below(named.Value, m.Name, jsondoc.Step{Name: named.Name, Index: -1}))
			}
		case m.Value.Kind == jsontext.KindBeginArray:
			for i, item := range m.Value.Items {
				l.visit(s.below(item, m.Name, jsondoc.Step{Index: i}))
			}
		default:
			l.visit(s.below(m.Value, m.Name))
		}
	}
}

// apply calls the checks of one phase.
func (l *linter) apply(when phase, s *site) {
	for i, r := range l.rules {
		if r.when == when {
			l.current = i
			r.find(l, s)
		}
	}
}

// report adds a finding of the current rule: at s, or at the place that the
// names below s lead to.
func (l *linter) report(s *site, found string, below ...string) {
	seen := &l.listed[l.current]
	if seen.count++; seen.count > maxPlaces {
		l.findings[seen.last].More++
		return
	}
	seen.last = len(l.findings)
	l.findings = append(l.findings, Finding{
		Profile: l.profile,
		Rule:    l.rules[l.current].Rule,
		Pointer: s.pointer(below...),
		Path:    s.values(below...),
		Found:   found,
	})
}

// leads reports whether a JSON pointer leads anywhere in the document.
func (l *linter) leads(pointer string) bool {
	d := l.root
	for _, token := range jsondoc.Tokens(pointer) {
		if d.Kind == jsontext.KindBeginObject {
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

// member is d.get for objects that many references lead through.
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
