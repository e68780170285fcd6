package reflectschema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// violation returns a raw violation as data.
func (a reporter) violation(root any, f rawViolation) Violation {
	p, got := authority.Locate(root, f.at)
	return a.worded(root, f, p, got)
}

// worded is violation for one whose location, but for the name, is p, and where the value is got.
func (a reporter) worded(root any, f rawViolation, p jsondoc.Path, got any) Violation {
	v := Violation{Keyword: f.keyword}
	if f.named {
		p = p.Member(f.name)
	}
	v.Path, v.Pointer = show.Path(p), p.Pointer()
	switch k := f.kind.(type) {
	case *kind.Type:
		if s := a.At[f.url]; s != nil && s.Enum != nil { // the values say more than their type
			v.Keyword = "enum"
			v.Want, v.Got, v.Suggest = describeEnum(s.Enum.Values, got)
			break
		}
		v.Want, v.Got, v.Suggest = describe(k, got)
	case *kind.AdditionalProperties:
		v.Want, v.Suggest = a.known(f, got)
	case *kind.Required:
		v.Want = a.texts(f.url, f.name)
	case *kind.DependentRequired:
		v.Want = show.Quote(k.Prop, show.MaxName)
	case *kind.Dependency:
		v.Want = show.Quote(k.Prop, show.MaxName)
	case *kind.PropertyNames:
		v.Got = show.Quote(f.name, show.MaxText)
		v.Want = a.summary(k.Property, f.nested)
	case *kind.AnyOf:
		v.Want, v.Got = a.summary(root, f.nested), show.Value(got)
	case *kind.OneOf:
		if len(k.Subschemas) == 2 {
			v.Got = fmt.Sprintf("a value that fits alternatives %d and %d", k.Subschemas[0]+1, k.Subschemas[1]+1)
		} else {
			v.Want, v.Got = a.summary(root, f.nested), show.Value(got)
		}
	case *authority.OverBudget:
		v.Want, v.Got = wantCheckable, authority.ErrOverBudget.Error()
	case *kind.Not:
		v.Want, v.Got = a.excerpt(f.url, "not"), show.Value(got)
	case *kind.Contains:
		v.Want = a.matching(f.url)
	case *kind.MinContains:
		v.Want, v.Got = show.Plural(strconv.Itoa(k.Want), "item")+" "+a.matching(f.url), strconv.Itoa(len(k.Got))
	case *kind.MaxContains:
		v.Want, v.Got = show.Plural(strconv.Itoa(k.Want), "item")+" "+a.matching(f.url), strconv.Itoa(len(k.Got))
	default:
		v.Want, v.Got, v.Suggest = describe(f.kind, got)
	}
	return v
}

// known lists the properties that the schema knows which was violated and the value
// does not have yet, and which of them was probably meant.
func (a reporter) known(f rawViolation, got any) (want, nearest string) {
	s := a.At[f.url]
	if s == nil {
		return "", ""
	}
	obj, _ := got.(map[string]any)
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		if _, given := obj[name]; !given {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return show.List(names, func(name string) string { return show.Quote(name, show.MaxName) }), suggest.Nearest(f.name, names)
}

// excerpt shows the part of the document that a keyword of the schema at url holds.
func (a reporter) excerpt(url, keyword string) string {
	part := a.Doc.At(jsondoc.FragmentPointer(url)).Get(keyword)
	if part == nil {
		return "the schema's " + keyword
	}
	return show.Clip(string(part.AppendTo(nil)), 2*show.MaxText)
}

// matching says which items the schema at url asks for: equal to a value, or what a part of the document says.
func (a reporter) matching(url string) string {
	part := a.Doc.At(jsondoc.FragmentPointer(url)).Get("contains")
	if only := part.Get("const"); only != nil && len(part.Members) == 1 {
		return "equal to " + show.Clip(string(only.AppendTo(nil)), show.MaxText)
	}
	return "fitting " + a.excerpt(url, "contains")
}

// summary joins the sentences of the violations, at most three.
func (a reporter) summary(root any, found []rawViolation) string {
	var parts []string
	for _, f := range found {
		v := a.violation(root, f)
		line := sentence(v)
		if v.Path != "" {
			line = v.Path + " " + line
		}
		if line = show.Clip(line, 2*show.MaxText); !slices.Contains(parts, line) {
			parts = append(parts, line)
		}
	}
	if more := len(parts) - 3; more > 0 {
		parts = append(parts[:3], fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, "; or ")
}

// texts lists what a missing member of that name must be if it tells the
// branches of the schema at url apart.
func (a reporter) texts(url, name string) string {
	return show.List(a.TextsOf(url, name), func(text string) string { return show.Quote(text, show.MaxText) })
}

// describe says what a keyword that judges a value alone wanted and got.
func describe(k jsonschema.ErrorKind, got any) (want, came, nearest string) {
	switch k := k.(type) {
	case *kind.Type:
		return joinTypes(k.Want), show.Typed(got), ""
	case *kind.Enum:
		return describeEnum(k.Want, got)
	case *kind.Const:
		return describeEnum([]any{k.Want}, got)
	case *kind.Format:
		if text, ok := got.(string); ok {
			return k.Want, authority.WithReason(text, authority.FormatReason(k.Want, text)), ""
		}
		return k.Want, show.Value(got), ""
	case *kind.Pattern:
		return show.Clip(k.Want, 2*show.MaxText), show.Value(got), ""
	case *kind.UniqueItems:
		return "", strconv.Itoa(k.Duplicates[0]) + " and " + strconv.Itoa(k.Duplicates[1]), ""
	case *kind.FalseSchema:
		return "", show.Value(got), ""
	}
	if want, ok := boundOf(k); ok {
		return want, show.Value(got), ""
	}
	want, came = countOf(k)
	return want, came, ""
}

// joinTypes lists each type once, null last.
func joinTypes(types []string) string {
	var list []string
	for _, t := range types {
		if t != "null" && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	if slices.Contains(types, "null") {
		list = append(list, "null")
	}
	return strings.Join(list, " or ")
}

// describeEnum lists the legal values, and the nearest if one is near.
func describeEnum(legal []any, got any) (want, came, nearest string) {
	var words []string
	if s, ok := got.(string); ok {
		for _, v := range legal {
			if word, ok := v.(string); ok {
				words = append(words, word)
			}
		}
		if near := suggest.Nearest(s, words); near != "" {
			nearest = show.Quote(near, show.MaxText)
		}
	}
	return show.List(legal, show.Value), show.Value(got), nearest
}

// boundOf returns the bound that a keyword puts on a number.
func boundOf(k jsonschema.ErrorKind) (string, bool) {
	switch k := k.(type) {
	case *kind.Minimum:
		return show.Rat(k.Want), true
	case *kind.Maximum:
		return show.Rat(k.Want), true
	case *kind.ExclusiveMinimum:
		return show.Rat(k.Want), true
	case *kind.ExclusiveMaximum:
		return show.Rat(k.Want), true
	case *kind.MultipleOf:
		return show.Rat(k.Want), true
	default:
		return "", false
	}
}

// countOf returns what a keyword that counts wanted and what it counted.
func countOf(k jsonschema.ErrorKind) (want, got string) {
	pair := func(want, got int) (string, string) { return strconv.Itoa(want), strconv.Itoa(got) }
	switch k := k.(type) {
	case *kind.MinLength:
		return pair(k.Want, k.Got)
	case *kind.MaxLength:
		return pair(k.Want, k.Got)
	case *kind.MinItems:
		return pair(k.Want, k.Got)
	case *kind.MaxItems:
		return pair(k.Want, k.Got)
	case *kind.MinProperties:
		return pair(k.Want, k.Got)
	case *kind.MaxProperties:
		return pair(k.Want, k.Got)
	case *kind.AdditionalItems:
		return "0", strconv.Itoa(k.Count)
	default:
		return "", ""
	}
}
