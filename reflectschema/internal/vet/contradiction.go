package vet

import (
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/schemacompare"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// Contradicting finds keywords that no value meets together.
var Contradicting = &Check{
	Name: "contradiction",
	Why:  "whoever checks it refuses every such value",
	Fix:  "correct one of them",
	find: contradicting,
}

// contradicting is Contradicting.
func contradicting(s *Subschema, report Report) {
	if s.Value.Get("$ref") != nil && authority.DraftOf(s.document.Root.Get("$schema").Text()) == authority.Draft7 {
		return // all but the reference is ignored
	}
	for _, c := range Contradictions(schemacompare.Branch{s.Value}) {
		keyword, _, _ := strings.Cut(c.Keywords[len(c.Keywords)-1], " ")
		report(c.String(), keyword)
	}
}

// A Contradiction is keywords of one schema that no value of a type meets together.
type Contradiction struct {
	Keywords []string
	what     string // no integer, no string, no array, no object
	values   []string
}

// String describes it: no integer meets minimum 3 and maximum 1.
func (c Contradiction) String() string {
	parts := make([]string, len(c.Keywords))
	for i, keyword := range c.Keywords {
		parts[i] = keyword + " " + show.Clip(c.values[i], show.MaxName)
	}
	if last := len(parts) - 1; last > 0 {
		parts = append(parts[:last-1], parts[last-1]+" and "+parts[last])
	}
	return c.what + " meets " + strings.Join(parts, ", ")
}

// Contradictions finds bounds of the schemas together that no number, length or count meets: a least value above the
// greatest one. Other contradictions, such as of a pattern and a length, are not looked for.
func Contradictions(b schemacompare.Branch) (found []Contradiction) {
	types := b.Types()
	if types&jsondoc.TypeNumber != 0 {
		found = append(found, noNumber(b, types)...)
	}
	for _, of := range []struct {
		types jsondoc.Types
		what  string
		nouns []string
	}{
		{jsondoc.TypeString, "no string", []string{jsondoc.Characters}},
		{jsondoc.TypeArray, "no array", []string{jsondoc.Items, jsondoc.Matches}},
		{jsondoc.TypeObject, "no object", []string{jsondoc.Members}},
	} {
		for _, noun := range of.nouns {
			if types&of.types != 0 {
				found = append(found, noCount(of.what, limitsOf(b, noun))...)
			}
		}
	}
	return found
}

// noNumber finds a range of numbers without a number in it.
func noNumber(b schemacompare.Branch, types jsondoc.Types) []Contradiction {
	lowKeyword, low, lowOut := b.Bound(true, false)
	highKeyword, high, highOut := b.Bound(false, false)
	if low == nil || high == nil {
		return nil
	}
	what := "no number"
	var unit *big.Rat
	if types&jsondoc.TypeNumber == jsondoc.TypeInteger {
		what, unit = "no integer", big.NewRat(1, 1)
	}
	if inRange(low, high, lowOut, highOut, unit) {
		return nil
	}
	return []Contradiction{{[]string{lowKeyword, highKeyword}, what, []string{show.Rat(low), show.Rat(high)}}}
}

// inRange reports whether there is a multiple of unit between two bounds; a number, if
// unit is nil.
func inRange(low, high *big.Rat, lowOut, highOut bool, unit *big.Rat) bool {
	first := jsondoc.CeilMultiple(low, unit)
	if lowOut && first.Cmp(low) == 0 {
		if unit == nil {
			return low.Cmp(high) < 0
		}
		first = new(big.Rat).Add(first, unit)
	}
	order := first.Cmp(high)
	return order < 0 || order == 0 && !highOut
}

// A countLimit is a keyword that bounds a number of things.
type countLimit struct {
	keyword, value string
	count          int
	most           bool
}

// noCount finds a lower limit above an upper one: the first pair there is.
func noCount(what string, limits []countLimit) []Contradiction {
	for _, least := range limits {
		for _, most := range limits {
			if !least.most && most.most && least.count > most.count {
				return []Contradiction{{[]string{least.keyword, most.keyword}, what, []string{least.value, most.value}}}
			}
		}
	}
	return nil
}

// limitsOf returns the limits to how many there are of what a noun names.
func limitsOf(b schemacompare.Branch, noun string) (limits []countLimit) {
	for _, k := range slices.Concat(jsondoc.LimitsOf(noun, true), jsondoc.LimitsOf(noun, false)) {
		if k.Beside != "" && len(b.With(k.Beside)) == 0 {
			continue
		}
		given := b.With(k.Name)
		if absent := k.Limit.Absent; given == nil && absent > 0 {
			limits = append(limits, countLimit{k.Beside, "at least once", absent, false})
		}
		for _, v := range given {
			if n, ok := v.Number(); ok && n.IsInt() && n.Num().IsInt64() {
				limits = append(limits, countLimit{k.Name, string(v.Raw), int(min(n.Num().Int64(), math.MaxInt)), !k.Limit.Least})
			}
		}
	}
	return limits
}
