package mcptool_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// ofSchema returns a tool with this schema that does nothing.
func ofSchema(schema string) (*mcptool.Tool, error) {
	return mcptool.NewRaw("n", json.RawMessage(schema), func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{}, nil
	})
}

const draft07 = `"$schema":"http://json-schema.org/draft-07/schema#",`

// TestDialects calls tools with schemas whose keywords exist in only one dialect, or differ between dialects.
func TestDialects(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, schema, fits, misfits string }{
		{"T-JSC-01 prefixItems", `"properties":{"a":{"prefixItems":[{"type":"string"}]}}`, `{"a":["x",1]}`, `{"a":[1]}`},
		{"T-JSC-01 unevaluatedProperties", `"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false`, `{"a":1}`, `{"b":1}`},
		{"T-JSC-01 dependentRequired", `"dependentRequired":{"a":["b"]}`, `{"a":1,"b":1}`, `{"a":1}`},
		{"T-JSC-01 $dynamicRef", `"properties":{"a":{"$dynamicRef":"#n"}},"$defs":{"n":{"$dynamicAnchor":"n","type":"integer"}}`, `{"a":1}`, `{"a":"x"}`},
		{"T-JSC-01 minContains", `"properties":{"a":{"contains":{"type":"integer"},"minContains":2}}`, `{"a":[1,2]}`, `{"a":[1,"x"]}`},
		{"T-JSC-01 by name", `"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"a":{"prefixItems":[{"type":"string"}]}}`, `{"a":["x"]}`, `{"a":[1]}`},
		{"T-JSC-02 a list of items", draft07 + `"properties":{"a":{"items":[{"type":"string"}]}}`, `{"a":["x",1]}`, `{"a":[1]}`},
		{"T-JSC-02 dependencies", draft07 + `"dependencies":{"a":["b"]}`, `{"a":1,"b":1}`, `{"a":1}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tool, err := ofSchema(`{"type":"object",` + test.schema + `}`)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tool.Call(t.Context(), []byte(test.fits)); err != nil {
				t.Errorf("%s: %v", test.fits, err)
			}
			if _, err := tool.Call(t.Context(), []byte(test.misfits)); !isArgumentError(err) {
				t.Errorf("%s: got %v, want an *ArgumentError", test.misfits, err)
			}
		})
	}
}

// TestSchemasRefused: a schema that cannot be interpreted is refused when the tool is defined, instead of accepting
// everything.
func TestSchemasRefused(t *testing.T) {
	t.Parallel()
	nested := func(levels int) string {
		return `"properties":{"a":` + strings.Repeat(`{"anyOf":[`, levels) + `{}` + strings.Repeat(`]}`, levels) + `}`
	}
	for _, test := range []struct{ name, schema, want string }{
		{"T-JSC-02 an older dialect", `"$schema":"http://json-schema.org/draft-04/schema#"`, `$schema: must be "https://json-schema.org/draft/2020-12/schema" or "http://json-schema.org/draft-07/schema#"`},
		{"T-JSC-02 a custom dialect", `"$schema":"https://example.com/mine"`, `$schema: must be "https://json-schema.org/draft/2020-12/schema"`},
		{"T-JSC-02 a newer keyword in an older dialect", draft07 + `"dependentRequired":{"a":["b"]}`, "dependentRequired, which draft-07 does not have"},
		{"T-JSC-04 an unknown type", `"properties":{"a":{"type":"strin"}}`, "properties.a.type"},
		{"T-JSC-04 a limit that is not a number", `"properties":{"a":{"minLength":"1"}}`, "properties.a.minLength"},
		{"T-JSC-04 a pattern that does not parse", `"properties":{"a":{"pattern":"("}}`, "properties.a.pattern"},
		{"T-JSC-08 a remote document", `"properties":{"a":{"$ref":"https://example.com/a.json"}}`, "properties.a.$ref: points outside the document"},
		{"T-JSC-08 a relative document", `"properties":{"a":{"$ref":"other.json"}}`, "properties.a.$ref: points outside the document"},
		{"T-JSC-08 a file", `"properties":{"a":{"$ref":"file:///etc/passwd"}}`, "properties.a.$ref: points outside the document"},
		{"T-JSC-08 a missing definition", `"properties":{"a":{"$ref":"#/$defs/none"}}`, "properties.a.$ref: points at nothing"},
		{"T-JSC-09 deep", nested(300), "must be nested at most 512 levels deep"},
		{"T-JSC-09 very deep", nested(100_000), "must be nested at most 512 levels deep"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tool, err := ofSchema(`{"type":"object",` + test.schema + `}`)
			wantMistakes(t, registerError(t, tool, err), test.want)
		})
	}
}

// TestValidationIsBounded: validation is bounded for schemas and arguments that would take exponential time.
func TestValidationIsBounded(t *testing.T) {
	t.Parallel()
	const twoWays = `{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"anyOf":[
		{"type":"array","items":{"$ref":"#/$defs/n"}},{"type":"array","items":{"$ref":"#/$defs/n"}},{"type":"null"}]}}}`
	for _, test := range []struct {
		name   string
		levels int
		want   string
	}{
		{"T-JSC-09 two branches at each of 16 levels", 16, "must be an array or null, got the number 1"},
		{"T-JSC-09 deeply nested arguments", 100_000, "levels deep"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tool, err := ofSchema(twoWays)
			if err != nil {
				t.Fatal(err)
			}
			_, err = tool.Call(t.Context(), []byte(`{"a":`+strings.Repeat("[", test.levels)+"1"+strings.Repeat("]", test.levels)+`}`))
			if !isArgumentError(err) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestNothingIsFetched: a reference to a network document is a mistake, and the document is not fetched.
func TestNothingIsFetched(t *testing.T) {
	t.Parallel()
	t.Run("T-JSC-06", func(t *testing.T) {
		t.Parallel()
		var visits atomic.Int64
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.Config.ConnState = func(net.Conn, http.ConnState) { visits.Add(1) }
		server.Start()
		for _, keyword := range []string{"$ref", "$dynamicRef", "$schema", "$id"} {
			tool, err := ofSchema(`{"type":"object","properties":{"a":{"` + keyword + `":"` + server.URL + `/x"}}}`)
			if err == nil {
				_, err = tool.Call(t.Context(), []byte(`{"a":1}`))
			}
			if keyword != "$id" && err == nil {
				t.Errorf("%s: the schema accepts everything", keyword)
			}
		}
		server.Close()
		if n := visits.Load(); n > 0 {
			t.Errorf("the server got %d connection events, want 0", n)
		}
	})
}
