package apps

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A view is one document in a frame that has no address: nothing can be loaded relative to it, and nothing at all from
// origins that its policy does not allow. A page that depends on something else stays blank, and only the console of
// the browser shows why. Therefore this file finds what a document loads, without a full HTML parser: it reads tags and
// their attributes, outside of comments and of elements whose content is text.

// load is an address that a document loads while it is parsed.
type load struct {
	tag, attribute, address string
	line                    int
}

// isDocument reports whether data is a whole HTML5 document in UTF-8: only white space and comments precede its doctype.
func isDocument(data []byte) bool {
	if !utf8.Valid(data) {
		return false
	}
	rest := bytes.TrimPrefix(data, []byte("\ufeff"))
	for {
		rest = bytes.TrimLeft(rest, " \t\r\n\f")
		comment, ok := bytes.CutPrefix(rest, []byte("<!--"))
		if !ok {
			break
		}
		_, rest, _ = bytes.Cut(comment, []byte("-->"))
	}
	const doctype = "<!doctype html"
	if len(rest) < len(doctype) || !strings.EqualFold(string(rest[:len(doctype)]), doctype) {
		return false
	}
	end := bytes.TrimLeft(rest[len(doctype):], " \t\r\n\f")
	return len(end) > 0 && end[0] == '>' // HTML5 allows other doctypes only for older pages
}

// loading are the attributes through which elements load something.
var loading = map[string][]string{
	"script": {"src"}, "link": {"href"}, "img": {"src"}, "iframe": {"src"}, "frame": {"src"}, "audio": {"src"}, "video": {"src", "poster"},
	"source": {"src"}, "track": {"src"}, "embed": {"src"}, "object": {"data"}, "input": {"src"}, "base": {"href"},
}

// rawText are the elements whose content is skipped: text that ends with their end tag, and templates, whose addresses
// may be placeholders.
var rawText = map[string]bool{
	"script": true, "style": true, "textarea": true, "title": true, "noscript": true, "iframe": true, "noembed": true, "noframes": true, "xmp": true,
	"template": true,
}

// loads returns the addresses that a document loads.
func loads(data []byte) []load {
	var found []load
	s := scanner{data: data}
	for {
		tag, attributes, ok := s.next()
		if !ok {
			return found
		}
		for _, name := range loading[tag] {
			address, has := attributes[name]
			if tag == "link" && !linkLoads(attributes["rel"]) {
				has = false
			}
			if address = strings.TrimSpace(address); has && address != "" {
				found = append(found, load{tag: tag, attribute: name, address: address, line: s.line()})
			}
		}
		if rawText[tag] {
			s.skipTo(tag)
		}
	}
}

// linkLoads reports whether a link with this rel is loaded by a view; icons and manifests are not loaded in frames.
func linkLoads(rel string) bool {
	for _, word := range strings.Fields(strings.ToLower(rel)) {
		switch word {
		case "stylesheet", "preload", "modulepreload":
			return true
		}
	}
	return false
}

// scanner reads the tags of a document.
type scanner struct {
	data []byte
	at   int // offset of the unread part
	tag  int // offset of the latest tag

	counted, lines int // length of the part of data whose line breaks were counted, and their number
}

// line returns the line of the latest tag, from 1.
func (s *scanner) line() int {
	s.lines += bytes.Count(s.data[s.counted:s.tag], []byte("\n"))
	s.counted = s.tag
	return 1 + s.lines
}

// next returns the name of the next start tag, in lower case, and its attributes.
func (s *scanner) next() (tag string, attributes map[string]string, ok bool) {
	for {
		i := bytes.IndexByte(s.data[s.at:], '<')
		if i < 0 {
			return "", nil, false
		}
		s.tag = s.at + i
		s.at = s.tag + 1
		if rest := s.data[s.at:]; bytes.HasPrefix(rest, []byte("!--")) {
			s.skipComment()
			continue
		}
		if tag = s.word(isNameEnd); tag != "" && isLetter(tag[0]) {
			return strings.ToLower(tag), s.attributes(), true
		}
	}
}

// skipComment skips the comment that begins here, which may also be "<!-->".
func (s *scanner) skipComment() {
	s.at += len("!--")
	for _, empty := range []string{">", "->"} {
		if bytes.HasPrefix(s.data[s.at:], []byte(empty)) {
			s.at += len(empty)
			return
		}
	}
	ends := [][]byte{[]byte("-->"), []byte("--!>")}
	nearest := len(s.data)
	for _, end := range ends {
		if i := bytes.Index(s.data[s.at:], end); i >= 0 {
			nearest = min(nearest, s.at+i+len(end))
		}
	}
	s.at = nearest
}

// skipTo skips to the end tag of an element whose content is text.
func (s *scanner) skipTo(tag string) {
	for {
		i := bytes.Index(s.data[s.at:], []byte("</"))
		if i < 0 {
			s.at = len(s.data)
			return
		}
		s.at += i + len("</")
		if strings.EqualFold(s.word(isNameEnd), tag) {
			return
		}
	}
}

// attributes reads the rest of a tag. If an attribute occurs twice, the first counts, as in browsers.
func (s *scanner) attributes() map[string]string {
	found := map[string]string{}
	for {
		s.skip(func(c byte) bool { return isSpace(c) || c == '/' })
		if s.at >= len(s.data) {
			return found
		}
		if s.data[s.at] == '>' {
			s.at++
			return found
		}
		name := strings.ToLower(s.name())
		value := ""
		s.skip(isSpace)
		if s.at < len(s.data) && s.data[s.at] == '=' {
			s.at++
			s.skip(isSpace)
			value = s.value()
		}
		if _, has := found[name]; !has {
			found[name] = value
		}
	}
}

// name reads the name of an attribute, which has at least one character.
func (s *scanner) name() string {
	begin := s.at
	s.at++ // even if it is "=", which is then a part of the name
	s.skip(func(c byte) bool { return !isSpace(c) && c != '/' && c != '>' && c != '=' })
	return string(s.data[begin:s.at])
}

// value reads the value of an attribute.
func (s *scanner) value() string {
	if s.at >= len(s.data) {
		return ""
	}
	quote := s.data[s.at]
	if quote != '"' && quote != '\'' {
		return s.word(func(c byte) bool { return isSpace(c) || c == '>' })
	}
	s.at++
	value := s.word(func(c byte) bool { return c == quote })
	s.at = min(s.at+1, len(s.data))
	return value
}

// word reads up to a byte for which ends returns true.
func (s *scanner) word(ends func(byte) bool) string {
	begin := s.at
	s.skip(func(c byte) bool { return !ends(c) })
	return string(s.data[begin:s.at])
}

// skip skips bytes for which over returns true.
func (s *scanner) skip(over func(byte) bool) {
	for s.at < len(s.data) && over(s.data[s.at]) {
		s.at++
	}
}

func isSpace(c byte) bool   { return strings.IndexByte(" \t\r\n\f", c) >= 0 }
func isNameEnd(c byte) bool { return isSpace(c) || c == '/' || c == '>' }
func isLetter(c byte) bool  { return 'a' <= c|0x20 && c|0x20 <= 'z' }
