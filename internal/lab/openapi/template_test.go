package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestFind checks which operations a request may be for.
func TestFind(t *testing.T) {
	d := &openapi3.T{Paths: openapi3.NewPaths()}
	for _, path := range []string{"/pets/{id}", "/pets/mine", "/pets/{name}/{file}.json", "/cookies#one", "/cookies#two"} {
		d.Paths.Set(path, &openapi3.PathItem{Get: &openapi3.Operation{}})
	}
	d.Paths.Value("/pets/{id}").Delete = &openapi3.Operation{}
	d.Paths.Set("/files", &openapi3.PathItem{Post: &openapi3.Operation{Servers: &openapi3.Servers{{URL: "https://files.example.com/v1/"}}}})
	a := &api{paths: templates(d)}
	for _, test := range []struct{ method, url, want string }{
		{http.MethodGet, "/base/pets/a%2Fb", "/pets/{id} id=a/b"},
		{http.MethodGet, "/base/pets/mine", "/pets/mine, /pets/{id} id=mine"},
		{http.MethodDelete, "/base/pets/mine", "/pets/{id} id=mine"},
		{http.MethodGet, "/base/pets/a/b.json?c=d", "/pets/{name}/{file}.json name=a file=b"},
		{http.MethodGet, "/base/pets/a/bxjson", ""},
		{http.MethodGet, "/pets/a", ""},
		{http.MethodPost, "/base/pets/a", ""},
		{http.MethodPost, "/base/files", "/files"},
		{http.MethodPost, "/v1/files", "/files"},
		{http.MethodPost, "/files", ""},
		{http.MethodGet, "/base/cookies", "/cookies#one, /cookies#two"},
	} {
		var got []string
		for _, c := range a.find(httptest.NewRequest(test.method, test.url, nil)) {
			text := c.Path
			for _, name := range []string{"id", "name", "file"} {
				if value, ok := c.variables[name]; ok {
					text += " " + name + "=" + value
				}
			}
			got = append(got, text)
		}
		if strings.Join(got, ", ") != test.want {
			t.Errorf("%s %s: got %q, want %q", test.method, test.url, got, test.want)
		}
	}
}
