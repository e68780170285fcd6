package private

// TaggedField is a field with an mcp tag.
type TaggedField struct {
	Tag      string // the value of the tag
	Type     string // Go type of the field
	IsInput  bool   // it is an argument, not part of a result
	IsList   bool   // it is a slice that becomes a JSON array
	MinItems int    // of its jsonschema tag, 0 if absent
	MaxItems int    // of its jsonschema tag, -1 if absent
}

// Shorten cuts lists in value, JSON of one type without white space, until its weight is at most the given one. It returns
// the rest, and what was cut, in the order of the text. Weigh returns the weight of a part of the text; the weight of two
// parts is the sum.
//
// Lists are cut from their ends, all to the same number of elements, the largest with which the whole fits: long lists
// are cut, and lists that have no more elements stay whole. No list is cut below its minItems. If that is not enough,
// fits is false. A Shorten does not know schemas written by hand. It is safe for concurrent use.
type Shorten func(value []byte, most int, weigh func(part []byte) int) (short []byte, cuts []Cut, fits bool)

// Cut describes a list that was cut.
type Cut struct {
	Path  string // where the list is: groups[2].items
	Shown int    // number of elements that are left, the first ones
	Total int    // number of elements before
}
