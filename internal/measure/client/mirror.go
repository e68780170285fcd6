package client

import (
	"context"
	"encoding/base64"
	"math"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// A mirrored is a tool argument that HTTP requests repeat in a header, as x-mcp-header in the schema requires, so that
// intermediaries can read it.
type mirrored struct {
	header string
	path   []string // property names from the root
}

// headerKey is the schema keyword for mirrored arguments.
const headerKey = "x-mcp-header"

// mirroredOf returns the mirrored arguments of a tool.
func mirroredOf(t *Tool) []mirrored {
	if !strings.Contains(string(t.InputSchema), headerKey) {
		return nil
	}
	schema, err := strictjson.Parse(t.InputSchema, strictjson.MaxDepth)
	if err != nil {
		return nil
	}
	return mirroredBelow(schema, nil, nil)
}

// mirroredBelow appends the mirrored properties of a schema and its subschemas.
func mirroredBelow(schema *jsondoc.Value, path []string, found []mirrored) []mirrored {
	for _, m := range schema.Get("properties").Entries() {
		at := append(path[:len(path):len(path)], m.Name)
		if header := m.Value.Get(headerKey).Text(); httpguts.ValidHeaderFieldName(header) {
			found = append(found, mirrored{"Mcp-Param-" + header, at})
		}
		found = mirroredBelow(m.Value, at, found)
	}
	return found
}

// mirror adds the mirrored arguments to a call over HTTP in the modern era. It lists the tools first unless they were
// listed before.
func (c *Client) mirror(ctx context.Context, r *request) error {
	if _, overHTTP := c.conn.(*httpConnection); !overHTTP || c.era != Modern || r.method != "tools/call" {
		return nil
	}
	known, err := c.list(ctx)
	if err != nil {
		return err
	}
	return r.repeat(known.mirrors[r.name])
}

// repeat adds the mirrored arguments to a call.
func (r *request) repeat(fields []mirrored) error {
	if len(fields) == 0 {
		return nil
	}
	call, err := strictjson.Parse(r.body, maxDepth)
	if err != nil {
		return err
	}
	for _, m := range fields {
		value := call.Get("params").Get("arguments")
		for _, name := range m.path {
			value = value.Get(name)
		}
		if text, ok := headerValue(value); ok {
			r.mirror = append(r.mirror, field{m.header, text})
		}
	}
	return nil
}

// headerValue returns the header value for a JSON value; false if it has none.
func headerValue(v *jsondoc.Value) (string, bool) {
	if v == nil {
		return "", false
	}
	switch v.Kind {
	case rawjson.String:
		return HeaderText(v.Text()), true
	case rawjson.Number:
		if n, err := strconv.ParseFloat(string(v.Raw), 64); err == nil && n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			return strconv.FormatInt(int64(n), 10), true
		}
		return string(v.Raw), true
	default:
		return string(v.Raw), v.IsBool()
	}
}

// HeaderText encodes text as a header value: unchanged if possible, else in base64.
func HeaderText(text string) string {
	sentinel := strings.HasPrefix(text, "=?base64?") && strings.HasSuffix(text, "?=")
	plain := !sentinel && text == strings.Trim(text, " \t")
	for _, b := range []byte(text) {
		plain = plain && b >= ' ' && b <= '~'
	}
	if plain {
		return text
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
}
