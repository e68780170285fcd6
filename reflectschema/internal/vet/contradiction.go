package vet

import (
	"math/big"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// Contradicting finds bounds that no value meets together. In draft-07 it skips schemas with a $ref, whose other keywords
// have no effect.
var Contradicting = &Check{
	Name: "contradiction",
	Why:  "every such value is rejected",
	Fix:  "correct one of them",
	find: contradicting,
}

func contradicting(s *Subschema, report Report) {
	if s.Value.Get("$ref") != nil && authority.DraftOf(s.document.Root.Get("$schema").Text()) == authority.Draft7 {
		return
	}
	for _, c := range Contradictions(s.Value) {
		report(c.Found, c.Keywords[len(c.Keywords)-1])
	}
}

// A Contradiction is a lower bound above the upper bound, or between two multiples together with it, so that no value
// of some type fits.
type Contradiction struct {
	Keywords []string // the lower bound first
	Found    string   // the message: no integer meets minimum 3 and maximum 1
}

// Contradictions returns the bounds of numbers, lengths and counts that contradict each other in schemas that apply
// together, at most one pair for each of them, with the multipleOf that excludes the numbers between them. Bounds are
// also the lengths of a pattern or format, and the number of different items or names. Texts that have a possible length
// and do not match are not compared, nor are schemas in other keywords.
func Contradictions(schemas ...*jsondoc.Value) (found []Contradiction) {
	types := jsondoc.AnyType
	for _, s := range schemas {
		types &= s.AllowedTypes()
	}
	for _, noun := range []string{"", jsondoc.Characters, jsondoc.Items, jsondoc.Matches, jsondoc.Members} {
		lows, highs := bounds(schemas, noun, true), bounds(schemas, noun, false)
		for _, s := range schemas {
			for _, b := range impliedBounds(s, noun) {
				if b.isLeast {
					lows = append(lows, b)
				} else {
					highs = append(highs, b)
				}
			}
		}
		if len(lows) == 0 || len(highs) == 0 {
			continue
		}
		for _, step := range steps(schemas, noun, types) {
			pair := contradiction(lows, highs, step.unit)
			if pair == nil || types&pair[0].About == 0 {
				continue
			}
			if step.Name != "" {
				pair = append(pair, step.bound)
			}
			found = append(found, newContradiction((types & pair[0].About).Names()[0], pair))
			break
		}
	}
	return found
}

func newContradiction(what string, of []bound) (c Contradiction) {
	c.Found = "no " + what + " meets "
	for i, b := range of {
		switch {
		case i == 0:
		case i == len(of)-1:
			c.Found += " and "
		default:
			c.Found += ", "
		}
		c.Found += b.String()
		c.Keywords = append(c.Keywords, b.Name)
	}
	return c
}

// A bound is a keyword that sets one end of a range, with its value.
type bound struct {
	jsondoc.Keyword
	at      *big.Rat
	isLeast bool
	text    string // the value for people; "" if that is at
}

func (b bound) String() string {
	if b.text != "" {
		return b.Name + " " + show.Clip(b.text, show.MaxName)
	}
	return b.Name + " " + show.Clip(show.Rat(b.at), show.MaxName)
}

// nearest returns the multiple of unit that is nearest to the bound, within the range. A unit of nil means any number;
// then it returns the bound, and whether the range excludes it.
func (b bound) nearest(unit *big.Rat) (at *big.Rat, isOut bool) {
	isOpen := b.Limit != nil && b.Limit.Open
	if unit == nil {
		return b.at, isOpen
	}
	round, next := jsondoc.FloorMultiple, (*big.Rat).Sub
	if b.isLeast {
		round, next = jsondoc.CeilMultiple, (*big.Rat).Add
	}
	at = round(b.at, unit)
	if isOpen && at.Cmp(b.at) == 0 {
		at = next(new(big.Rat), at, unit)
	}
	return at, false
}

// bounds returns the bounds at one end of a range.
func bounds(schemas []*jsondoc.Value, noun string, least bool) (found []bound) {
	for _, k := range jsondoc.LimitsOf(noun, least) {
		for _, s := range schemas {
			if n, ok := s.Get(k.Name).Number(); ok && (k.Beside == "" || s.Get(k.Beside) != nil) {
				found = append(found, bound{Keyword: k, at: n, isLeast: least})
			}
		}
	}
	return found
}

// A step is the distance between values in a range: of integers, or of a multipleOf, which is then the bound.
type step struct {
	bound
	unit *big.Rat // nil means that there is none
}

// steps returns the steps to compare bounds with, so that the first contradiction has the fewest keywords.
func steps(schemas []*jsondoc.Value, noun string, types jsondoc.Types) []step {
	list := []step{{}}
	if noun != "" {
		return list
	}
	isWhole := types&jsondoc.TypeNumber == jsondoc.TypeInteger
	if isWhole {
		list = append(list, step{unit: big.NewRat(1, 1)})
	}
	k, _ := jsondoc.KeywordNamed("multipleOf")
	for _, s := range schemas {
		unit, ok := s.Get(k.Name).Number()
		if !ok || unit.Sign() <= 0 {
			continue
		}
		of := bound{Keyword: k, at: unit}
		if isWhole {
			unit = new(big.Rat).SetInt(unit.Num()) // the integers among the multiples of p/q are the multiples of p
		}
		list = append(list, step{of, unit})
	}
	return list
}

// contradiction returns the first pair of bounds that no multiple of unit meets, the lower bound first, or nil. A unit of
// nil means any number.
func contradiction(lows, highs []bound, unit *big.Rat) []bound {
	for _, low := range lows {
		for _, high := range highs {
			least, isLeastOut := low.nearest(unit)
			greatest, isGreatestOut := high.nearest(unit)
			if order := least.Cmp(greatest); order > 0 || order == 0 && (isLeastOut || isGreatestOut) {
				return []bound{low, high}
			}
		}
	}
	return nil
}
