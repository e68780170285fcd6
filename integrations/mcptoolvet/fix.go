package mcptoolvet

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/mcptool-go/mcptool/mcptool"
)

// A tagLiteral is the literal of a struct tag with a mistake in it.
type tagLiteral struct {
	*ast.BasicLit
	mcptool.Mistake
}

// find returns where the literal contains the wrong part of the tag; false if it is written with escapes, or has the
// part more than once.
func (l tagLiteral) find() (start, end int, ok bool) {
	if l.Tag == "" || !strings.HasPrefix(l.Value, "`") {
		return 0, 0, false
	}
	for at := 0; ; {
		i := strings.Index(l.Value[at:], l.Tag)
		if i < 0 {
			return start, end, ok
		}
		at += i + 1
		if strings.ContainsRune("`\", ", rune(l.Value[at-2])) && strings.ContainsRune("`\", ", rune(l.Value[at-1+len(l.Tag)])) {
			if ok {
				return 0, 0, false
			}
			start, end, ok = at-1, at-1+len(l.Tag), true
		}
	}
}

// position returns the part of the literal to report: all of it if the wrong part is not found.
func (l tagLiteral) position() (pos, end token.Pos) {
	first, last, ok := l.find()
	if !ok {
		return l.Pos(), l.End()
	}
	return l.Pos() + token.Pos(first), l.Pos() + token.Pos(last)
}

// The mistakes that have a suggested fix, by the form of their reasons and fixes.
var (
	wrongName = regexp.MustCompile(`^(?:unknown (?:key|keyword|tag key) "([^"]+)"|(\w+) is for )`)
	writeName = regexp.MustCompile(`^write (\w+)$`)
	writePair = regexp.MustCompile(`^write ((?:jsonschema|doc):"[^\\]*")$`)
)

// fixes returns the suggested fix, none if the fix needs a decision.
func (l tagLiteral) fixes() []analysis.SuggestedFix {
	start, end, ok := l.find()
	if !ok {
		return nil
	}
	text := ""
	wrong, name, pair := wrongName.FindStringSubmatch(l.Reason), writeName.FindStringSubmatch(l.Fix), writePair.FindStringSubmatch(l.Fix)
	switch {
	case wrong != nil && name != nil:
		before, after, found := strings.Cut(l.Tag, wrong[1]+wrong[2])
		if !found || before != "" && before != `mcp:"` && !strings.HasSuffix(before, ",") {
			return nil
		}
		text = before + name[1] + after
	case pair != nil && !strings.Contains(l.Value, pair[1][:strings.Index(pair[1], ":")+1]):
		text = pair[1]
	case l.Fix == "use omitzero":
		text = strings.Replace(l.Tag, "omitempty", "omitzero", 1)
	case l.Fix == "drop it" && l.Value[end] == ',':
		end++
	case l.Fix == "drop it" && l.Value[start-1] == ',':
		start--
	default:
		return nil
	}
	return []analysis.SuggestedFix{{Message: strings.ToUpper(l.Fix[:1]) + l.Fix[1:], TextEdits: []analysis.TextEdit{{
		Pos: l.Pos() + token.Pos(start), End: l.Pos() + token.Pos(end), NewText: []byte(text),
	}}}}
}
