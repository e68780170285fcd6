package walk

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// shorten is a [private.Shorten].
func (l *lists) shorten(value []byte, most int, weigh func(part []byte) int) (short []byte, cuts []private.Cut, fits bool) {
	s := shortening{raw: value, scan: rawjson.New(value, 0), most: most, weigh: weigh, comma: weigh([]byte{','})}
	whole := s.text(l, nil)
	if s.scan.Err() != nil || whole.weight(0, most) > most {
		return nil, nil, false
	}
	low, high := 0, most // low always fits
	for low < high {
		if middle := low + (high-low+1)/2; whole.weight(middle, most) <= most {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return whole.append(nil, low), whole.cuts(nil, low), true
}

// A cuttable is JSON text that alternates with lists that may be cut: text, list, text.
type cuttable []piece

// A piece is text and the list after it, if there is one.
type piece struct {
	text   []byte // up to and including the opening bracket of the list
	weight int
	list   *cutList
}

// A cutList is a list that may be cut, without its brackets.
type cutList struct {
	at     jsondoc.Path // relative to the element of in
	in     *cutList     // the list that contains this one, nil if none
	index  int          // of the element of in
	least  int
	total  int
	comma  int        // the weight of a comma
	text   []byte     // the elements
	ends   []int      // the end of each element in text; only of those that can fit
	heavy  []int      // the weight up to each of ends
	within []cuttable // the elements, if they contain lists
}

// A shortening splits a value into pieces.
type shortening struct {
	raw   []byte
	scan  rawjson.Scanner
	most  int
	weigh func([]byte) int
	comma int

	// The element or value that is being split.
	pieces cuttable
	mark   int // the offset up to which the text is in pieces
	at     jsondoc.Path
	in     *cutList
	index  int
}

// text splits the next value, an element of in.
func (s *shortening) text(l *lists, in *cutList) cuttable {
	outer := *s
	s.pieces, s.at, s.in, s.mark = nil, nil, in, s.scan.Offset()
	if in != nil {
		s.index = in.total
	}
	start := s.mark
	s.value(l)
	s.flush(start+len(s.scan.Since(start)), nil)
	made := s.pieces
	s.pieces, s.at, s.in, s.mark, s.index = outer.pieces, outer.at, outer.in, outer.mark, outer.index
	return made
}

// flush ends a piece of text, before list.
func (s *shortening) flush(end int, list *cutList) {
	text := s.raw[s.mark:max(end, s.mark)]
	s.pieces = append(s.pieces, piece{text: text, weight: s.weigh(text), list: list})
	s.mark = end
}

// value finds the lists in the next value.
func (s *shortening) value(l *lists) {
	kind := s.scan.Next()
	switch {
	case l == nil || kind != rawjson.Array && kind != rawjson.Object:
		s.scan.Value()
	case kind == rawjson.Object:
		s.object(l)
	case l.isList:
		s.list(l)
	default:
		s.scan.OpenArray()
		for i := 0; s.scan.Element(); i++ {
			s.at = s.at.Element(i)
			s.value(l.others)
			s.at = s.at[:len(s.at)-1]
		}
	}
}

// object is value for an object.
func (s *shortening) object(l *lists) {
	if l.arms != nil {
		l = l.arms[s.discriminator(l.discriminator)]
		if l == nil {
			s.scan.Value()
			return
		}
	}
	s.scan.OpenObject()
	for name, ok := s.scan.Member(); ok; name, ok = s.scan.Member() {
		below := l.others
		if l.members != nil {
			below = l.members[string(name)]
		}
		if below == nil {
			s.scan.Value()
			continue
		}
		s.at = s.at.Member(string(name))
		s.value(below)
		s.at = s.at[:len(s.at)-1]
	}
}

// discriminator returns the value of a member of the next object, if it is a string.
func (s *shortening) discriminator(name string) (value string) {
	ahead := s.scan
	ahead.OpenObject()
	for found, ok := ahead.Member(); ok; found, ok = ahead.Member() {
		member := ahead.Value()
		if string(found) == name && rawjson.KindOf(member) == rawjson.String {
			return string(rawjson.Unquote(member))
		}
	}
	return ""
}

// list is value for a list that may be cut.
func (s *shortening) list(l *lists) {
	start := s.scan.Offset()
	made := &cutList{at: slices.Clone(s.at), in: s.in, index: s.index, least: l.least, comma: s.comma}
	s.flush(start+1, made)
	weight, floor := 0, 0
	s.scan.OpenArray()
	for s.scan.Element() {
		if made.total > 0 {
			weight, floor = weight+s.comma, floor+s.comma
		}
		switch {
		case floor > s.most: // this element cannot fit
			s.scan.Value()
		case l.others != nil:
			element := s.text(l.others, made)
			floor += element.weight(0, s.most)
			made.within = append(made.within, element)
		default:
			element := s.scan.Offset()
			text := s.scan.Value()
			weight += s.weigh(text)
			floor = weight
			made.ends = append(made.ends, element+len(text)-start-1)
			made.heavy = append(made.heavy, weight)
		}
		made.total++
	}
	whole := s.scan.Since(start)
	if len(whole) == 0 {
		return // the scanner keeps the error
	}
	made.text = whole[1 : len(whole)-1]
	s.mark = start + len(whole) - 1
}

// weight returns the weight of the text if each list is cut to level elements. A result above most may be inexact.
func (c cuttable) weight(level, most int) (sum int) {
	for _, p := range c {
		sum += p.weight
		if p.list != nil {
			sum += p.list.weight(level, most)
		}
		if sum > most {
			break
		}
	}
	return sum
}

// keep returns how many elements remain if the list is cut to level elements.
func (l *cutList) keep(level int) int { return min(max(level, l.least), l.total) }

// weight returns the weight of the list if each list is cut to level elements.
func (l *cutList) weight(level, most int) (sum int) {
	n := l.keep(level)
	switch {
	case n > max(len(l.heavy), len(l.within)):
		return most + 1
	case n == 0:
		return 0
	case l.within == nil:
		return l.heavy[n-1]
	}
	sum = (n - 1) * l.comma
	for _, element := range l.within[:n] {
		if sum += element.weight(level, most); sum > most {
			break
		}
	}
	return sum
}

// append appends the text with each list cut to level elements.
func (c cuttable) append(dst []byte, level int) []byte {
	for _, p := range c {
		dst = append(dst, p.text...)
		if p.list == nil {
			continue
		}
		n := p.list.keep(level)
		if n > 0 && p.list.within == nil {
			dst = append(dst, p.list.text[:p.list.ends[n-1]]...)
		}
		for i, element := range p.list.within[:min(n, len(p.list.within))] {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = element.append(dst, level)
		}
	}
	return dst
}

// cuts appends the lists that lose elements if each list is cut to level elements.
func (c cuttable) cuts(known []private.Cut, level int) []private.Cut {
	for _, p := range c {
		if p.list == nil {
			continue
		}
		n := p.list.keep(level)
		if n < p.list.total {
			known = append(known, private.Cut{Path: show.Path(p.list.path()), Shown: n, Total: p.list.total})
		}
		for _, element := range p.list.within[:min(n, len(p.list.within))] {
			known = element.cuts(known, level)
		}
	}
	return known
}

// path returns the location of the list in the whole value.
func (l *cutList) path() jsondoc.Path {
	if l.in == nil {
		return l.at
	}
	return slices.Concat(l.in.path(), jsondoc.Path{{Index: l.index}}, l.at)
}
