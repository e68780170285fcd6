package main

import (
	"encoding/json"
	"net/url"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestForm checks what a form means by a schema.
func TestForm(t *testing.T) {
	var s openapi3.Schema
	schema := `{"type":"object","properties":{
		"n":{"type":"integer"},"s":{"type":"string"},"b":{"type":"boolean"},"list":{"type":"array","items":{"type":"number"}},
		"o":{"type":"object","properties":{"p":{"type":"integer"},"q":{"type":"array","items":{"type":"object","properties":{"r":{"type":"string"}}}}}},
		"u":{"anyOf":[{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]},{"type":"string","enum":[""]}]},
		"m":{"type":"object","additionalProperties":{"type":"boolean"}}}}`
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ form, want string }{
		{"n=1&s=1&b=true", `{"b":true,"n":1,"s":"1"}`},
		{"n=one", `{"n":"one"}`},
		{"list=1&list=2", `{"list":[1,2]}`},
		{"list[]=1&list[]=2", `{"list":[1,2]}`},
		{"list[0]=1&list[1]=2", `{"list":[1,2]}`},
		{"list[1]=1", `{"list":{"1":"1"}}`},
		{"o[p]=1&o[q][0][r]=a&o[q][1][r]=b", `{"o":{"p":1,"q":[{"r":"a"},{"r":"b"}]}}`},
		{`o={"p":1}`, `{"o":{"p":1}}`},
		{"u[x]=1", `{"u":{"x":1}}`},
		{"u=", `{"u":""}`},
		{"m[a]=true&m[b]=false", `{"m":{"a":true,"b":false}}`},
		{"unknown[a]=1", `{"unknown":{"a":"1"}}`},
	} {
		values, err := url.ParseQuery(test.form)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(formOf(values).as(&openapi3.SchemaRef{Value: &s}))
		if err != nil || string(got) != test.want {
			t.Errorf("%s: got %s, %v; want %s", test.form, got, err, test.want)
		}
	}
}

// TestValidateLists checks lists in the style deepObject.
func TestValidateLists(t *testing.T) {
	list := &openapi3.Schema{Type: &openapi3.Types{"array"}, Items: &openapi3.SchemaRef{Value: &openapi3.Schema{Type: &openapi3.Types{"string"}, MinLength: 2}}}
	p := openapi3.Parameters{{Value: &openapi3.Parameter{Name: "expand", In: "query", Style: "deepObject", Required: true, Schema: &openapi3.SchemaRef{Value: list}}}}
	for _, test := range []struct {
		query string
		valid bool
	}{
		{"expand[0]=ab&expand[1]=cd", true},
		{"expand[]=ab", true},
		{"expand[0]=a", false},
		{"expand[x]=ab", false},
		{"other=ab", false},
	} {
		query, err := url.ParseQuery(test.query)
		if err != nil {
			t.Fatal(err)
		}
		if err := validateLists(p, query); (err == nil) != test.valid {
			t.Errorf("%s: got %v, want valid: %t", test.query, err, test.valid)
		}
	}
}
