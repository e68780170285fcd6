package client

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/strictjson"
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
	return mirroredBelow(t.InputSchema, nil, nil)
}

// mirroredBelow appends the mirrored properties of a schema and its subschemas.
func mirroredBelow(schema json.RawMessage, path []string, found []mirrored) []mirrored {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if strictjson.Decode(schema, &s) != nil {
		return found
	}
	for name, property := range s.Properties {
		at := append(path[:len(path):len(path)], name)
		var marks map[string]json.RawMessage
		if json.Unmarshal(property, &marks) != nil {
			continue // boolean schemas have no properties
		}
		var header string
		if json.Unmarshal(marks[headerKey], &header) == nil && isToken(header) {
			found = append(found, mirrored{"Mcp-Param-" + header, at})
		}
		found = mirroredBelow(property, at, found)
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
	fields := known.mirrors[r.name]
	if len(fields) == 0 {
		return nil
	}
	var call struct {
		Params struct {
			Arguments json.RawMessage `json:"arguments"`
		} `json:"params"`
	}
	if err := json.Unmarshal(r.body, &call); err != nil {
		return err
	}
	for _, m := range fields {
		if value, ok := headerValue(valueAt(call.Params.Arguments, m.path)); ok {
			r.mirror = append(r.mirror, field{m.header, value})
		}
	}
	return nil
}

// valueAt returns the value at a path in an object; nil if there is none.
func valueAt(object json.RawMessage, path []string) json.RawMessage {
	for _, name := range path {
		var members map[string]json.RawMessage
		if json.Unmarshal(object, &members) != nil {
			return nil
		}
		object = members[name]
	}
	return object
}

// headerValue returns the header value for a JSON value; false if it has none.
func headerValue(value json.RawMessage) (string, bool) {
	var v any
	if len(value) == 0 || json.Unmarshal(value, &v) != nil {
		return "", false
	}
	switch v := v.(type) {
	case string:
		return headerText(v), true
	case bool:
		return strconv.FormatBool(v), true
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return strconv.FormatInt(int64(v), 10), true
		}
		return string(value), true
	default:
		return "", false
	}
}

// headerText encodes text as a header value: unchanged if possible, else in base64.
func headerText(text string) string {
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

// isToken reports whether text is a valid header name.
func isToken(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		letter := (r|0x20 >= 'a' && r|0x20 <= 'z') || (r >= '0' && r <= '9')
		return !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}
