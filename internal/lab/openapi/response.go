package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// Limits of a response: below maxFull levels objects have only their required members, and lists as few items as possible;
// below maxDepth no values are made.
const (
	maxFull   = 4
	maxDepth  = 14
	maxValues = 1500
)

// A responder makes the JSON values of responses from their schemas.
type responder struct {
	full   bool // all members; otherwise the required ones
	turn   int  // selects values of enums, branches of unions, and null where it is allowed
	modern bool // the document is of version 3.1 or later
	values int  // that were made
}

// respond returns a value that the schema of a response allows, as the validator sees it. It is false if there is none.
func (r *responder) respond(s *openapi3.SchemaRef) (any, bool) {
	v, ok := r.value(s, 0)
	if !ok || !r.fits(s.Value, v) {
		r.full = false
		v, ok = r.value(s, 0)
	}
	return v, ok && r.fits(s.Value, v)
}

func (r *responder) fits(s *openapi3.Schema, v any) bool { return r.check(s, v) == nil }

func (r *responder) check(s *openapi3.Schema, v any) error {
	options := []openapi3.SchemaValidationOption{openapi3.VisitAsResponse()}
	if r.modern {
		options = append(options, openapi3.EnableJSONSchema2020())
	}
	return s.VisitJSON(v, options...)
}

// value returns a value for a schema at a depth.
func (r *responder) value(ref *openapi3.SchemaRef, depth int) (any, bool) {
	if ref == nil || ref.Value == nil {
		return "any value", true
	}
	r.values++
	if depth > maxDepth {
		return nil, false
	}
	s := flat(ref.Value, 0)
	if v, ok := r.listed(s); ok {
		return v, true
	}
	if r.turn%3 == 2 && isNullable(s) {
		return nil, true
	}
	if branches := slices.Concat(s.OneOf, s.AnyOf); len(branches) > 0 {
		return r.union(s, branches, depth)
	}
	return r.typed(s, depth)
}

// listed returns a value that the schema lists.
func (r *responder) listed(s *openapi3.Schema) (any, bool) {
	if s.Const != nil {
		return s.Const, true
	}
	listed := slices.DeleteFunc(slices.Clone(s.Enum), func(v any) bool { return v == nil })
	if len(listed) == 0 {
		return nil, len(s.Enum) > 0
	}
	return listed[r.turn%len(listed)], true
}

func isNullable(s *openapi3.Schema) bool { return s.Nullable || s.Type.Includes("null") }

// union returns a value of the first branch, from the turn on, for which the whole schema is valid.
func (r *responder) union(s *openapi3.Schema, branches openapi3.SchemaRefs, depth int) (any, bool) {
	rest := *s
	rest.OneOf, rest.AnyOf = nil, nil
	for i := range branches {
		branch := branches[(i+r.turn)%len(branches)]
		if branch.Value == nil || branch.Value.Type.Is("null") {
			continue
		}
		merged := flat(&openapi3.Schema{AllOf: openapi3.SchemaRefs{{Value: &rest}, {Value: branch.Value}}}, 0)
		v, ok := r.value(&openapi3.SchemaRef{Value: merged}, depth+1)
		if !ok {
			continue
		}
		if o, isObject := v.(map[string]any); isObject && s.Discriminator != nil {
			o[s.Discriminator.PropertyName] = discriminatorOf(s.Discriminator, branch, o[s.Discriminator.PropertyName])
		}
		if r.fits(s, v) {
			return v, true
		}
	}
	return nil, isNullable(s)
}

// discriminatorOf returns the value of the discriminator for a branch.
func discriminatorOf(d *openapi3.Discriminator, branch *openapi3.SchemaRef, listed any) any {
	for _, value := range slices.Sorted(maps.Keys(d.Mapping)) {
		if d.Mapping[value].Ref == branch.Ref {
			return value
		}
	}
	if p := branch.Value.Properties[d.PropertyName]; p != nil && p.Value != nil && len(p.Value.Enum) > 0 {
		return listed
	}
	return branch.Ref[strings.LastIndex(branch.Ref, "/")+1:]
}

// typed returns a value of the type of a schema.
func (r *responder) typed(s *openapi3.Schema, depth int) (any, bool) {
	switch typeOf(s) {
	case "object":
		return r.object(s, depth)
	case "array":
		return r.array(s, depth)
	case "string":
		return r.text(s)
	case "integer", "number":
		return r.number(s)
	case "boolean":
		return r.turn%2 == 0, true
	case "null":
		return nil, true
	}
	return "any value", true
}

func typeOf(s *openapi3.Schema) string {
	for _, t := range s.Type.Slice() {
		if t != "null" || len(*s.Type) == 1 {
			return t
		}
	}
	switch {
	case len(s.Properties) > 0 || len(s.Required) > 0 || s.AdditionalProperties.Schema != nil:
		return "object"
	case s.Items != nil:
		return "array"
	}
	return ""
}

// object returns an object with the required members, and all others in a full response.
func (r *responder) object(s *openapi3.Schema, depth int) (any, bool) {
	o := map[string]any{}
	full := r.full && depth < maxFull
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		required := slices.Contains(s.Required, name)
		if p.Value == nil || p.Value.WriteOnly || !required && (!full || r.values > maxValues) {
			continue
		}
		v, ok := r.value(p, depth+1)
		if !ok && required {
			return nil, false
		}
		if ok {
			o[name] = v
		}
	}
	for _, name := range s.Required {
		if p := s.Properties[name]; p == nil {
			o[name] = "any value"
		}
	}
	more := s.AdditionalProperties
	least := int(s.MinProps)
	if full && len(s.Properties) == 0 {
		least = max(least, 1)
	}
	for i := 0; len(o) < least && (more.Has == nil || *more.Has || more.Schema != nil); i++ {
		v, ok := r.value(more.Schema, depth+1)
		if !ok {
			break
		}
		o[fmt.Sprintf("key%d", i)] = v
	}
	return o, true
}

// array returns a list with as few items as allowed, in a full response at least one.
func (r *responder) array(s *openapi3.Schema, depth int) (any, bool) {
	items := []any{}
	for _, p := range s.PrefixItems {
		v, ok := r.value(p, depth+1)
		if !ok {
			return nil, false
		}
		items = append(items, v)
	}
	least := int(s.MinItems)
	if r.full && depth < maxFull {
		least = max(least, 1)
	}
	if s.MaxItems != nil {
		least = min(least, int(*s.MaxItems))
	}
	before := r.turn
	defer func() { r.turn = before }()
	for ; len(items) < least; r.turn++ { // different items
		v, ok := r.value(s.Items, depth+1)
		if !ok {
			return items, len(items) >= int(s.MinItems)
		}
		items = append(items, v)
	}
	return items, true
}

// formats are values for formats of strings.
var formats = map[string]string{
	"date-time": "2026-01-31T09:30:00Z", "date": "2026-01-31", "time": "09:30:00Z", "duration": "PT5M",
	"email": "ada@example.com", "idn-email": "ada@example.com", "uri": "https://example.com/a?b=c", "url": "https://example.com/a?b=c",
	"uri-reference": "/a/b", "uuid": "123e4567-e89b-12d3-a456-426614174000", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "ip": "192.0.2.1",
	"hostname": "example.com", "byte": "AAEC", "binary": "bytes", "unix-time": "1769851800",
}

// text returns a string.
func (r *responder) text(s *openapi3.Schema) (any, bool) {
	if v, known := formats[s.Format]; known && s.Pattern == "" {
		return v, true
	}
	if s.Pattern != "" {
		return matching(s)
	}
	text := fmt.Sprintf("text %d é", r.turn)
	least := int(s.MinLength)
	for len([]rune(text)) < least {
		text += "x"
	}
	if s.MaxLength != nil && uint64(len([]rune(text))) > *s.MaxLength {
		text = string([]rune(text)[:*s.MaxLength])
	}
	return text, true
}

// matching returns a string that matches the pattern of a schema.
func matching(s *openapi3.Schema) (any, bool) {
	schema := map[string]any{"type": "string", "pattern": s.Pattern, "minLength": s.MinLength}
	if s.MaxLength != nil {
		schema["maxLength"] = *s.MaxLength
	}
	data, err := json.Marshal(schema)
	if err != nil {
		return nil, false
	}
	parsed, err := reflectschema.ParseSchema(data)
	if err != nil {
		return nil, false
	}
	var text string
	if json.Unmarshal(samples.Example(parsed), &text) != nil {
		return nil, false
	}
	return text, true
}

// number returns a number within the bounds of a schema.
func (r *responder) number(s *openapi3.Schema) (any, bool) {
	step, v := 1.0, float64(r.turn+1)
	isInteger := typeOf(s) == "integer"
	if !isInteger {
		step, v = 0.5, v+0.5
	}
	if s.MultipleOf != nil && *s.MultipleOf > 0 {
		step, v = *s.MultipleOf, *s.MultipleOf
	}
	low, high := bounds(s)
	if v > high {
		v = math.Floor(high/step) * step
		if v == high && s.ExclusiveMax.IsSet() {
			v -= step
		}
	}
	if v < low {
		v = math.Ceil(low/step) * step
	}
	if v == low && s.ExclusiveMin.IsSet() {
		v += step
	}
	return v, v <= high
}

// bounds returns the bounds of a number, whether or not they are exclusive.
func bounds(s *openapi3.Schema) (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	for _, b := range []*float64{s.Min, s.ExclusiveMin.Value} {
		if b != nil {
			low = max(low, *b)
		}
	}
	for _, b := range []*float64{s.Max, s.ExclusiveMax.Value} {
		if b != nil {
			high = min(high, *b)
		}
	}
	return low, high
}

// flat returns a schema whose allOf is merged into it, as far as values need.
func flat(s *openapi3.Schema, depth int) *openapi3.Schema {
	if len(s.AllOf) == 0 || depth > maxDepth {
		return s
	}
	merged := *s
	merged.AllOf = nil
	merged.Properties = maps.Clone(s.Properties)
	merged.Required = slices.Clone(s.Required)
	for _, ref := range s.AllOf {
		if ref.Value != nil {
			merge(&merged, flat(ref.Value, depth+1))
		}
	}
	return &merged
}

// merge adds the keywords of a branch of allOf.
func merge(s, branch *openapi3.Schema) {
	for name, p := range branch.Properties {
		if s.Properties == nil {
			s.Properties = openapi3.Schemas{}
		}
		if same := s.Properties[name]; same != nil && same.Value != p.Value {
			p = &openapi3.SchemaRef{Value: &openapi3.Schema{AllOf: openapi3.SchemaRefs{same, p}}}
		}
		s.Properties[name] = p
	}
	for _, name := range branch.Required {
		if !slices.Contains(s.Required, name) {
			s.Required = append(s.Required, name)
		}
	}
	if s.Type == nil {
		s.Type = branch.Type
	}
	if len(s.Enum) == 0 {
		s.Enum = branch.Enum
	}
	if s.Const == nil {
		s.Const = branch.Const
	}
	if s.Items == nil {
		s.Items = branch.Items
	}
	if len(s.OneOf)+len(s.AnyOf) == 0 {
		s.OneOf, s.AnyOf, s.Discriminator = branch.OneOf, branch.AnyOf, branch.Discriminator
	}
	if s.AdditionalProperties.Has == nil && s.AdditionalProperties.Schema == nil {
		s.AdditionalProperties = branch.AdditionalProperties
	}
	mergeBounds(s, branch)
}

func mergeBounds(s, branch *openapi3.Schema) {
	if s.Format == "" {
		s.Format = branch.Format
	}
	if s.Pattern == "" {
		s.Pattern = branch.Pattern
	}
	s.MinLength, s.MinItems, s.MinProps = max(s.MinLength, branch.MinLength), max(s.MinItems, branch.MinItems), max(s.MinProps, branch.MinProps)
	if s.MaxLength == nil {
		s.MaxLength = branch.MaxLength
	}
	if s.MaxItems == nil {
		s.MaxItems = branch.MaxItems
	}
	if s.Min == nil {
		s.Min, s.ExclusiveMin = branch.Min, branch.ExclusiveMin
	}
	if s.Max == nil {
		s.Max, s.ExclusiveMax = branch.Max, branch.ExclusiveMax
	}
	if s.MultipleOf == nil {
		s.MultipleOf = branch.MultipleOf
	}
	s.WriteOnly = s.WriteOnly || branch.WriteOnly
}
