package jsonquery

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Document is a JSON value with an index of its parts. It is immutable, and safe for concurrent use. A part is
// identified by its node, a number; the whole value is node 0.
type Document struct {
	raw   []byte // in the form of [rawjson.AppendCompact], so that equal strings have equal bytes
	nodes []node // in document order: a container comes before everything inside it
}

// node is a part of a document.
type node struct {
	begin, end uint32 // of the value in raw
	name       uint32 // where the name of a member begins in raw; 0 if it is not a member
	next       int32  // the index after the last node inside it
	count      int32  // the number of members or elements
}

const (
	nodeBytes = 20      // memory of a node
	maxNodes  = 1 << 21 // of a document: 40 MiB
)

var errNodes = errors.New("the result has more than " + strconv.Itoa(maxNodes) + " values; request a smaller part or use narrower arguments")

// New returns the document of a JSON text.
func New(text []byte) (*Document, error) {
	raw, err := rawjson.AppendCompact(make([]byte, 0, len(text)), text)
	if err != nil {
		return nil, err
	}
	const bytesOfNode = 12 // of typical JSON
	d := &Document{raw: raw, nodes: make([]node, 0, min(1+len(raw)/bytesOfNode, maxNodes))}
	s := rawjson.New(raw, 0)
	if d.index(&s, 0); s.Err() != nil {
		return nil, s.Err()
	}
	if len(d.nodes) > maxNodes {
		return nil, errNodes
	}
	d.nodes = slices.Clip(d.nodes)
	return d, nil
}

// index adds the next value of s, and everything inside it. It stops adding after maxNodes.
func (d *Document) index(s *rawjson.Scanner, name int) {
	at, begin := len(d.nodes), s.Offset()
	if at > maxNodes {
		s.Value()
		return
	}
	d.nodes = append(d.nodes, node{})
	count := int32(0)
	switch s.Next() {
	case rawjson.Object:
		s.OpenObject()
		for {
			name := s.Offset()
			if _, more := s.Member(); !more {
				break
			}
			if d.raw[name] == ',' {
				name++
			}
			d.index(s, name)
			count++
		}
	case rawjson.Array:
		s.OpenArray()
		for s.Element() {
			d.index(s, 0)
			count++
		}
	default:
		s.Value()
	}
	d.nodes[at] = node{uint32(begin), uint32(begin + len(s.Since(begin))), uint32(name), int32(len(d.nodes)), count} //nolint:gosec // results have less than 4 GiB
}

// Memory returns the memory of the document in bytes.
func (d *Document) Memory() int { return cap(d.raw) + nodeBytes*cap(d.nodes) }

// JSON returns the value of a node.
func (d *Document) JSON(n int32) []byte { return d.raw[d.nodes[n].begin:d.nodes[n].end] }

// Kind returns the kind of a node.
func (d *Document) Kind(n int32) rawjson.Kind { return rawjson.KindOf(d.raw[d.nodes[n].begin:]) }

func (d *Document) size(n int32) int { return int(d.nodes[n].end - d.nodes[n].begin) }

// Text returns the text of a string.
func (d *Document) Text(n int32) string { return string(rawjson.Unquote(d.JSON(n))) }

// quotedName returns the name of a member as JSON; nil for everything else.
func (d *Document) quotedName(n int32) []byte {
	if d.nodes[n].name == 0 {
		return nil
	}
	return d.raw[d.nodes[n].name : d.nodes[n].begin-1]
}

// name returns the name of a member.
func (d *Document) name(n int32) string { return string(rawjson.Unquote(d.quotedName(n))) }

// children returns an iterator over the members or elements of a node.
func (d *Document) children(n int32) func(yield func(int, int32) bool) {
	return func(yield func(int, int32) bool) {
		for i, child := 0, n+1; child < d.nodes[n].next; i, child = i+1, d.nodes[child].next {
			if !yield(i, child) {
				return
			}
		}
	}
}

// Child returns the member with this name, or the element with this index; -1 if there is none.
func (d *Document) Child(n int32, token string) int32 {
	switch d.Kind(n) {
	case rawjson.Object:
		return d.member(n, rawjson.AppendMinimal(nil, token))
	case rawjson.Array:
		if at, err := strconv.Atoi(token); err == nil && at >= 0 && at < int(d.nodes[n].count) {
			for i, child := range d.children(n) {
				if i == at {
					return child
				}
			}
		}
	default:
	}
	return -1
}

// member returns the member of an object with this name as JSON; -1 if there is none.
func (d *Document) member(n int32, quoted []byte) int32 {
	for child, end := n+1, d.nodes[n].next; child < end; child = d.nodes[child].next {
		if at := d.nodes[child].name; bytes.Equal(d.raw[at:d.nodes[child].begin-1], quoted) {
			return child
		}
	}
	return -1
}

// descend returns the part of a node to which names and indexes lead, or the last part on the way that exists.
func (d *Document) descend(n int32, tokens []string) int32 {
	for _, token := range tokens {
		child := d.Child(n, token)
		if child < 0 {
			break
		}
		n = child
	}
	return n
}

// Path returns the location of a node, in the form that [parsePath] reads.
func (d *Document) Path(n int32) string {
	var tokens []string
	for at := int32(0); at != n; {
		for i, child := range d.children(at) {
			if n >= d.nodes[child].next {
				continue
			}
			if at = child; d.nodes[child].name > 0 {
				tokens = append(tokens, d.name(child))
			} else {
				tokens = append(tokens, strconv.Itoa(i))
			}
			break
		}
	}
	return joinPath(tokens)
}

// joinPath returns the path with these tokens: separated by dots, or a JSON pointer if a name requires that.
func joinPath(tokens []string) string {
	if !slices.ContainsFunc(tokens, func(token string) bool { return token == "" || strings.ContainsAny(token, `.[]*/$~"' `) }) {
		return strings.Join(tokens, ".")
	}
	var p strings.Builder
	for _, token := range tokens {
		p.WriteString("/" + jsondoc.EscapeToken(token))
	}
	return p.String()
}

// parsePath returns the tokens of a path: names and indexes, separated by dots, or a JSON pointer.
func parsePath(path string) []string {
	if strings.HasPrefix(path, "/") {
		return jsondoc.Tokens(path)
	}
	path = strings.TrimPrefix(strings.TrimPrefix(strings.NewReplacer("[", ".", "]", "").Replace(path), "$"), ".")
	if path == "" {
		return nil
	}
	return strings.Split(path, ".")
}

const (
	anyChild = "*"  // all members or elements
	anyDepth = "**" // the value itself and everything inside it
)

// named returns the members with this name, or the elements with this index, of the nodes.
func (d *Document) named(of []int32, token string) (found []int32) {
	for _, n := range of {
		if child := d.Child(n, token); child >= 0 {
			found = append(found, child)
		}
	}
	slices.Sort(found)
	return found
}

// all returns the members and elements of the nodes, and if deep is set also the nodes and everything inside them.
func (d *Document) all(of []int32, deep bool) (found []int32) {
	upTo := int32(0) // all nodes before it were visited
	for _, n := range of {
		if !deep {
			for _, child := range d.children(n) {
				found = append(found, child)
			}
			continue
		}
		for at := max(n, upTo); at < d.nodes[n].next; at++ {
			found = append(found, at)
		}
		upTo = max(upTo, d.nodes[n].next)
	}
	slices.Sort(found)
	return found
}
