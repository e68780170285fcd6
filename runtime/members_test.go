package runtime_test

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// protocol is the table of requests with their results, and of the members of each object with their revisions.
//
//go:embed testdata/protocol.txt
var protocol string

// revisions are all revisions, oldest first.
var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

func revisionIndex(short string) int {
	i := slices.IndexFunc(revisions, func(long string) bool { return strings.HasPrefix(long, "20"+short) })
	if i < 0 {
		panic(fmt.Sprintf("testdata/protocol.txt: unknown revision %q: no revision begins with 20%s", short, short))
	}
	return i
}

// member is one entry of the table.
type member struct {
	first, last int // indices of revisions
	kind        string
}

// memberKinds are the members of each kind of object; results are the results of each method.
var memberKinds, results = parseProtocol(protocol)

// result is the result of a method: its definition in the official schema, and its kind of object.
type result struct{ definition, kind string }

func parseProtocol(text string) (kinds map[string]map[string]member, results map[string]result) {
	kinds, results = map[string]map[string]member{}, map[string]result{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if method, answer, isRequest := strings.Cut(line, "->"); isRequest {
			method, _, _ = strings.Cut(method, "(")
			if names := strings.Fields(answer); names[0] != "-" {
				results[method] = result{names[0], names[len(names)-1]}
			}
			continue
		}
		kinds[words[0]] = map[string]member{}
		for _, word := range words[1:] {
			m := member{0, len(revisions) - 1, ""}
			word, m.kind, _ = strings.Cut(word, "=")
			name, span, limited := strings.Cut(word, "@")
			if limited {
				first, last, closed := strings.Cut(span, "..")
				m.first = revisionIndex(first)
				if closed {
					m.last = revisionIndex(last)
				}
			}
			kinds[words[0]][name] = m
		}
	}
	return kinds, results
}

// checkMembers reports every member of value that the revision does not define.
func checkMembers(path, kind string, value any, revision string) (problems []string) {
	at := slices.Index(revisions, revision)
	if element, isList := strings.CutPrefix(kind, "[]"); isList {
		list, _ := value.([]any)
		for i, item := range list {
			problems = append(problems, checkMembers(fmt.Sprintf("%s[%d]", path, i), element, item, revision)...)
		}
		return problems
	}
	object, ok := value.(map[string]any)
	if !ok {
		return []string{fmt.Sprintf("%s is not a %s: %v", path, kind, value)}
	}
	if element, isMap := strings.CutPrefix(kind, "{}"); isMap {
		for name, item := range object {
			problems = append(problems, checkMembers(path+"."+name, element, item, revision)...)
		}
		return problems
	}
	if method, ok := object["method"].(string); ok && kind == "InputRequest" && object["params"] != nil {
		problems = checkMembers(path+".params", method, object["params"], revision)
	}
	if kind == "Block" {
		kind = fmt.Sprint("Block:", object["type"])
	}
	known, ok := memberKinds[kind]
	if !ok {
		return []string{fmt.Sprintf("%s: no revision has a %s: runtime/testdata/protocol.txt has no line %s member@first..last=Kind …", path, kind, kind)}
	}
	for name, inner := range object {
		m, ok := known[name]
		switch {
		case !ok && strings.HasSuffix(kind, "Meta") && !strings.Contains(name, "modelcontextprotocol"):
			// Custom metadata of a tool.
		case !ok || at < m.first || at > m.last:
			problems = append(problems, fmt.Sprintf("%s.%s: revision %s has no such member in %s, by runtime/testdata/protocol.txt", path, name, revision, kind))
		case m.kind != "":
			problems = append(problems, checkMembers(path+"."+name, m.kind, inner, revision)...)
		}
	}
	return problems
}
