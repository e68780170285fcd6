package results_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/extension/results"
	"github.com/mcptool-go/mcptool/mcptool"
)

// object is a JSON object.
type object = map[string]any

// generator makes random schemas with large values that fit them.
type generator struct{ *rand.Rand }

// schema returns a schema, and a func that returns values that fit it.
func (g generator) schema(depth int) (object, func() any) {
	kinds := 12
	if depth == 0 {
		kinds = 6
	}
	switch g.IntN(kinds) {
	case 0:
		return object{"type": "integer"}, func() any { return float64(g.IntN(1000)) }
	case 1:
		return object{"type": "string", "pattern": "^([a-z]+ )+end$"}, func() any { return strings.Repeat("abc ", 1+g.IntN(20)) + "end" }
	case 2:
		return object{"type": "string", "enum": []any{"red", "green"}}, func() any { return "green" }
	case 3:
		return object{"type": "string", "minLength": 50}, func() any { return strings.Repeat("minimum\n", 7+g.IntN(300)) }
	case 4:
		return object{"type": "string", "contentEncoding": "base64"}, func() any { return strings.Repeat("QUJD", g.IntN(60)) }
	case 5:
		return object{"type": "string"}, func() any { return strings.Repeat("a \"text\" çé😀\n", g.IntN(200)) }
	case 6:
		item, value := g.schema(depth - 1)
		n := g.IntN(60)
		return object{"type": "array", "items": item, "minItems": g.IntN(min(n, 4) + 1)}, func() any { return g.list(n, value) }
	case 7:
		item, value := g.schema(depth - 1)
		return object{"type": "object", "additionalProperties": item, "minProperties": 1}, func() any {
			m := object{}
			for i := range 1 + g.IntN(60) {
				m["key/"+strconv.Itoa(i)] = value()
			}
			return m
		}
	case 8:
		first, firstValue := g.schema(0)
		item, value := g.schema(depth - 1)
		return object{"type": "array", "prefixItems": []any{first}, "items": item}, func() any {
			return append([]any{firstValue()}, g.list(g.IntN(60), value)...)
		}
	case 9:
		item, value := g.schema(0)
		return object{"type": "array", "contains": object{"const": "needle"}, "items": object{"anyOf": []any{item, object{"const": "needle"}}}}, func() any {
			list := g.list(1+g.IntN(30), value)
			list[g.IntN(len(list))] = "needle"
			return list
		}
	case 10:
		a, aValue := g.schema(depth - 1)
		b, bValue := g.schema(depth - 1)
		branch := func(name string, s object) object {
			return object{"type": "object", "properties": object{"kind": object{"const": name}, "of": s}, "required": []any{"kind", "of"}}
		}
		return object{"anyOf": []any{branch("a", a), branch("b", b)}}, func() any {
			if g.IntN(2) == 0 {
				return object{"kind": "a", "of": aValue()}
			}
			return object{"kind": "b", "of": bValue()}
		}
	default:
		properties, values := object{}, map[string]func() any{}
		var required []any
		for i := range 1 + g.IntN(5) {
			name := "p" + strconv.Itoa(i)
			properties[name], values[name] = g.schema(depth - 1)
			if g.IntN(2) == 0 {
				required = append(required, name)
			}
		}
		schema := object{"type": "object", "properties": properties, "additionalProperties": false}
		if len(required) > 0 {
			schema["required"] = required
		}
		return schema, func() any {
			m := object{}
			for name, value := range values {
				m[name] = value()
			}
			return m
		}
	}
}

func (g generator) list(n int, value func() any) []any {
	list := []any{}
	for range n {
		list = append(list, value())
	}
	return list
}

// TestCutFits: a result that is cut is within the budget and fits its schema, and everything can be read with the handle.
func TestCutFits(t *testing.T) {
	t.Parallel()
	const tools = 120
	var all []*mcptool.Tool
	values := map[string]any{}
	for seed := range uint64(tools) {
		g := generator{rand.New(rand.NewPCG(seed, 7))}
		schema, value := g.schema(2)
		name := fmt.Sprintf("tool_%d", seed)
		values[name] = value()
		raw, _ := json.Marshal(values[name])
		schemaJSON, _ := json.Marshal(schema)
		tool, err := mcptool.NewRaw(name, json.RawMessage(`{"type":"object"}`), func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			return &mcptool.Result{Structured: json.RawMessage(raw)}, nil
		}, mcptool.OutputSchema(schemaJSON), results.Budget(3000+int(seed)*40))
		if err != nil {
			t.Fatalf("%s: %v", schemaJSON, err)
		}
		all = append(all, tool)
	}
	c := connect(t, newServer(t, results.Options{Limits: results.Limits{ResultsPerCaller: 1000}}, all...), newest)
	cut, errors := 0, 0
	for i, tool := range all {
		name := tool.Info().Name
		res := c.call(name, `{}`)
		raw, _ := json.Marshal(values[name])
		if res.Meta[results.ID] == nil {
			if string(res.StructuredContent) == "" {
				t.Errorf("%s: not cut and not sent: %s", name, res.raw)
			}
			continue
		}
		cut++
		if budget := 3000 + i*40; len(res.raw) > budget {
			t.Errorf("%s: the result has %d bytes of %d, more than the budget of %d; schema %s", name, len(res.raw), len(raw), budget, tool.OutputSchema())
		}
		if res.IsError {
			errors++
		} else if err := tool.OutputSchema().Check(res.StructuredContent); err != nil {
			t.Errorf("%s: %v in %s", name, err, res.StructuredContent)
		}
		if got := c.readAll(res.report(t).Handle, ""); !reflect.DeepEqual(got, values[name]) {
			gotJSON, _ := json.Marshal(got)
			t.Errorf("%s: read\n%.1000s\nwant\n%.1000s", name, gotJSON, raw)
		}
	}
	if cut < tools/4 || errors > cut/3 {
		t.Errorf("%d results were cut, of which %d could not be shown", cut, errors)
	}
	t.Logf("%d results were cut, of which %d could not be shown", cut, errors)
}

// readAll reads a part with read_result, and what is cut in the answers.
func (c *client) readAll(handle, path string) any {
	c.t.Helper()
	arguments := func(offset int) string {
		return fmt.Sprintf(`"path":%q,"offset":%d`, path, offset)
	}
	p := c.query(handle, fmt.Sprintf(`"path":%q`, path))
	if p.Text != nil {
		text := *p.Text
		for p.Next != nil {
			p = c.query(handle, arguments(*p.Next))
			text += *p.Text
		}
		return text
	}
	if p.Rows == nil {
		whole := p.Value
		for _, part := range p.Cut {
			whole = set(whole, tokens(part.Path)[len(tokens(path)):], c.readAll(handle, part.Path))
		}
		return whole
	}
	list, members := []any{}, object{}
	isMap := p.Paths != nil
	for {
		for i, row := range p.Rows {
			for _, part := range p.Cut {
				at := tokens(part.Path)[len(tokens(path))+1:]
				row = set(row, at, c.readAll(handle, part.Path))
			}
			list = append(list, row)
			if isMap {
				at := tokens(p.Paths[i])
				members[at[len(at)-1]] = row
			}
		}
		if p.Next == nil {
			break
		}
		p = c.query(handle, arguments(*p.Next))
	}
	if isMap {
		return members
	}
	return list
}

// tokens splits a path.
func tokens(path string) (all []string) {
	if strings.HasPrefix(path, "/") {
		for _, token := range strings.Split(path[1:], "/") {
			all = append(all, strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
		}
		return all
	}
	if path = strings.TrimPrefix(path, "."); path == "" {
		return nil
	}
	return strings.Split(path, ".")
}

// set returns a value with a part replaced.
func set(value any, at []string, part any) any {
	if len(at) == 0 {
		return part
	}
	switch v := value.(type) {
	case object:
		v[at[0]] = set(v[at[0]], at[1:], part)
	case []any:
		i, _ := strconv.Atoi(at[0])
		v[i] = set(v[i], at[1:], part)
	}
	return value
}
