package compat

import (
	"math/big"
	"slices"
	"unicode/utf8"
)

// fits reports whether a value fits a schema, as far as that can be told without looking into
// arrays and objects.
func (s *side) fits(v, d *value, depth int) verdict {
	switch {
	case d.kind == 't':
		return yes
	case d.kind == 'f':
		return no
	case d.kind != '{' || depth > maxDepth:
		return unknown
	}
	if ref := d.get("$ref"); ref != nil && s.draft7 {
		return s.fitsTarget(v, ref, depth)
	}
	answer := yes
	for _, keyword := range d.names {
		if answer = min(answer, s.fitsKeyword(v, d, keyword, depth)); answer == no {
			return no
		}
	}
	return answer
}

func (s *side) fitsTarget(v, ref *value, depth int) verdict {
	if target := s.resolve(ref); target != nil {
		return s.fits(v, target, depth+1)
	}
	return unknown
}

func (s *side) fitsKeyword(v, d *value, keyword string, depth int) verdict {
	k := d.members[keyword]
	switch keyword {
	case "type":
		return isTrue(typesOf(k)&typeOf(v) != 0)
	case "const":
		return isTrue(equal(v, k))
	case "enum":
		return isTrue(has(k.items, v))
	case "$ref":
		return s.fitsTarget(v, k, depth)
	case "allOf", "anyOf", "oneOf":
		return s.fitsParts(v, keyword, k.items, depth)
	case "not":
		return -s.fits(v, k, depth+1)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return fitsNumber(v, keyword, k)
	case "minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType":
		return fitsText(v, keyword, k)
	}
	of, known := keywordTypes[keyword]
	if isSilent(keyword) || known && of&typeOf(v) == 0 {
		return yes
	}
	return unknown
}

// fitsParts answers for the keywords that hold alternatives.
func (s *side) fitsParts(v *value, keyword string, parts []*value, depth int) verdict {
	count := map[verdict]int{}
	for _, part := range parts {
		count[s.fits(v, part, depth+1)]++
	}
	switch keyword {
	case "allOf":
		return all(count[no] > 0, count[unknown] > 0)
	case "anyOf":
		return -all(count[yes] > 0, count[unknown] > 0)
	default:
		if count[yes] == 1 && count[unknown] == 0 {
			return yes
		}
		return -all(false, count[yes] < 2 && count[unknown] > 0)
	}
}

// all is no if one is, and yes if every one is.
func all(isOneNo, isOneUnknown bool) verdict {
	switch {
	case isOneNo:
		return no
	case isOneUnknown:
		return unknown
	default:
		return yes
	}
}

func isTrue(b bool) verdict {
	if b {
		return yes
	}
	return no
}

func fitsNumber(v *value, keyword string, k *value) verdict {
	n, ok := v.number()
	if !ok {
		return yes
	}
	bound, ok := k.number()
	if !ok {
		return unknown
	}
	switch order := n.Cmp(bound); keyword {
	case "minimum":
		return isTrue(order >= 0)
	case "maximum":
		return isTrue(order <= 0)
	case "exclusiveMinimum":
		return isTrue(order > 0)
	case "exclusiveMaximum":
		return isTrue(order < 0)
	default:
		return isTrue(bound.Sign() != 0 && new(big.Rat).Quo(n, bound).IsInt())
	}
}

func fitsText(v *value, keyword string, k *value) verdict {
	if v.kind != '"' {
		return yes
	}
	n, ok := k.number()
	length := new(big.Rat).SetInt64(int64(utf8.RuneCountInString(v.text)))
	switch {
	case keyword == "pattern":
		return matches(k.string(), v.text)
	case !ok:
		return unknown // a format, or an encoding
	case keyword == "minLength":
		return isTrue(length.Cmp(n) >= 0)
	default:
		return isTrue(length.Cmp(n) <= 0)
	}
}

// keywordTypes are the types of the values that a keyword is about; those not here are about all.
var keywordTypes = map[string]types{
	"minimum": isNumber, "maximum": isNumber, "exclusiveMinimum": isNumber, "exclusiveMaximum": isNumber, "multipleOf": isNumber,
	"minLength": isString, "maxLength": isString, "pattern": isString, "format": isString,
	"contentEncoding": isString, "contentMediaType": isString, "contentSchema": isString,
	"items": isArray, "prefixItems": isArray, "additionalItems": isArray, "unevaluatedItems": isArray,
	"contains": isArray, "minContains": isArray, "maxContains": isArray,
	"minItems": isArray, "maxItems": isArray, "uniqueItems": isArray,
	"properties": isObject, "patternProperties": isObject, "additionalProperties": isObject, "unevaluatedProperties": isObject,
	"propertyNames": isObject, "required": isObject, "minProperties": isObject, "maxProperties": isObject,
	"dependentRequired": isObject, "dependentSchemas": isObject, "dependencies": isObject,
}

// disjoint reports whether nothing fits both, for certain: some schemas of one side, and one of the other.
func (c *containment) disjoint(w way, d *value, depth int) bool {
	if depth > maxDepth {
		return false
	}
	for _, other := range c.super.ways([]*value{d}) {
		if !c.apart(w, other, depth) {
			return false
		}
	}
	return true
}

func (c *containment) apart(a, b way, depth int) bool {
	both := c.sub.types(a) & c.super.types(b)
	if both == 0 {
		return true
	}
	if values, ok := c.sub.finite(a); ok {
		return !slices.ContainsFunc(values, func(v *value) bool {
			return !slices.ContainsFunc(b, func(d *value) bool { return c.super.fits(v, d, 0) == no })
		})
	}
	if values, ok := c.super.finite(b); ok {
		return !slices.ContainsFunc(values, func(v *value) bool {
			return !slices.ContainsFunc(a, func(d *value) bool { return c.sub.fits(v, d, 0) == no })
		})
	}
	if both != isObject {
		return false
	}
	for _, name := range slices.Concat(a.required(), b.required()) {
		if c.apartAt(a, b, name, depth) {
			return true
		}
	}
	return false
}

// apartAt reports whether two objects that both have the member cannot be the same.
func (c *containment) apartAt(a, b way, name string, depth int) bool {
	theirs := b.property(name)
	if c.super.impossible(theirs) {
		return true
	}
	for _, w := range c.sub.ways(a.property(name)) {
		if !slices.ContainsFunc(theirs, func(d *value) bool { return c.disjoint(w, d, depth+1) }) {
			return false
		}
	}
	return true
}
