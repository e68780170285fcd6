package walk

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// shorten is a [private.Shorten]. It reads the value twice: first to find the level, the number of elements to which all
// lists are cut, and then to copy the text that remains.
func (l *lists) shorten(value []byte, most int, weigh func(part []byte) int) (short []byte, cuts []private.Cut, fits bool) {
	var weights []int // of the text that remains from each level on, and not below
	s := shortening{raw: value, level: -1}
	s.read(l, func(text []byte) {
		weights = append(weights, make([]int, max(0, s.from+1-len(weights)))...)
		weights[s.from] += weigh(text)
	})
	if s.scan.Err() != nil {
		return nil, nil, false
	}
	level := -1
	for level+1 < len(weights) && weights[level+1] <= most {
		level++
		most -= weights[level]
	}
	if level < 0 {
		return nil, nil, false
	}
	s = shortening{raw: value, level: level}
	s.read(l, func(text []byte) {
		if s.from <= level {
			short = append(short, text...)
		}
	})
	return short, s.cuts, true
}

// A shortening reads a value with lists that may be cut.
type shortening struct {
	raw   []byte
	level int // the number of elements to which lists are cut, -1 if it is not known yet
	visit func(text []byte)

	scan rawjson.Scanner
	mark int          // the offset up to which the text was visited
	at   jsondoc.Path // of the current value
	from int          // the level from which on the current text remains
	cuts []private.Cut
}

// read reads the whole value, and calls visit for each part of the text.
func (s *shortening) read(l *lists, visit func(text []byte)) {
	s.scan.Reset(s.raw, 0)
	s.visit = visit
	s.value(l)
	s.flush()
}

// flush visits the text since the last call.
func (s *shortening) flush() {
	end := s.scan.Offset()
	s.visit(s.raw[s.mark:end])
	s.mark = end
}

// value reads the next value.
func (s *shortening) value(l *lists) {
	switch kind := s.scan.Next(); {
	case l == nil || kind != rawjson.Array && kind != rawjson.Object:
		s.scan.Value()
	case kind == rawjson.Object:
		s.object(l)
	default:
		s.array(l)
	}
}

// object is value for an object.
func (s *shortening) object(l *lists) {
	if l.arms != nil {
		l = s.arm(l)
	}
	if l == nil {
		s.scan.Value()
		return
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

// arm returns the lists of the member of a union that the next object is.
func (s *shortening) arm(union *lists) *lists {
	ahead := s.scan
	ahead.OpenObject()
	for name, ok := ahead.Member(); ok; name, ok = ahead.Member() {
		isDiscriminator := string(name) == union.discriminator
		if value := ahead.Value(); isDiscriminator && rawjson.KindOf(value) == rawjson.String {
			return union.arms[string(rawjson.Unquote(value))]
		}
	}
	return nil
}

// array is value for an array.
func (s *shortening) array(l *lists) {
	s.scan.OpenArray()
	if l.list != nil {
		s.list(l)
		return
	}
	for i := 0; s.scan.Element(); i++ {
		s.element(l, i)
	}
}

// element is value for an element of an array.
func (s *shortening) element(array *lists, i int) {
	s.at = s.at.Element(i)
	s.value(array.others)
	s.at = s.at[:len(s.at)-1]
}

// list reads the elements of a list that may be cut. The text of an element, with the comma before it, remains from the level
// on that is its number.
func (s *shortening) list(l *lists) {
	from, first, total := s.from, len(s.cuts), 0
	s.flush()
	for ; s.scan.Element(); total++ {
		if total >= l.least {
			s.from = max(from, total+1)
		}
		s.element(l.list, total)
		s.flush()
	}
	s.from = from
	if shown := max(s.level, l.least); total > shown && from <= s.level {
		s.cuts = slices.Insert(s.cuts, first, private.Cut{Path: show.Path(s.at), Shown: shown, Total: total})
	}
}
