package vet

import (
	"fmt"
	"math"
	"math/big"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

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

// A conjunction is schemas that hold together.
type conjunction struct{ schemacompare.Branch }

// items returns what holds for the elements of an array: how many of the first ones have a schema of their own, those of the
// others, and whether there can be others.
func (c conjunction) items() (heads int, others []*jsondoc.Value, open bool) {
	open = true
	for _, d := range c.Branch {
		first, rest := d.ItemSchemas()
		heads += len(first.Elements())
		if most := d.Get("maxItems"); most != nil && most.Count() <= len(first.Elements()) || rest.RefusesAll() {
			open = false
		} else if rest != nil {
			others = append(others, rest)
		}
	}
	return heads, others, open
}

// unique reports whether no two elements of an array can be alike.
func (c conjunction) unique() bool {
	return slices.ContainsFunc(c.With("uniqueItems"), (*jsondoc.Value).IsTrue) ||
		slices.ContainsFunc(c.With("maxItems"), func(d *jsondoc.Value) bool { return d.Count() <= 1 })
}

// Contradictions finds what no value of one of the types of the schemas can meet, exactly
// for the bounds of numbers, of lengths and of how many items and members there are, as
// well as for the lengths that a format or a pattern implies. What several patterns, or a
// pattern and a format, leave over is not worked out, nor what keywords that hold other
// schemas ask for, but for the number of their values.
func Contradictions(b schemacompare.Branch) (found []Contradiction) {
	c := conjunction{b}
	types := c.Types()
	if types&jsondoc.TypeNumber != 0 {
		found = append(found, c.noNumber(types)...)
	}
	if types&jsondoc.TypeString != 0 {
		found = append(found, c.noLength()...)
	}
	if types&jsondoc.TypeArray != 0 {
		found = append(found, noCount("no array", c.itemLimits())...)
		found = append(found, noCount("no array", c.limits(jsondoc.Matches))...)
	}
	if types&jsondoc.TypeObject != 0 {
		found = append(found, noCount("no object", c.memberLimits())...)
		found = append(found, c.noMember()...)
	}
	return found
}

// noNumber finds a range of numbers without a number in it, or without a multiple.
func (c conjunction) noNumber(types jsondoc.Types) []Contradiction {
	lowKeyword, low, lowOut := c.Bound(true, false)
	highKeyword, high, highOut := c.Bound(false, false)
	if low == nil || high == nil {
		return nil
	}
	made := Contradiction{[]string{lowKeyword, highKeyword}, "no number", []string{show.Rat(low), show.Rat(high)}}
	var unit *big.Rat
	if types&jsondoc.TypeNumber == jsondoc.TypeInteger {
		made.what, unit = "no integer", big.NewRat(1, 1)
	}
	if inRange(low, high, lowOut, highOut, unit) {
		step, ok := firstOf(c.With("multipleOf")).Number()
		if !ok || step.Sign() <= 0 {
			return nil
		}
		made.Keywords, made.values = append(made.Keywords, "multipleOf"), append(made.values, show.Rat(step))
		if unit != nil {
			step = new(big.Rat).SetInt(step.Num()) // of the multiples of p/q, those of p are whole
		}
		if inRange(low, high, lowOut, highOut, step) {
			return nil
		}
	}
	return []Contradiction{made}
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

func firstOf(list []*jsondoc.Value) *jsondoc.Value {
	if len(list) == 0 {
		return nil
	}
	return list[0]
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

// limits returns the limits to how many there are of what a noun names.
func (c conjunction) limits(noun string) (limits []countLimit) {
	for _, k := range slices.Concat(jsondoc.LimitsOf(noun, true), jsondoc.LimitsOf(noun, false)) {
		if k.Beside != "" && len(c.With(k.Beside)) == 0 {
			continue
		}
		given := c.With(k.Name)
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

// formatLengths are how short and how long a text of a format can be, 0 for any length.
var formatLengths = map[string]struct{ least, most int }{
	"date-time": {20, 0}, "date": {10, 10}, "time": {9, 0}, "uuid": {36, 36}, "duration": {3, 0},
	"ipv4": {7, 15}, "ipv6": {2, 45}, "hostname": {1, 253},
}

// noLength finds lengths that no string has.
func (c conjunction) noLength() []Contradiction {
	limits := c.limits(jsondoc.Characters)
	if found := noCount("no string", limits); found != nil {
		return found
	}
	for _, v := range c.With("format") {
		of, known := formatLengths[v.Text()]
		if known {
			limits = append(limits, countLimit{"format", v.Text(), of.least, false})
		}
		if of.most > 0 {
			limits = append(limits, countLimit{"format", v.Text(), of.most, true})
		}
	}
	if found := noCount("no string", limits); found != nil {
		return found
	}
	for _, v := range c.With("pattern") {
		re, err := syntax.Parse(v.Text(), syntax.Perl)
		if err != nil {
			continue
		}
		least, most := patternLengths(re)
		limits := append(c.limits(jsondoc.Characters), countLimit{"pattern", v.Text(), least, false})
		if most >= 0 && isAnchored(re) {
			limits = append(limits, countLimit{"pattern", v.Text(), most, true})
		}
		if found := noCount("no string", limits); found != nil {
			return found
		}
	}
	return nil
}

// itemLimits returns what bounds the number of items of an array.
func (c conjunction) itemLimits() []countLimit {
	isMost := func(l countLimit) bool { return l.most }
	limits := append(c.limits(jsondoc.Items), slices.DeleteFunc(c.limits(jsondoc.Matches), isMost)...)
	heads, rest, open := c.items()
	switch {
	case !open && len(c.With("maxItems")) == 0:
		return append(limits, countLimit{"items", "that end after " + strconv.Itoa(heads), heads, true})
	case heads > 0 || len(rest) != 1 || len(c.With("uniqueItems")) == 0 || !c.unique():
		return limits
	}
	if n, finite := (conjunction{rest}).size(); finite {
		limits = append(limits, countLimit{"uniqueItems", "of " + strconv.Itoa(n) + " values", n, true})
	}
	return limits
}

// maxFinite is the widest range of integers whose values are counted. It bounds no list in
// practice, and the count fits an int of 32 bits.
var maxFinite = big.NewRat(1<<30, 1)

// size returns how many values fit the schemas at most, and whether that is known and not
// more than maxFinite.
func (c conjunction) size() (int, bool) {
	if slices.ContainsFunc(c.Branch, func(d *jsondoc.Value) bool { return d.Get("$ref") != nil || d.Kind != jsontext.KindBeginObject }) {
		return 0, false
	}
	if values := c.Listed(); values != nil {
		seen := map[string]bool{}
		for _, v := range values {
			key := string(v.AppendTo(nil))
			if n, ok := v.Number(); ok {
				key = n.RatString() // 1, 1.0 and 10e-1 are the same
			}
			seen[key] = true
		}
		return len(seen), true
	}
	n := 0
	types := c.Types()
	if types&jsondoc.TypeNull != 0 {
		n++
	}
	if types&jsondoc.TypeBool != 0 {
		n += 2
	}
	switch low, high := firstBound(c, true), firstBound(c, false); {
	case types&(jsondoc.TypeString|jsondoc.TypeArray|jsondoc.TypeObject|jsondoc.TypeFraction) != 0:
		return 0, false
	case types&jsondoc.TypeInteger == 0:
	case low == nil || high == nil:
		return 0, false
	default:
		count := new(big.Rat).Sub(high, low)
		if !count.IsInt() || count.Cmp(maxFinite) > 0 {
			return 0, false
		}
		if count.Sign() >= 0 {
			n += int(count.Num().Int64()) + 1
		}
	}
	return n, true
}

func firstBound(c conjunction, least bool) *big.Rat {
	_, bound, _ := c.Bound(least, c.Types()&jsondoc.TypeNumber == jsondoc.TypeInteger)
	return bound
}

// memberLimits returns what bounds the number of members of an object.
func (c conjunction) memberLimits() []countLimit {
	limits := c.limits(jsondoc.Members)
	required := map[string]bool{}
	for _, name := range c.Required() {
		required[name] = true
	}
	if n := len(required); n > 0 {
		limits = append(limits, countLimit{"required", fmt.Sprintf("of %d names", n), n, false})
	}
	if c.isClosed() {
		n := 0
		for _, refused := range c.membersRefused() {
			if !refused {
				n++
			}
		}
		limits = append(limits, countLimit{"additionalProperties", "false beside " + strconv.Itoa(n) + " properties", n, true})
	}
	for _, names := range c.With("propertyNames") {
		if n, finite := (conjunction{schemacompare.Branch{names}}).size(); finite {
			limits = append(limits, countLimit{"propertyNames", "of " + strconv.Itoa(n) + " names", n, true})
		}
	}
	return limits
}

// isClosed reports whether an object has no members but the properties.
func (c conjunction) isClosed() bool {
	return slices.ContainsFunc(c.With("additionalProperties"), (*jsondoc.Value).RefusesAll) && len(c.With("patternProperties")) == 0
}

// membersRefused returns the names of the properties, and whether a schema refuses every
// value of it.
func (c conjunction) membersRefused() map[string]bool {
	refused := map[string]bool{}
	for _, properties := range c.With("properties") {
		for _, m := range properties.Members {
			refused[m.Name] = refused[m.Name] || m.Value.RefusesAll()
		}
	}
	return refused
}

// noMember finds a required member that is not allowed.
func (c conjunction) noMember() []Contradiction {
	required := c.Required()
	if len(required) == 0 {
		return nil
	}
	properties, closed := c.membersRefused(), c.isClosed()
	for _, name := range required {
		refused, known := properties[name]
		keywords, values := []string{"required"}, []string{show.Quote(name, show.MaxName)}
		switch {
		case !known && closed:
			keywords, values = append(keywords, "additionalProperties"), append(values, "false")
		case refused:
			keywords, values = append(keywords, "properties"), append(values, "that refuses it")
		default:
			continue
		}
		return []Contradiction{{keywords, "no object", values}}
	}
	return nil
}
