package mcptool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// headerKeyword marks a property whose argument clients of revision 2026-07-28 also
// send as the HTTP header Mcp-Param-Name, for proxies to route by.
const headerKeyword = "x-mcp-header"

// maxHeaderInteger is 2^53-1: integers up to it are exact in every language, also where all numbers are float64.
const maxHeaderInteger = 1<<53 - 1

// headerCheck checks every x-mcp-header in one input schema.
type headerCheck struct {
	fs    findings
	seen  map[string]string // lower-cased header -> path
	path  []string          // names of the properties around the current schema
	found []private.ParamHeader
}

// checkHeaders finds the headers of an input schema, and notes mistakes in their names.
func (d *definition) checkHeaders(schema *reflectschema.Schema) {
	root, err := schemaWithHeaders(schema)
	if err != nil {
		d.mistake("the input schema cannot be read back: "+err.Error(), "")
		return
	}
	if root == nil {
		return
	}
	check := headerCheck{seen: make(map[string]string)}
	check.schema(root, true, false)
	d.headers = check.found
	for _, f := range check.fs.list {
		d.mistakes = append(d.mistakes, Mistake{Path: f.path, Tag: headerKeyword, Reason: f.reason, Fix: f.fix})
	}
}

// schemaWithHeaders returns the schema as maps, which keep the exact names of its keywords; nil if the schema cannot
// contain a header.
func schemaWithHeaders(schema *reflectschema.Schema) (root map[string]any, err error) {
	raw := schema.JSON()
	if !bytes.Contains(raw, []byte(`"x-mcp-`)) && !bytes.Contains(raw, []byte(`\u`)) { // it may have escapes
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	err = decoder.Decode(&root)
	return root, err
}

// schema checks one schema and those within it. It is static if it is reached from the root through properties alone;
// isProperty is false for the root itself.
func (h *headerCheck) schema(schema map[string]any, static, isProperty bool) {
	if name, ok := schema[headerKeyword]; ok {
		h.header(schema, name, static && isProperty)
	}
	for _, name := range slices.Sorted(maps.Keys(schema)) {
		if name != headerKeyword && strings.HasPrefix(name, "x-mcp-") && suggest.Nearest(name, []string{headerKeyword}) != "" {
			h.fs.add("", "unknown keyword "+name, "write "+headerKeyword)
		}
	}
	h.each("properties", schema["properties"], static)
	for _, keyword := range slices.Sorted(maps.Keys(schema)) {
		switch held := schema[keyword]; jsondoc.HeldBy(keyword) {
		case jsondoc.HoldsNamed:
			if keyword != "properties" {
				h.each(keyword, held, false)
			}
		case jsondoc.HoldsOne:
			h.held(keyword, held)
		}
	}
}

// held checks the schema, or the list of schemas, that is the value of a keyword.
func (h *headerCheck) held(keyword string, value any) {
	switch value := value.(type) {
	case map[string]any:
		h.fs.within(keyword, func() { h.schema(value, false, false) })
	case []any:
		for i, item := range value {
			if sub, ok := item.(map[string]any); ok {
				h.fs.within(keyword+"["+strconv.Itoa(i)+"]", func() { h.schema(sub, false, false) })
			}
		}
	}
}

// each checks the values of a map, which are schemas. The path of a property is its name, as in other mistakes; other
// paths also have the keyword.
func (h *headerCheck) each(keyword string, value any, static bool) {
	subs, _ := value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(subs)) {
		sub, ok := subs[name].(map[string]any)
		if !ok {
			continue
		}
		isProperty := keyword == "properties"
		where := name
		if !isProperty {
			where = keyword + "." + name
		}
		h.path = append(h.path, name)
		h.fs.within(where, func() { h.schema(sub, static, isProperty) })
		h.path = h.path[:len(h.path)-1]
	}
}

// header checks one x-mcp-header.
func (h *headerCheck) header(schema map[string]any, value any, reachable bool) {
	if !reachable {
		h.fs.add("", "a client cannot find the argument of this header",
			"mark only properties that are reached from the root through properties alone, not through a list, a choice or a $ref")
	}
	switch name, isString := value.(string); {
	case !isString:
		h.fs.add("", "the header name is not a string", "write a name such as Region")
	case !isToken(name):
		h.fs.add("", fmt.Sprintf("%q is not a header name", name), "use letters, digits and -, as in Customer-Id")
	default:
		folded := strings.ToLower(name)
		if other, taken := h.seen[folded]; taken {
			h.fs.add("", fmt.Sprintf("%q is also the header of %s; header names are not case-sensitive", name, other), "use another name")
		} else {
			h.seen[folded] = string(h.fs.path)
			h.found = append(h.found, private.ParamHeader{Name: name, Path: slices.Clone(h.path)})
		}
	}
	switch kind, _ := schema["type"].(string); kind {
	case "string", "boolean":
	case "integer":
		if !hasSafeRange(schema) {
			h.fs.add("", "integers in headers must be within ±9007199254740991 (2^53-1), and the schema allows more",
				"use int32, or minimum=-9007199254740991 and maximum=9007199254740991")
		}
	default:
		h.fs.add("", "only a string, an integer or a boolean fits in a header", "give the property exactly one of these types")
	}
}

// hasSafeRange reports whether the schema restricts an integer to the range that is safe in a header.
func hasSafeRange(schema map[string]any) bool {
	if value, ok := schema["const"]; ok {
		return isSafe(value)
	}
	if list, ok := schema["enum"].([]any); ok {
		return !slices.ContainsFunc(list, func(value any) bool { return !isSafe(value) })
	}
	low := isSafe(schema["minimum"]) || isSafe(schema["exclusiveMinimum"])
	high := isSafe(schema["maximum"]) || isSafe(schema["exclusiveMaximum"])
	return low && high
}

func isSafe(value any) bool {
	number, ok := value.(json.Number)
	if !ok {
		return false
	}
	f, err := number.Float64()
	return err == nil && f >= -maxHeaderInteger && f <= maxHeaderInteger
}

// isToken reports whether s is a token of RFC 9110: 1*tchar.
func isToken(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		isAlnum := r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		return !isAlnum && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}) < 0
}
