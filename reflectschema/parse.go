package reflectschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// Limits of a schema from outside. The time to compile it grows with the square of both: at the limits it takes about a
// third of a second, at ten times the limits minutes.
const (
	maxSchemaDepth = 128  // levels of JSON
	maxSubschemas  = 5000 // schemas in one document
)

// A documentError is a mistake in a schema document.
type documentError struct {
	Path    string // the location in the document, dotted: properties.city.minLength; empty for the root
	Pointer string // the same location as a JSON pointer (RFC 6901); empty if it would exceed 4096 bytes
	Reason  string // what is wrong
}

// Error returns the location and the reason in one line.
func (e *documentError) Error() string {
	if e.Path == "" {
		return "schema: " + e.Reason
	}
	return "schema: " + e.Path + ": " + e.Reason
}

func schemaError(p jsondoc.Path, format string, args ...any) error {
	return &documentError{show.Path(p), p.Pointer(), fmt.Sprintf(format, args...)}
}

// ParseSchema reads a schema document that was written by hand or by another program. Its dialect is draft 2020-12, or
// draft-07 if its $schema names that; any other $schema is an error. Insignificant white space is removed; the order of
// members and all other bytes are kept.
//
// The document must
//
//   - be an object in strict JSON (see [Schema.Check]) that is valid in its dialect
//   - be at most 128 levels deep, and have at most 5000 schemas
//   - be complete: each $ref refers to a part of the document, and not to itself without end; a $dynamicAnchor that a
//     $dynamicRef names occurs once
//   - have only patterns that are regular expressions of Go (package regexp), without lookaround and backreferences, each
//     compiled to at most 10 000 instructions, all together to at most 50 000
//
// The error has the location and the reason of each mistake, up to ten, one per line. ParseSchema is safe for concurrent
// use, and does not retain raw.
func ParseSchema(raw []byte) (*Schema, error) {
	doc, err := parseObject(raw)
	if err != nil {
		return nil, err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return nil, schemaError(nil, "%v", err)
	}
	dialect := authority.DraftOf(doc.Get("$schema").Text())
	if dialect == nil || (doc.Get("$schema") != nil && doc.Get("$schema").Text() == "") {
		return nil, schemaError(jsondoc.Path(nil).Member("$schema"),
			"must be %q or %q, got %s; %s", authority.Draft2020, authority.Draft7.String()+"#",
			show.Clip(string(doc.Get("$schema").AppendTo(nil)), show.MaxText), dialectFix(doc.Get("$schema").Text()))
	}
	s := newSchemaIn(compact.Bytes(), dialect)
	if err := s.validate(); err != nil {
		return nil, err
	}
	return s, nil
}

// dialectFix returns what to do about a dialect that is not supported.
func dialectFix(uri string) string {
	switch {
	case strings.Contains(uri, "draft-03"), strings.Contains(uri, "draft-04"):
		return `convert the schema to draft-07: "id" becomes "$id", and "minimum":1,"exclusiveMinimum":true becomes "exclusiveMinimum":1`
	case strings.Contains(uri, "draft-06"):
		return "draft-07 has the same keywords, so name draft-07 instead"
	case strings.Contains(uri, "2019-09"):
		return "name 2020-12 instead, and convert tuples (an array in items becomes prefixItems, additionalItems becomes items) and $recursiveRef ($dynamicRef)"
	default:
		return "name the dialect that the schema follows, or leave it out for 2020-12"
	}
}

// keywordFix returns what to do about a keyword whose value has a meaning in another dialect, or "".
func keywordFix(v Violation) string {
	switch {
	case strings.HasSuffix(v.Pointer, "/items") && !strings.HasSuffix(v.Pointer, "/properties/items") && strings.HasPrefix(v.Got, "an array"):
		return `2020-12 has no array in items: for a tuple rename items to prefixItems, and additionalItems to items; or set "$schema" to draft-07`
	case (strings.HasSuffix(v.Pointer, "/exclusiveMinimum") || strings.HasSuffix(v.Pointer, "/exclusiveMaximum")) && (v.Got == "true" || v.Got == "false"):
		return `draft-04 has a boolean here: write the number, as in "exclusiveMinimum":1 for "minimum":1,"exclusiveMinimum":true`
	default:
		return ""
	}
}

// parseObject reads a document that must be an object in strict JSON, but need not be a schema. Any other document is a
// *documentError.
func parseObject(raw []byte) (*jsondoc.Value, error) {
	v, err := parseStrict(raw)
	if err != nil {
		return nil, notStrict(err)
	}
	doc := jsondoc.Parse(raw)
	if doc.Kind != rawjson.Object {
		return nil, schemaError(nil, "must be an object, got %s", show.Value(v.Any))
	}
	return doc, nil
}

// notStrict converts an error of the strict parser to a *documentError.
func notStrict(err error) error {
	var invalid *InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	v := invalid.Violations[0]
	return &documentError{v.Path, v.Pointer, sentence(v)}
}

// deeper returns the first location that is nested too deeply.
func deeper(d *jsondoc.Value, p jsondoc.Path) (jsondoc.Path, bool) {
	if len(p) >= maxSchemaDepth && (len(d.Members) > 0 || len(d.Items) > 0) {
		return p, true
	}
	for _, m := range d.Members {
		if in, deep := deeper(m.Value, p.Member(m.Name)); deep {
			return in, true
		}
	}
	for i, item := range d.Items {
		if in, deep := deeper(item, p.Element(i)); deep {
			return in, true
		}
	}
	return nil, false
}

// A schemaChecker finds mistakes that the metaschema does not: in references, patterns, dialects of parts, and numbers
// that the authority cannot represent.
type schemaChecker struct {
	doc     *jsondoc.Value
	dialect *jsonschema.Draft
	count   int
	program int             // instructions of all patterns together
	bases   map[string]bool // URLs of the document and of its parts with an $id
	errs    []error
}

func (c *schemaChecker) run() {
	c.doc.EachSchema(nil, func(_ jsondoc.Path, d *jsondoc.Value) bool {
		c.count++
		return true
	})
	if c.count > maxSubschemas {
		c.add(nil, "holds %d schemas, more than %d", c.count, maxSubschemas)
		return
	}
	root := resolve(authority.DocumentURL, c.doc.Get("$id").Text())
	c.each(nil, c.doc, root, func(_ jsondoc.Path, _ *jsondoc.Value, base string) { c.bases[base] = true })
	c.each(nil, c.doc, root, c.schema)
}

func (c *schemaChecker) add(p jsondoc.Path, format string, args ...any) {
	if len(c.errs) < codec.MaxViolations {
		c.errs = append(c.errs, schemaError(p, format, args...))
	}
}

// each calls visit for d and every schema inside it, with the base URL of its references. For d itself, base includes
// its $id.
func (c *schemaChecker) each(p jsondoc.Path, d *jsondoc.Value, base string, visit func(jsondoc.Path, *jsondoc.Value, string)) {
	d.EachSchema(p, func(in jsondoc.Path, sub *jsondoc.Value) bool {
		if id := sub.Get("$id").Text(); id != "" && sub != d {
			c.each(in, sub, resolve(base, id), visit)
			return false
		}
		visit(in, sub, base)
		return true
	})
}

// schema checks one schema, without its subschemas.
func (c *schemaChecker) schema(p jsondoc.Path, d *jsondoc.Value, base string) {
	for _, m := range d.Members {
		in := p.Member(m.Name)
		switch m.Name {
		case "$schema":
			if authority.DraftOf(m.Value.Text()) != c.dialect {
				c.add(in, "must be the dialect of the whole document, %s", c.dialect)
			}
		case "$ref", "$dynamicRef":
			c.reference(in, m.Value.Text(), base)
		case "pattern":
			c.pattern(in, m.Value.Text())
		case "patternProperties":
			for _, named := range m.Value.Members {
				c.pattern(in.Member(named.Name), named.Name)
			}
		}
		if k, _ := jsondoc.KeywordNamed(m.Name); k.Limit != nil && k.Limit.Of != "" {
			if n, ok := new(big.Rat).SetString(string(m.Value.Raw)); ok && n.Cmp(big.NewRat(math.MaxInt, 1)) > 0 {
				c.add(in, "must be at most %d, got %s", math.MaxInt, show.Clip(string(m.Value.Raw), show.MaxText))
			}
		}
	}
}

func (c *schemaChecker) pattern(p jsondoc.Path, text string) {
	if c.program > authority.MaxPatternPrograms {
		return // already reported; compiling the others could take much memory
	}
	re, err := authority.CompilePattern(text)
	if err != nil {
		c.add(p, "must be a regular expression of Go (no lookaround, no backreferences): %s",
			show.Clip(strings.TrimPrefix(err.Error(), "error parsing regexp: "), 2*show.MaxText))
		return
	}
	if c.program += re.Program; c.program > authority.MaxPatternPrograms {
		c.add(p, "the patterns of the schema compile to more than %d instructions together: shorten their repetitions", authority.MaxPatternPrograms)
	}
}

// reference checks that ref points into the document, and, where that can be decided without compiling, that it has a
// target.
func (c *schemaChecker) reference(p jsondoc.Path, ref, base string) {
	pointer, local := jsondoc.LocalPointer(ref)
	switch {
	case !c.bases[resolve(base, ref)]:
		c.add(p, "points outside the document: %s", show.Quote(ref, show.MaxText))
	case local && base == authority.DocumentURL && c.doc.At(pointer) == nil:
		c.add(p, "points at nothing: %s", show.Quote(ref, show.MaxText))
	}
}

// resolve returns the URL of the document that ref names, relative to base.
func resolve(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	r, err := url.Parse(ref)
	if err != nil {
		return ref
	}
	if !r.IsAbs() && r.Host == "" && r.Path == "" && r.RawQuery == "" && !r.ForceQuery {
		return base // net/url does not resolve against a URN
	}
	u := b.ResolveReference(r)
	u.Fragment, u.RawFragment = "", ""
	return u.String()
}

// compileErrors converts the error of compiling a document of a dialect to a *documentError for each mistake, joined.
func compileErrors(raw []byte, dialect *jsonschema.Draft, err error) error {
	if load := (*jsonschema.LoadURLError)(nil); errors.As(err, &load) {
		return schemaError(nil, "points outside the document: %s", show.Quote(load.URL, show.MaxText))
	}
	meta := (*jsonschema.SchemaValidationError)(nil)
	if !errors.As(err, &meta) {
		return schemaError(nil, "cannot be used: %s", show.Clip(strings.ReplaceAll(err.Error(), authority.DocumentURL, ""), 4*show.MaxText))
	}
	doc, err := parseStrict(raw)
	if err != nil {
		return notStrict(err)
	}
	// The library has found that this part of the document is not a valid schema; the metaschema shows why.
	at, part := authority.Locate(doc.Any, jsondoc.Tokens(jsondoc.FragmentPointer(meta.URL)))
	root, _ := doc.Any.(map[string]any)
	if uri, named := root["$schema"].(string); named {
		dialect = authority.DraftOf(uri)
	}
	resource, _ := part.(map[string]any)
	if uri, named := resource["$schema"].(string); named && resource["$id"] != nil {
		dialect = authority.DraftOf(uri)
	}
	auth := authority.MetaSchema(dialect)
	failures, err := auth.Check(auth.Root, authority.Value{Any: part, Size: doc.Size}, codec.MaxCounted, nil)
	if err != nil || len(failures) == 0 {
		return schemaError(nil, "is not valid in its dialect")
	}
	for i := range failures {
		failures[i].Path = slices.Concat(at, failures[i].Path)
	}
	invalid := reporter{auth}.answer(failures)
	errs := make([]error, 0, len(invalid.Violations))
	for _, v := range invalid.Violations {
		errs = append(errs, &documentError{v.Path, v.Pointer, sentence(v) + ifSet("; ", keywordFix(v), "")})
	}
	return errors.Join(errs...)
}
