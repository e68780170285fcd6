package mcptool

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/suggest"
)

// headerKeyword marks a property whose argument clients of revision 2026-07-28 also
// send as the HTTP header Mcp-Param-Name, for proxies to route by.
const headerKeyword = "x-mcp-header"

// maxHeaderInteger is 2^53-1: integers up to it are exact in every language, also where all numbers are float64.
var maxHeaderInteger = big.NewRat(1<<53-1, 1)

// headersOf returns the headers of an input schema, and notes mistakes in them.
func headersOf(fs *findings, root *jsondoc.Value) (headers []private.ParamHeader) {
	paths := map[string]string{} // by header, in lower case
	root.EachSchema(nil, func(p jsondoc.Path, schema *jsondoc.Value) bool {
		path := propertyNames(p)
		where := strings.Join(path, ".")
		if path == nil {
			where = p.Pointer()
		}
		note := func(reason, fix string) {
			fs.mistakes = append(fs.mistakes, Mistake{Path: where, Tag: headerKeyword, Reason: reason, Fix: fix})
		}
		for _, m := range schema.Members {
			if m.Name != headerKeyword && strings.HasPrefix(m.Name, "x-mcp-") && suggest.Nearest(m.Name, []string{headerKeyword}) != "" {
				note("unknown keyword "+m.Name, "write "+headerKeyword)
			}
		}
		value := schema.Get(headerKeyword)
		if value == nil {
			return true
		}
		if path == nil {
			note("clients cannot locate the argument of this header",
				"mark only properties that are reachable from the root through properties, not through a list, an alternative or a $ref")
		}
		switch name := value.Text(); {
		case !isToken(name):
			note(fmt.Sprintf("%s is not a header name", shorten(string(value.AppendTo(nil)))), "use letters, digits and -, as in Customer-Id")
		case paths[strings.ToLower(name)] != "":
			note(fmt.Sprintf("%q is also the header of %s; header names are not case-sensitive", name, paths[strings.ToLower(name)]), "use another name")
		default:
			paths[strings.ToLower(name)] = where
			headers = append(headers, private.ParamHeader{Name: name, Path: path})
		}
		switch schema.Get("type").Text() {
		case "string", "boolean":
		case "integer":
			if !hasSafeRange(schema) {
				note("integers in headers must be within ±9007199254740991 (2^53-1), and the schema allows more",
					"use int32, or minimum=-9007199254740991 and maximum=9007199254740991")
			}
		default:
			note("only a string, an integer or a boolean fits in a header", "give the property exactly one of these types")
		}
		return true
	})
	return headers
}

// propertyNames returns the names of the properties that lead from the root to p; nil if anything else does.
func propertyNames(p jsondoc.Path) (names []string) {
	for i, step := range p {
		switch {
		case i%2 == 1:
			names = append(names, step.Name)
		case step.Name != "properties":
			return nil
		}
	}
	return names
}

// hasSafeRange reports whether the schema restricts an integer to the range that is safe in a header.
func hasSafeRange(schema *jsondoc.Value) bool {
	if listed := schema.Listed(); listed != nil {
		return !slices.ContainsFunc(listed, func(value *jsondoc.Value) bool { return !isSafe(value) })
	}
	low := isSafe(schema.Get("minimum")) || isSafe(schema.Get("exclusiveMinimum"))
	high := isSafe(schema.Get("maximum")) || isSafe(schema.Get("exclusiveMaximum"))
	return low && high
}

func isSafe(value *jsondoc.Value) bool {
	n, ok := value.Number()
	return ok && n.Abs(n).Cmp(maxHeaderInteger) <= 0
}

// isToken reports whether s is a token of RFC 9110: 1*tchar.
func isToken(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		isAlnum := r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		return !isAlnum && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}) < 0
}
