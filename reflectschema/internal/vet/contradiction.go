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
	Why:  "whoever checks it refuses every such value",
	Fix:  "correct one of them",
	find: contradicting,
}

func contradicting(s *Subschema, report Report) {
	if s.Value.Get("$ref") != nil && authority.DraftOf(s.document.Root.Get("$schema").Text()) == authority.Draft7 {
		return
	}
	for _, c := range Contradictions(jsondoc.Branch{s.Value}) {
		report(c.Found, c.Greatest)
	}
}

// A Contradiction is a lower bound above the upper bound, so that no value of some type fits.
type Contradiction struct {
	Least, Greatest string // the keywords
	Found           string // the message: no integer meets minimum 3 and maximum 1
}

// Contradictions returns the bounds of numbers, lengths and counts that contradict each other in schemas that apply
// together, at most one pair for each of them.
func Contradictions(b jsondoc.Branch) (found []Contradiction) {
	types := b.Types()
	whole := types&jsondoc.TypeNumber == jsondoc.TypeInteger
	_, low, isLowOut := b.Bound(true, whole)
	_, high, isHighOut := b.Bound(false, whole)
	if types&jsondoc.TypeNumber != 0 && low != nil && high != nil && isAbove(low, high, isLowOut || isHighOut) {
		c := Contradiction{Found: "no number"}
		if whole {
			c.Found = "no integer"
		}
		c.Least, low, _ = b.Bound(true, false)
		c.Greatest, high, _ = b.Bound(false, false)
		c.Found += " meets " + c.Least + " " + show.Clip(show.Rat(low), show.MaxName) + " and " +
			c.Greatest + " " + show.Clip(show.Rat(high), show.MaxName)
		found = append(found, c)
	}
	for _, of := range []struct {
		types      jsondoc.Types
		what, noun string
	}{
		{jsondoc.TypeString, "string", jsondoc.Characters},
		{jsondoc.TypeArray, "array", jsondoc.Items},
		{jsondoc.TypeArray, "array", jsondoc.Matches},
		{jsondoc.TypeObject, "object", jsondoc.Members},
	} {
		least, greatest := jsondoc.LimitsOf(of.noun, true)[0], jsondoc.LimitsOf(of.noun, false)[0]
		low, high := b.With(least.Name), b.With(greatest.Name)
		if types&of.types == 0 || low == nil || high == nil || least.Beside != "" && b.With(least.Beside) == nil {
			continue
		}
		x, isLow := low[0].Number()
		y, isHigh := high[0].Number()
		if isLow && isHigh && isAbove(x, y, false) {
			found = append(found, Contradiction{least.Name, greatest.Name, "no " + of.what + " meets " + least.Name + " " +
				show.Clip(string(low[0].Raw), show.MaxName) + " and " + greatest.Name + " " + show.Clip(string(high[0].Raw), show.MaxName)})
		}
	}
	return found
}

func isAbove(low, high *big.Rat, isExcluded bool) bool {
	order := low.Cmp(high)
	return order > 0 || order == 0 && isExcluded
}
