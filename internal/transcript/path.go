package transcript

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A path is the steps from a message to a value: names of members, and elements as [0]. In a pattern, * and [*] are any
// step, and ** any number of them.
type path []string

// isMethod reports whether a pattern is the method of a notification.
func isMethod(pattern string) bool { return strings.HasPrefix(pattern, "notifications/") }

// plain matches names that are written without quotes.
var plain = regexp.MustCompile(`^[^\s.\["]+`)

// parsePath reads a path or a pattern.
func parsePath(text string) (steps path, err error) {
	if isMethod(text) {
		return path{text}, nil
	}
	for rest := text; rest != "" || steps == nil; {
		step := plain.FindString(rest)
		if strings.HasPrefix(rest, "[") {
			quoted, quotes := strconv.QuotedPrefix(rest[1:])
			end := strings.IndexByte(rest, ']')
			if quotes == nil {
				end = 1 + len(quoted)
			}
			if end < 0 || end >= len(rest) || rest[end] != ']' {
				end = 0
			}
			step = rest[:end+min(end, 1)]
		}
		if step == "" {
			return nil, fmt.Errorf(`%.80q is not a path such as result.content[0].text or result["a b"]`, text)
		}
		rest = rest[len(step):]
		if name, unquoted := strconv.Unquote(strings.Trim(step, "[]")); unquoted == nil {
			step = name
		}
		if steps = append(steps, step); strings.HasPrefix(rest, ".") && len(rest) > 1 && rest[1] != '[' {
			rest = rest[1:]
		} else if rest != "" && rest[0] != '[' {
			return nil, fmt.Errorf("%.80q is not a path, because of %.20q", text, rest)
		}
	}
	return steps, nil
}

// String returns the path as text that parsePath reads.
func (p path) String() string {
	var b strings.Builder
	for i, step := range p {
		switch {
		case isElement(step):
			b.WriteString(step)
		case plain.FindString(step) != step || step == "" || strings.IndexFunc(step, isHidden) >= 0:
			b.WriteString("[" + strconv.Quote(step) + "]")
		case i > 0:
			b.WriteString("." + step)
		default:
			b.WriteString(step)
		}
	}
	return b.String()
}

func isElement(step string) bool { return strings.HasPrefix(step, "[") && strings.HasSuffix(step, "]") }

// matches reports whether a pattern matches all steps.
func (p path) matches(steps path) bool {
	for i, want := range p {
		switch {
		case want == "**":
			for from := range len(steps) - i + 1 {
				if p[i+1:].matches(steps[i+from:]) {
					return true
				}
			}
			return false
		case i >= len(steps), want != "*" && want != "[*]" && want != steps[i]:
			return false
		}
	}
	return len(p) == len(steps)
}
