package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestComponentSchemas checks that a component is a document with all the components that it refers to.
func TestComponentSchemas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "openapi.json")
	document := `{"components":{"schemas":{"a":{"items":{"$ref":"#/components/schemas/b"}},"b":{"type":"string"},"c":{}}}}`
	if err := os.WriteFile(path, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := componentSchemas(path)
	if err != nil || len(found) != 3 {
		t.Fatalf("got %d schemas, %v; want 3", len(found), err)
	}
	if want := `{"$defs":{"a":{"items":{"$ref":"#/$defs/b"}},"b":{"type":"string"}},"$ref":"#/$defs/a"}`; string(found[0].json) != want {
		t.Errorf("got %s, want %s", found[0].json, want)
	}
}

// TestDifferences checks that a difference is known only if its reason is verified.
func TestDifferences(t *testing.T) {
	template := foreignSchema{"template", []byte(`{"properties":{"a":{"type":"string","format":"uri-template"}}}`)}
	invalid := func(schema, value string) error {
		s, err := reflectschema.ParseSchema([]byte(schema))
		if err != nil {
			t.Fatal(err)
		}
		return s.Check([]byte(value))
	}
	byFormat := invalid(string(template.json), `{"a":"a b"}`)
	byType := invalid(`{"type":"object"}`, `[]`)
	for _, test := range []struct {
		name    string
		compare func(*report)
		known   bool
	}{
		{"the library allows a space in a template", func(p *report) { p.compareLibrary(template, "", byFormat, nil, map[string]any{"a": "a b"}) }, true},
		{"the value does not fit without formats either", func(p *report) { p.compareLibrary(template, "", byFormat, nil, map[string]any{"a": 1.0}) }, false},
		{"the library allows another type", func(p *report) { p.compareLibrary(template, "", byType, nil, []any{}) }, false},
		{"the library refuses for no known reason", func(p *report) { p.compareLibrary(template, "", nil, errors.New("no"), map[string]any{}) }, false},
		{"ajv allows null", func(p *report) { p.compareAjv(template, "", byType, ajvVerdict{Valid: true}, nil) }, true},
		{"ajv allows it without nullable", func(p *report) {
			p.compareAjv(template, "", byType, ajvVerdict{Valid: true, NotNullable: true, NoFormats: true}, nil)
		}, false},
		{"ajv refuses a format", func(p *report) {
			p.compareAjv(template, "", nil, ajvVerdict{NoFormats: true, Formats: []string{"uri-template"}}, nil)
		}, false},
	} {
		p := newReport()
		test.compare(p)
		if known := len(p.explained) == 1; known != test.known || known == (len(p.unexplained) == 1) {
			t.Errorf("%s: known is %t, want %t: %v", test.name, known, test.known, p.unexplained)
		}
	}
}

// TestValuesOf checks that there are valid and invalid values of a schema.
func TestValuesOf(t *testing.T) {
	s, err := reflectschema.ParseSchema([]byte(`{"type":"object","properties":{"a":{"type":"string","format":"uri"},"b":{"items":{"type":"integer"}}},"required":["a"]}`))
	if err != nil {
		t.Fatal(err)
	}
	valid := 0
	values := valuesOf(s, rand.New(rand.NewPCG(1, 0)), 40)
	for _, text := range values {
		if s.Check([]byte(text)) == nil {
			valid++
		}
	}
	if valid < 3 || valid > len(values)-3 {
		t.Errorf("%d of %d values are valid: %q", valid, len(values), values)
	}
}
