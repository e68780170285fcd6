package jsonquery

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Cut is a list, a map or a text of which only the beginning is shown.
type Cut struct {
	Path  string `json:"path"`
	Shown int    `json:"shown"`
	Total int    `json:"total"`
	Unit  string `json:"unit"` // elements, members or bytes

	// Node is its index in the document.
	Node int32 `json:"-"`
}

// cutter makes a value smaller. It keeps all values that the schema lists by name, and removes from the ends of lists, maps and
// long texts; what is inside it shortens as well if nothing else helps.
type cutter struct {
	doc    *Document
	schema Schema
	least  map[int32]int // the number of elements, members or bytes to keep, by node
	cuts   []Cut
}

const (
	// shortText is the size up to which a text is never cut, in bytes of JSON.
	shortText = 120
	// mapMembers is the maximum number of members of an object that is not a map, if it has no schema.
	mapMembers = 32
)

// Cut returns the value of a node with at most size bytes that fits the schema, and what was removed from it; false if that is
// not possible.
func (d *Document) Cut(n int32, schema Schema, size int) (value []byte, cuts []Cut, ok bool) {
	schema.patterns = map[string]*regexp.Regexp{}
	c := cutter{doc: d, schema: schema, least: map[int32]int{}}
	const rounds = 32 // each doubles at least one minimum
	for range rounds {
		c.cuts = nil
		value = c.append(nil, n, schema.whole(), size)
		if len(value) > size {
			return nil, nil, false
		}
		var violations []string
		if schema.Check != nil {
			violations = schema.Check(value)
		}
		if len(violations) == 0 {
			return value, c.cuts, true
		}
		for _, pointer := range violations {
			c.keepMore(n, pointer)
		}
	}
	return nil, nil, false
}

// keepMore raises the minimums of the parts whose cut may have caused a violation at a location: the part there or parts inside
// it, and otherwise the parts around it.
func (c *cutter) keepMore(root int32, pointer string) {
	at := c.doc.descend(root, jsondoc.Tokens(pointer))
	raise := func(applies func(Cut) bool) (raised bool) {
		for _, made := range c.cuts {
			if !applies(made) {
				continue
			}
			raised = true
			if c.least[made.Node] = max(2*made.Shown, 1); made.Unit == unitBytes {
				c.least[made.Node] = made.Total
			}
		}
		return raised
	}
	nodes := c.doc.nodes
	if !raise(func(made Cut) bool { return made.Node == at }) && !raise(func(made Cut) bool { return made.Node > at && made.Node < nodes[at].next }) {
		raise(func(made Cut) bool { return made.Node < at && at < nodes[made.Node].next })
		c.least[at] = max(c.least[at], 1) // a member that the schema requires
	}
}

// append appends the value of a node, with at most room bytes if possible.
func (c *cutter) append(dst []byte, n int32, of schemas, room int) []byte {
	switch kind := c.doc.Kind(n); {
	case c.doc.size(n) <= room:
	case kind == rawjson.Array:
		return c.appendList(dst, n, of, room)
	case kind == rawjson.Object:
		return c.appendObject(dst, n, of, room)
	case kind == rawjson.String:
		return c.appendText(dst, n, of, room)
	}
	return append(dst, c.doc.JSON(n)...)
}

// appendList appends the first elements of a list.
func (c *cutter) appendList(dst []byte, n int32, of schemas, room int) []byte {
	dst, room = append(dst, '['), room-len("[]")
	shown, least := 0, c.least[n]
	for i, child := range c.doc.children(n) {
		if i >= max(least, 1) && c.doc.size(child)+1 > room {
			break
		}
		begin, cuts := len(dst), len(c.cuts)
		dst = c.append(rawjson.AppendComma(dst), child, c.schema.element(of, i), room/max(least-i, 1)-1)
		if room -= len(dst) - begin; room < 0 && i >= least {
			dst, c.cuts = dst[:begin], c.cuts[:cuts]
			break
		}
		shown++
	}
	c.add(n, shown, int(c.doc.nodes[n].count), unitElements)
	return append(dst, ']')
}

// member is a member of an object that is cut.
type member struct {
	node     int32
	schemas  schemas
	overhead int  // bytes besides the value
	stays    bool // it is not removed
	room     int
}

// members returns the members of an object that stay or may fit into room, and the number of the others.
func (c *cutter) members(n int32, of schemas, room int) (all []member, removed int) {
	isMap, least := of.isMap() || c.schema.Open || c.doc.nodes[n].count > mapMembers, c.least[n]
	size := 0 // of the members that do not stay
	for _, child := range c.doc.children(n) {
		in, isListed := c.schema.member(of, c.doc.name(child))
		m := member{node: child, schemas: in, overhead: len(c.doc.quotedName(child)) + len(":,"), stays: isListed || !isMap || c.least[child] > 0}
		if !m.stays && least > 0 {
			m.stays, least = true, least-1
		}
		if !m.stays {
			if removed > 0 || size > 0 && size+m.overhead+c.doc.size(child) > room {
				removed++
				continue
			}
			size += m.overhead + c.doc.size(child)
		}
		all = append(all, m)
	}
	return all, removed
}

// appendObject appends all members of an object that the schema lists, and the first ones of a map.
func (c *cutter) appendObject(dst []byte, n int32, of schemas, room int) []byte {
	room -= len("{}")
	all, removed := c.members(n, of, room)
	var staying []*member
	for i := range all {
		if m := &all[i]; m.stays {
			staying, room = append(staying, m), room-m.overhead
		}
	}
	slices.SortStableFunc(staying, func(a, b *member) int { return c.doc.size(a.node) - c.doc.size(b.node) })
	for i, m := range staying { // the small ones are whole, the others get equal shares
		m.room = min(c.doc.size(m.node), max(room, 0)/(len(staying)-i))
		room -= m.room
	}
	dst = append(dst, '{')
	left := 0
	for i, m := range all {
		begin, cuts := len(dst), len(c.cuts)
		if !m.stays {
			m.room = min(c.doc.size(m.node), room-m.overhead)
			if left > 0 || i > 0 && m.room < c.doc.size(m.node) { // after the first one, only what is whole
				left++
				continue
			}
		}
		dst = append(append(rawjson.AppendComma(dst), c.doc.quotedName(m.node)...), ':')
		dst = c.append(dst, m.node, m.schemas, m.room)
		if m.stays {
			continue
		}
		if room -= len(dst) - begin; room < 0 {
			dst, c.cuts, left = dst[:begin], c.cuts[:cuts], left+1
		}
	}
	c.add(n, len(all)-left, len(all)+removed, unitMembers)
	return append(dst, '}')
}

// appendText appends the beginning of a text, if possible up to the end of a line.
func (c *cutter) appendText(dst []byte, n int32, of schemas, room int) []byte {
	whole := c.doc.JSON(n)
	if len(whole) <= shortText || of.fixesText() || c.least[n] > 0 {
		return append(dst, whole...)
	}
	text := c.doc.Text(n)
	short := beginning(text, max(room, shortText)-len(`""`))
	c.add(n, len(short), len(text), unitBytes)
	return rawjson.AppendMinimal(dst, short)
}

// beginning returns the beginning of a text whose JSON, without quotes, has at most size bytes: up to the end of a line, or
// if that leaves less than a half, up to a space or any character.
func beginning(text string, size int) string {
	end := 0
	for end < len(text) {
		_, width := utf8.DecodeRuneInString(text[end:])
		if c := text[end]; c == '"' || c == '\\' {
			size--
		} else if c < ' ' {
			size -= len(`\u0000`) - 1
		}
		if size -= width; size < 0 {
			break
		}
		end += width
	}
	if end == len(text) {
		return text
	}
	for _, separator := range []string{"\n", " "} {
		if at := strings.LastIndex(text[:end], separator); at >= end/2 {
			return text[:at+1]
		}
	}
	return text[:end]
}

// Units of a [Cut].
const (
	unitElements = "elements"
	unitMembers  = "members"
	unitBytes    = "bytes"
)

// add records a cut, unless everything is shown.
func (c *cutter) add(n int32, shown, total int, unit string) {
	if shown < total {
		c.cuts = append(c.cuts, Cut{c.doc.Path(n), shown, total, unit, n})
	}
}
