package samples

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// texts returns variants of a string.
func (m *variantMaker) texts(d *jsondoc.Value, at jsondoc.Path) (variants []variant) {
	add := func(text, about string) {
		variants = append(variants, m.variant(jsondoc.AppendString(nil, text), at, about))
	}
	if own := stringFor(d); own != nil && d.Get("enum") == nil && d.Get("const") == nil {
		variants = append(variants, m.variant(own, at, "a string that fits"))
	}
	add("", "the empty string")
	add(`"\`+"\n\t", "characters that JSON escapes")
	if pattern := d.Get("pattern"); pattern != nil {
		add("\u00a0", "a string that matches few patterns")
		if text, ok := matching(pattern.Text(), 0); ok {
			add(text+"\n", "a match with a line break appended")
		}
	}
	if format := d.Get("format").Text(); format != "" {
		add("no "+format, "a string that is not a valid "+format)
	}
	for _, size := range sizesIn(d, jsondoc.Characters) {
		if size.count == 0 {
			continue // added above
		}
		add(strings.Repeat("a", size.count), size.about)
		add(strings.Repeat("😀", size.count), size.about+", with characters of two UTF-16 units")
	}
	add("Größe 尺寸 😀 e\u0301", "characters outside ASCII")
	return variants
}

// A size is a number of characters, items or members to try.
type size struct {
	count int
	about string
}

// sizesIn returns the sizes at, just below and just above each limit of d for the noun.
func sizesIn(d *jsondoc.Value, noun string) (list []size) {
	for _, k := range slices.Concat(jsondoc.LimitsOf(noun, true), jsondoc.LimitsOf(noun, false)) {
		limit := d.Get(k.Name)
		if limit == nil {
			continue
		}
		n := limit.Count()
		for _, s := range []size{{n - 1, "just below " + k.Name}, {n, "at " + k.Name}, {n + 1, "just above " + k.Name}} {
			if s.count >= 0 && s.count <= maxSampleSize {
				list = append(list, s)
			}
		}
	}
	return list
}

// numbers returns variants of a number.
func (m *variantMaker) numbers(d *jsondoc.Value, whole bool, at jsondoc.Path) (variants []variant) {
	add := func(text, about string) {
		variants = append(variants, m.variant([]byte(text), at, about))
	}
	var unit *big.Rat
	beside := big.NewRat(1, 2)
	if whole {
		unit, beside = big.NewRat(1, 1), big.NewRat(1, 1)
	}
	if d.Get("enum") == nil && d.Get("const") == nil {
		if own := numberFor(d, unit); own != nil {
			add(string(own), "a number that fits")
		}
	}
	if m, ok := d.Get("multipleOf").Number(); ok {
		add(exact(m), "multipleOf itself")
		add(exact(new(big.Rat).Mul(m, big.NewRat(3, 2))), "one and a half times multipleOf")
		beside = m
	}
	for _, k := range slices.Concat(jsondoc.LimitsOf("", true), jsondoc.LimitsOf("", false)) {
		bound, ok := d.Get(k.Name).Number()
		if !ok {
			continue
		}
		add(exact(new(big.Rat).Sub(bound, beside)), "just below "+k.Name)
		add(exact(bound), "at "+k.Name)
		add(exact(new(big.Rat).Add(bound, beside)), "just above "+k.Name)
	}
	add("0", "zero")
	add("-1", "a negative number")
	add("1.0", "an integer with a zero fraction")
	add("1e2", "an integer with an exponent")
	add("2.5", "a fraction")
	add("9007199254740993", "an integer that float64 cannot represent")
	add("18446744073709551616", "an integer of more than 64 bits")
	return variants
}

// exact returns r in decimal: exactly if it has at most 20 digits after the point, otherwise rounded to 20.
func exact(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	digits, _ := r.FloatPrec()
	return strings.TrimRight(r.FloatString(min(max(digits, 1), 20)), "0")
}

// madeUp returns the i-th name for a member that the schema does not name. If no valid name was found, the name is
// "key" with the number i.
func (m *variantMaker) madeUp(d *jsondoc.Value, r reader, i int) string {
	name, ok := m.madeUpName(d, r, i)
	if !ok {
		return "key" + strconv.Itoa(i)
	}
	return name
}
