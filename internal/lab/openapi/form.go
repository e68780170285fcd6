package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

// A formValue is what a form or a query has for a name: values, or members for names such as a[b] and a[0].
type formValue struct {
	values  []string
	members map[string]*formValue
}

// formOf reads the names of a form, also those with brackets.
func formOf(values url.Values) *formValue {
	root := &formValue{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		at := root
		for i, part := range strings.Split(name, "[") {
			if i > 0 {
				part = strings.TrimSuffix(part, "]")
			}
			if at.members == nil {
				at.members = map[string]*formValue{}
			}
			if at.members[part] == nil {
				at.members[part] = &formValue{}
			}
			at = at.members[part]
		}
		at.values = append(at.values, values[name]...)
	}
	return root
}

// as returns the value for a schema, as JSON. The validator itself does not read nested members of forms and lists of deepObject.
func (f *formValue) as(ref *openapi3.SchemaRef) any {
	s := &openapi3.Schema{}
	if ref != nil && ref.Value != nil {
		s = flat(ref.Value, 0)
	}
	if branches := slices.Concat(s.OneOf, s.AnyOf); len(branches) > 0 {
		rest := *s
		rest.OneOf, rest.AnyOf = nil, nil
		for _, branch := range branches {
			v := f.as(&openapi3.SchemaRef{Value: &openapi3.Schema{AllOf: openapi3.SchemaRefs{{Value: &rest}, branch}}})
			if s.VisitJSON(v, openapi3.VisitAsRequest()) == nil {
				return v
			}
		}
	}
	switch typeOf(s) {
	case "array":
		return f.list(s)
	case "object":
		if len(f.values) > 0 { // an object in one value is JSON
			var v any
			if json.Unmarshal([]byte(f.values[0]), &v) == nil {
				return v
			}
			return f.values[0]
		}
	}
	if len(f.values) == 0 {
		return f.object(s)
	}
	return scalar(s, f.values[0])
}

func (f *formValue) object(s *openapi3.Schema) map[string]any {
	o := map[string]any{}
	for name, member := range f.members {
		p := s.Properties[name]
		if p == nil {
			p = s.AdditionalProperties.Schema
		}
		o[name] = member.as(p)
	}
	return o
}

// repeated returns the items of a list whose name is repeated.
func (f *formValue) repeated(s *openapi3.Schema) []any {
	items := []any{}
	for _, value := range f.values {
		items = append(items, (&formValue{values: []string{value}}).as(s.Items))
	}
	return items
}

func (f *formValue) list(s *openapi3.Schema) any {
	items := f.repeated(s)
	for _, index := range slices.SortedFunc(maps.Keys(f.members), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	}) {
		member := f.members[index]
		if index == "" { // a[]=1&a[]=2
			items = append(items, member.repeated(s)...)
			continue
		}
		if index != strconv.Itoa(len(items)) {
			return f.object(s) // not a list
		}
		items = append(items, member.as(s.Items))
	}
	return items
}

func scalar(s *openapi3.Schema, text string) any {
	switch typeOf(s) {
	case "integer", "number":
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return n
		}
	case "boolean":
		if b, err := strconv.ParseBool(text); err == nil {
			return b
		}
	}
	return text
}

// decodeForm decodes a body for the validator.
func decodeForm(body io.Reader, _ http.Header, s *openapi3.SchemaRef, _ openapi3filter.EncodingFn) (any, error) {
	data, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	values, err := url.ParseQuery(string(data))
	if err != nil {
		return nil, err
	}
	return formOf(values).as(s), nil
}

// simplify removes from a document what the validator does not have: query parameters that are lists in the style deepObject,
// which it returns by their operations; and declarations of headers that OpenAPI says are ignored, or that net/http sets.
func simplify(d *openapi3.T) map[*openapi3.Operation]openapi3.Parameters {
	lists := map[*openapi3.Operation]openapi3.Parameters{}
	isIgnored := func(p *openapi3.ParameterRef) bool {
		name := http.CanonicalHeaderKey(p.Value.Name)
		return p.Value.In == "header" && slices.Contains([]string{"Accept", "Content-Type", "Content-Length", "Authorization"}, name)
	}
	isList := func(p *openapi3.ParameterRef) bool {
		return p.Value.Style == "deepObject" && p.Value.Schema != nil && typeOf(flat(p.Value.Schema.Value, 0)) == "array"
	}
	for _, item := range d.Paths.Map() {
		item.Parameters = slices.DeleteFunc(slices.Clone(item.Parameters), isIgnored)
		for _, o := range item.Operations() {
			all := slices.DeleteFunc(slices.Clone(o.Parameters), isIgnored)
			o.Parameters = nil
			for _, p := range all {
				if isList(p) {
					lists[o] = append(lists[o], p)
				} else {
					o.Parameters = append(o.Parameters, p)
				}
			}
		}
	}
	return lists
}

// validateLists checks the parameters of an operation that the validator does not have.
func validateLists(parameters openapi3.Parameters, query url.Values) error {
	form := formOf(query)
	var all []error
	for _, p := range parameters {
		sent := form.members[p.Value.Name]
		switch {
		case sent == nil && p.Value.Required:
			all = append(all, fmt.Errorf("parameter %q in query is missing", p.Value.Name))
		case sent != nil:
			if err := p.Value.Schema.Value.VisitJSON(sent.as(p.Value.Schema)); err != nil {
				all = append(all, fmt.Errorf("parameter %q in query: %w", p.Value.Name, err))
			}
		}
	}
	return errors.Join(all...)
}
