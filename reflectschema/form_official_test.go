package reflectschema_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/testing/specdata"
)

// officialForms loads the schema of form fields in a protocol revision, once. It is nil if the schema is not available.
func officialForms(revision string) (*jsonschema.Schema, error) {
	data, err := os.ReadFile(specdata.Path("spec", "schema", revision+".json"))
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("urn:"+revision, doc); err != nil {
		return nil, err
	}
	group := "$defs"
	if !strings.Contains(string(data), `"$defs"`) {
		group = "definitions"
	}
	return c.Compile("urn:" + revision + "#/" + group + "/PrimitiveSchemaDefinition")
}

var officialOnce = struct {
	sync.Mutex
	loaded map[string]*jsonschema.Schema
}{loaded: map[string]*jsonschema.Schema{}}

// TestOfficialForms checks that the official schema of each revision with forms can be read. Without them it is
// skipped, and forms are not compared.
func TestOfficialForms(t *testing.T) {
	specdata.Require(t, "spec", "schema")
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		if _, err := officialForms(revision); err != nil {
			t.Error(err)
		}
	}
}

// holdAgainstOfficial validates every field of a form with the official schema, and checks that it has no other
// members: the official objects are open, and would accept members of later revisions.
func holdAgainstOfficial(t *testing.T, revision string, form json.RawMessage) {
	t.Helper()
	officialOnce.Lock()
	defer officialOnce.Unlock()
	official, ok := officialOnce.loaded[revision]
	if !ok {
		var err error
		if official, err = officialForms(revision); err != nil {
			t.Log(err)
		}
		officialOnce.loaded[revision] = official
	}
	if official == nil {
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	root, _ := value.(map[string]any)
	for name := range root {
		if !slices.Contains([]string{"type", "properties", "required"}, name) {
			t.Errorf("revision %s has no member %s in %s", revision, name, form)
		}
	}
	properties, ok := root["properties"].(map[string]any)
	if root["type"] != "object" || !ok {
		t.Errorf("no object with properties: %s", form)
	}
	for name, p := range properties {
		if !slices.ContainsFunc(official.AnyOf, func(s *jsonschema.Schema) bool { return closed(s.Ref, p) }) {
			t.Errorf("revision %s has no field like %s in %s", revision, name, form)
		}
	}
}

// closed reports whether a value fits an object schema and has only members that the schema names, on every level.
func closed(s *jsonschema.Schema, value any) bool {
	object, ok := value.(map[string]any)
	if s.Validate(value) != nil || !ok {
		return false
	}
	for name, v := range object {
		p := s.Properties[name]
		if p == nil {
			return false
		}
		if inner, ok := v.(map[string]any); ok && !closed(p, inner) {
			return false
		}
	}
	return true
}
