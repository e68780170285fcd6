package openapi

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pb33f/go-yaml"
	"github.com/pb33f/libopenapi/datamodel/high/base"
	"github.com/pb33f/libopenapi/orderedmap"
)

// plainSegment matches values that are the same in a path, however it is escaped.
var plainSegment = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// example returns a call and its response of the examples of the document, or nil if a part that is needed has none that surely fits.
func (c *call) example() *Example {
	e := &Example{Path: c.Path, Status: http.StatusOK}
	args, query := map[string]any{}, url.Values{}
	if strings.ContainsAny(c.Path, "?#") {
		return nil
	}
	for i, p := range c.described {
		out, field := c.Params[i], c.Args.Fields[i]
		value, ok := firstExample(p.Example, p.Examples, p.Schema)
		text, isText := scalarText(value)
		usable := ok && isText && (p.Content == nil || p.Content.Len() == 0) && (p.In != "path" || out.Style == "simple" && plainSegment.MatchString(text)) && fits(p.Schema, value, true)
		switch {
		case usable:
			args[field.JSON] = value
			e.Path = strings.ReplaceAll(e.Path, "{"+p.Name+"}", text)
			if p.In == "query" {
				query.Set(p.Name, text)
			}
		case !field.Absent:
			return nil
		}
	}
	u, err := url.Parse("https://host" + e.Path)
	if err != nil {
		return nil
	}
	e.Path, e.Query = u.EscapedPath(), query.Encode()
	if c.Body != nil && !c.exampleBody(e, args) || !c.exampleResponse(e) {
		return nil
	}
	e.Args, _ = json.Marshal(args) // values of JSON
	return e
}

// exampleBody adds the body to an example, and reports whether the request can be made.
func (c *call) exampleBody(e *Example, args map[string]any) bool {
	value, ok := firstExample(c.content.Example, c.content.Examples, c.content.Schema)
	if !ok || c.Body.Kind != BodyJSON || !fits(c.content.Schema, value, true) {
		return c.Body.Optional
	}
	field := c.Args.Fields[len(c.Args.Fields)-1]
	if object, isObject := value.(map[string]any); field.JSON == "" {
		if !isObject || len(object) == 0 {
			return c.Body.Optional
		}
		for name, member := range object {
			args[name] = member
		}
	} else {
		args[field.JSON] = value
	}
	e.Body, _ = json.Marshal(value)
	return true
}

// exampleResponse adds the response to an example, and reports whether there is one.
func (c *call) exampleResponse(e *Example) bool {
	if c.Result.Kind == ResultNone {
		e.Status = http.StatusNoContent
		return true
	}
	m := c.response
	value, ok := firstExample(m.Example, m.Examples, m.Schema)
	text, isText := value.(string)
	e.MediaType = c.Result.MediaType
	switch {
	case !ok || c.Result.Kind == ResultContent || strings.Contains(e.MediaType, "*"):
		return false
	case c.Result.Kind == ResultText:
		e.Response = text
		return isText && text != ""
	}
	data, _ := json.Marshal(value) // values of JSON
	e.Response = json.RawMessage(data)
	return fits(m.Schema, value, false)
}

// firstExample returns the first example of a parameter or a media type, or of its schema.
func firstExample(own *yaml.Node, named *orderedmap.Map[string, *base.Example], s *base.SchemaProxy) (any, bool) {
	nodes := []*yaml.Node{own}
	for _, e := range named.FromOldest() {
		nodes = append(nodes, e.Value)
	}
	if s != nil && s.Schema() != nil {
		schema := s.Schema()
		nodes = append(append(append(nodes, schema.Example), schema.Examples...), schema.Default)
		nodes = append(nodes, schema.Enum...)
	}
	for _, n := range nodes {
		if n != nil {
			return jsonValue(n), true
		}
	}
	return nil, false
}

// jsonValue returns the value of a node as encoding/json has it. Dates of YAML remain text.
func jsonValue(n *yaml.Node) any {
	switch n.Kind {
	case yaml.AliasNode:
		return jsonValue(n.Alias)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			list[i] = jsonValue(item)
		}
		return list
	case yaml.MappingNode:
		object := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			object[n.Content[i].Value] = jsonValue(n.Content[i+1])
		}
		return object
	default: // a scalar
	}
	switch n.Tag {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value)
		}
	}
	return n.Value
}

// scalarText returns a value as it is in a path or a query.
func scalarText(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, v != ""
	case json.Number:
		return v.String(), !strings.ContainsAny(v.String(), ".eE")
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// fits reports whether a value surely fits a schema. If strict is set, it also has no members that the schema does not
// describe, and the schema has no keywords that are not checked here.
func fits(proxy *base.SchemaProxy, value any, strict bool) bool {
	if proxy == nil {
		return !strict
	}
	s := proxy.Schema()
	if s == nil || len(s.AllOf)+len(s.OneOf)+len(s.AnyOf) > 0 || s.Not != nil || len(s.Type) != 1 {
		return false
	}
	rest := *s // keywords that are not checked here
	rest.Properties, rest.Required, rest.Items, rest.AdditionalProperties, rest.Enum, rest.Format = nil, nil, nil, nil, nil, ""
	if strict && (!isBare(&rest) || !slices.Contains([]string{"", "int64", "float", "double", "password"}, s.Format) || isTrue(s.ReadOnly)) {
		return false
	}
	if data, err := json.Marshal(value); s.Enum != nil && (err != nil || !slices.ContainsFunc(s.Enum, func(n *yaml.Node) bool { return jsonOf(n) == string(data) })) {
		return false
	}
	switch v := value.(type) {
	case string:
		return s.Type[0] == "string"
	case bool:
		return s.Type[0] == "boolean"
	case json.Number:
		_, err := strconv.ParseInt(v.String(), 10, map[bool]int{true: 32, false: 64}[s.Format == "int32"])
		return s.Type[0] == "number" || s.Type[0] == "integer" && err == nil
	case []any:
		return s.Type[0] == "array" && s.Items != nil && !slices.ContainsFunc(v, func(item any) bool { return !fits(s.Items.A, item, strict) })
	case map[string]any:
		return s.Type[0] == "object" && fitsMembers(s, v, strict)
	}
	return false
}

func fitsMembers(s *base.Schema, object map[string]any, strict bool) bool {
	for _, name := range s.Required {
		if _, ok := object[name]; !ok {
			return false
		}
	}
	for name, value := range object {
		var described *base.SchemaProxy
		if s.Properties != nil {
			described = s.Properties.GetOrZero(name)
		}
		if !fits(described, value, strict) {
			return false
		}
	}
	return true
}
