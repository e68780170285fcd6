package jsonquery

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Schema is the schema of a document. The zero value accepts everything.
type Schema struct {
	Root *jsondoc.Value
	// Check returns the JSON pointers of the parts of a value that do not fit; nil if it fits.
	Check func(value []byte) (violations []string)
	// Open means that any member may be left out.
	Open bool

	patterns map[string]*regexp.Regexp // of patternProperties, while a value is cut; nil if a pattern is not valid
}

// schemas are schemas that may apply to one part of a value. Whether each of them applies can depend on the value.
type schemas []*jsondoc.Value

// whole returns the schemas of the whole value.
func (o Schema) whole() schemas { return o.expand(nil, o.Root) }

// expand appends the schema and those that it refers to or combines.
func (o Schema) expand(dst schemas, schema *jsondoc.Value) schemas {
	if schema == nil || slices.Contains(dst, schema) {
		return dst
	}
	dst = append(dst, schema)
	for _, m := range schema.Entries() {
		k, _ := jsondoc.KeywordNamed(m.Name)
		switch pointer, isLocal := jsondoc.LocalPointer(m.Value.Text()); {
		case k.Role == jsondoc.Reference && isLocal:
			dst = o.expand(dst, o.Root.At(pointer))
		case k.Role != jsondoc.Applicator || k.Inside != jsondoc.Whole:
		case k.Holds == jsondoc.HoldsNamed:
			for _, s := range m.Value.Entries() {
				dst = o.expand(dst, s.Value)
			}
		case m.Value.IsArray():
			for _, s := range m.Value.Elements() {
				dst = o.expand(dst, s)
			}
		default:
			dst = o.expand(dst, m.Value)
		}
	}
	return dst
}

// member returns the schemas of a member, and whether one of them is listed under its name.
func (o Schema) member(of schemas, name string) (in schemas, isListed bool) {
	for _, s := range of {
		listed := s.Get("properties").Get(name)
		in = o.expand(in, listed)
		isListed = isListed || listed != nil
		for _, m := range s.Get("patternProperties").Entries() {
			if re := o.pattern(m.Name); re != nil && re.MatchString(name) {
				in = o.expand(in, m.Value)
			}
		}
		if listed == nil {
			in = o.expand(in, s.Get("additionalProperties"))
		}
	}
	return in, isListed
}

// pattern returns a regular expression; nil if it is not valid.
func (o Schema) pattern(text string) *regexp.Regexp {
	re, ok := o.patterns[text]
	if !ok {
		re, _ = regexp.Compile(text)
		if o.patterns != nil {
			o.patterns[text] = re
		}
	}
	return re
}

// element returns the schemas of an element.
func (o Schema) element(of schemas, at int) (in schemas) {
	for _, s := range of {
		heads, rest := s.ItemSchemas()
		if listed := heads.Elements(); at < len(listed) {
			in = o.expand(in, listed[at])
		} else {
			in = o.expand(in, rest)
		}
	}
	return in
}

// names returns the names of the members that the schemas list.
func (of schemas) names() (names []string) {
	for _, s := range of {
		for _, m := range s.Get("properties").Entries() {
			names = append(names, m.Name)
		}
	}
	return names
}

// fixesText reports whether one of the schemas limits a text by anything except its length: a pattern, a format, an encoding or a
// value. A part of the text may then not fit.
func (of schemas) fixesText() bool {
	return slices.ContainsFunc(of, func(s *jsondoc.Value) bool {
		return slices.ContainsFunc(s.Entries(), func(m jsondoc.Member) bool {
			k, _ := jsondoc.KeywordNamed(m.Name)
			return k.About&jsondoc.TypeString != 0 && k.Limit == nil && (k.Role == jsondoc.Assertion || k.Role == jsondoc.Annotation) && k.Name != "type"
		})
	})
}

// isMap reports whether one of the schemas describes members whose names it does not list.
func (of schemas) isMap() bool {
	return slices.ContainsFunc(of, func(s *jsondoc.Value) bool {
		return len(s.Get("additionalProperties").Entries()) > 0 || len(s.Get("patternProperties").Entries()) > 0
	})
}

// columns returns the names of the members of rows at a path, as the schema lists them.
func (o Schema) columns(tokens []string) []string {
	at := o.whole()
	for _, token := range tokens {
		var next schemas
		index, err := strconv.Atoi(token)
		switch {
		case token == anyDepth:
			return nil
		case token == anyChild, err == nil && index >= 0: // of *, the first one
			next = append(o.element(at, index), o.rest(at)...)
		}
		named, _ := o.member(at, token)
		at = append(next, named...)
	}
	rows := append(o.element(at, 0), o.rest(at)...)
	return slices.Concat(at.names(), rows.names())
}

// rest returns the schemas of members that are not listed.
func (o Schema) rest(of schemas) (in schemas) {
	for _, s := range of {
		in = o.expand(in, s.Get("additionalProperties"))
	}
	return in
}
