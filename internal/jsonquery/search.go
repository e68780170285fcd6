package jsonquery

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// lineEnd returns the end of the line that begins at an offset, with its line end. A line of more than size bytes counts as
// several.
func lineEnd(text string, at, size int) int {
	end := min(at+size, len(text))
	if i := strings.IndexByte(text[at:end], '\n'); i >= 0 {
		return at + i + 1
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

// lineSize returns the length in bytes from which a line counts as several: always less than an answer.
func (q *query) lineSize() int { return max(q.budget/4, utf8.UTFMax) }

// page returns the answer for a page of the lines of a text.
func (q *query) page(text string) ([]byte, error) {
	lines := 0
	for at := 0; at < len(text); at = lineEnd(text, at, q.lineSize()) {
		lines++
	}
	offset := start(q.in.Offset, lines)
	at := 0
	for range offset {
		at = lineEnd(text, at, q.lineSize())
	}
	var quoted []byte
	next, room := offset, q.budget
	for ; at < len(text) && (q.in.Limit == 0 || next < offset+q.in.Limit); next++ {
		end := lineEnd(text, at, q.lineSize())
		line := rawjson.AppendMinimal(nil, text[at:end])
		if room -= q.sentSize(line); room < 0 {
			if next == offset { // control characters, which are long in JSON
				return nil, fmt.Errorf("line %d does not fit into an answer; read the result as a resource", offset)
			}
			break
		}
		quoted, at = append(quoted, line[1:len(line)-1]...), end
	}
	dst := append(append([]byte(`{"text":"`), quoted...), '"')
	return append(appendCounts(dst, offset, next, lines, "lines"), '}'), nil
}

// appendCounts appends where a page begins and what follows it, and the number of all rows, lines or matches.
func appendCounts(dst []byte, offset, next, count int, name string) []byte {
	if offset > 0 {
		dst = strconv.AppendInt(rawjson.AppendName(dst, "offset"), int64(offset), 10)
	}
	if next < count {
		dst = strconv.AppendInt(rawjson.AppendName(dst, "next"), int64(next), 10)
	}
	return strconv.AppendInt(rawjson.AppendName(dst, name), int64(count), 10)
}

const (
	// maxProgram is the maximum number of instructions of a regular expression. The time of a search is proportional to it.
	maxProgram = 500
	// maxWindow is the number of bytes that are searched at once: the context is checked in between.
	maxWindow = 64 << 10
	// maxMatches is the maximum number of matches. Each takes 16 bytes.
	maxMatches = 1 << 19
)

// matcher returns a func that returns where the first match begins, a negative number if there is none.
func (q *query) matcher() (func(text string) int, error) {
	if !q.in.Regexp {
		return func(text string) int { return strings.Index(text, q.in.Search) }, nil
	}
	parsed, err := syntax.Parse(q.in.Search, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf(`search: %w. Example: "timeout|refused"`, err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	if len(program.Inst) > maxProgram {
		return nil, fmt.Errorf("search: the regular expression is too expensive; use smaller repetitions")
	}
	re, err := regexp.Compile(q.in.Search)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return func(text string) int {
		if at := re.FindStringIndex(text); at != nil {
			return at[0]
		}
		return -1
	}, nil
}

// match is a line that matches.
type match struct {
	node     int32
	line     int32
	from, at uint32 // where the lines before it and the line begin in the text
}

// search returns the answer for the lines that match, of all texts in the nodes.
func (q *query) search(found []int32) ([]byte, error) {
	index, err := q.matcher()
	if err != nil {
		return nil, err
	}
	var all []match
	upTo := int32(0)
	for _, top := range found {
		for n := max(top, upTo); n < q.doc.nodes[top].next; n++ {
			if q.doc.Kind(n) != rawjson.String {
				continue
			}
			if all, err = q.searchText(all, n, index); err != nil {
				return nil, err
			}
		}
		upTo = max(upTo, q.doc.nodes[top].next)
	}
	offset := start(q.in.Offset, len(all))
	isOne := len(found) == 1 && q.doc.Kind(found[0]) == rawjson.String
	dst, next, room := []byte(`{"matches":[`), offset, q.budget
	text, of := "", int32(-1)
	for ; next < len(all) && (q.in.Limit == 0 || next < offset+q.in.Limit); next++ {
		if err := q.ctx.Err(); err != nil { // a path takes time proportional to the texts before this one
			return nil, err
		}
		m := all[next]
		if m.node != of {
			text, of = q.doc.Text(m.node), m.node
		}
		shown := struct {
			Path string `json:"path,omitempty"`
			Line int32  `json:"line"`
			Text string `json:"text"`
		}{Line: m.line, Text: text[m.from:q.linesAfter(text, m)]}
		if !isOne {
			shown.Path = q.doc.Path(m.node)
		}
		raw := encode(shown)
		if room -= q.sentSize(raw); room < 0 {
			if next == offset {
				return nil, fmt.Errorf("the match at offset %d does not fit into an answer; use less context", offset)
			}
			break
		}
		dst = append(rawjson.AppendComma(dst), raw...)
	}
	return append(appendCounts(append(dst, ']'), offset, next, len(all), "matched"), '}'), nil
}

// linesAfter returns the end of the lines after a match that are shown with it.
func (q *query) linesAfter(text string, m match) int {
	end := int(m.at)
	for range q.in.Context + 1 {
		end = lineEnd(text, end, q.lineSize())
	}
	return end
}

// searchText appends the lines of a text that match: those in which a match begins.
func (q *query) searchText(all []match, n int32, index func(string) int) ([]match, error) {
	text := q.doc.Text(n)
	before := []int{0} // where the last lines begin, with the current one
	line := int32(0)
	for at := 0; at < len(text); {
		if err := q.ctx.Err(); err != nil {
			return nil, err
		}
		end := lineEnd(text, at, q.lineSize())
		// A match may end after this part of a long line.
		window := text[at:min(at+maxWindow, len(text))]
		if i := strings.IndexByte(window, '\n'); i >= 0 {
			window = strings.TrimSuffix(window[:i], "\r")
		}
		if found := index(window); found >= 0 && found < end-at {
			if len(all) == maxMatches {
				return nil, fmt.Errorf("search: there are more than %d matches; use a longer text", maxMatches)
			}
			all = append(all, match{n, line, uint32(before[0]), uint32(at)}) //nolint:gosec // results have less than 4 GiB
		}
		if before = append(before, end); len(before) > q.in.Context+1 {
			before = before[1:]
		}
		line++
		at = end
	}
	return all, nil
}
