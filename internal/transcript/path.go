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

// plain matches names that are written without quotes, and stepText a step of a path, with the dot before such a name.
var (
	plain    = regexp.MustCompile(`^[^\s.\["]+`)
	stepText = regexp.MustCompile(`^(?:\.([^\s.\["]+)|(\[[^\]"]+\])|\[("(?:[^"\\]|\\.)*")\])`)
)

// parsePath reads a path or a pattern.
func parsePath(text string) (steps path, err error) {
	if isMethod(text) {
		return path{text}, nil
	}
	rest := text
	if !strings.HasPrefix(text, "[") {
		rest = "." + text
	}
	for rest != "" {
		found, step := stepText.FindStringSubmatch(rest), ""
		if found != nil {
			step = found[1] + found[2]
			if found[3] != "" {
				step, err = strconv.Unquote(found[3])
			}
		}
		if found == nil || err != nil {
			return nil, fmt.Errorf(`%.80q is not a path such as result.content[0].text or result["a b"], because of %.20q`, text, rest)
		}
		steps, rest = append(steps, step), rest[len(found[0]):]
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

// matches reports whether a pattern matches all steps. It is the usual matching of globs: only the last ** so far has to take
// more steps when the rest does not match.
func (p path) matches(steps path) bool {
	many, taken := -1, 0 // the index of the last **, and how many steps are matched up to it
	for at, i := 0, 0; i < len(steps) || at < len(p); {
		switch {
		case at < len(p) && p[at] == "**":
			many, taken = at, i
			at++
		case at < len(p) && i < len(steps) && (p[at] == "*" || p[at] == "[*]" || p[at] == steps[i]):
			at++
			i++
		case many >= 0 && taken < len(steps):
			taken++
			at, i = many+1, taken
		default:
			return false
		}
	}
	return true
}
