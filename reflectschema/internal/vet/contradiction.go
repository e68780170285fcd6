package vet

import (
	"math/big"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// Contradicting finds lower bounds above upper bounds. In draft-07 it skips schemas with a $ref, whose other keywords
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
		report(c.Found, c.Greatest)
	}
}

// A Contradiction is a lower bound above the upper bound, so that no value of some type fits.
type Contradiction struct {
	Least, Greatest string // the keywords
	Found           string // the message: no integer meets minimum 3 and maximum 1
}

// Contradictions returns the bounds of numbers, lengths and counts that contradict each other in schemas that apply
// together, at most one pair for each of them. It does not find integers bounded between two neighbors.
func Contradictions(schemas ...*jsondoc.Value) (found []Contradiction) {
	types := jsondoc.AnyType
	for _, s := range schemas {
		types &= s.AllowedTypes()
	}
	for _, noun := range []string{"", jsondoc.Characters, jsondoc.Items, jsondoc.Matches, jsondoc.Members} {
		low, high := contradiction(bounds(schemas, noun, true), bounds(schemas, noun, false))
		if refused := types & low.About; refused != 0 {
			found = append(found, Contradiction{low.Name, high.Name, "no " + refused.Names()[0] + " meets " + low.String() + " and " + high.String()})
		}
	}
	return found
}

// A bound is a keyword that sets one end of a range, with its value.
type bound struct {
	jsondoc.Keyword
	at *big.Rat
}

func (b bound) String() string { return b.Name + " " + show.Clip(show.Rat(b.at), show.MaxName) }

// bounds returns the bounds at one end of a range.
func bounds(schemas []*jsondoc.Value, noun string, least bool) (found []bound) {
	for _, k := range jsondoc.LimitsOf(noun, least) {
		for _, s := range schemas {
			if n, ok := s.Get(k.Name).Number(); ok && (k.Beside == "" || s.Get(k.Beside) != nil) {
				found = append(found, bound{k, n})
			}
		}
	}
	return found
}

// contradiction returns the first pair of bounds that no number meets, or the zero value.
func contradiction(lows, highs []bound) (low, high bound) {
	for _, low := range lows {
		for _, high := range highs {
			if order := low.at.Cmp(high.at); order > 0 || order == 0 && (low.Limit.Open || high.Limit.Open) {
				return low, high
			}
		}
	}
	return bound{}, bound{}
}
