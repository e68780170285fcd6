package runtime_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/testing/specdata"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// schemaSet compiles each definition of the official schemas once.
type schemaSet struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
	group    map[string]string // revision -> $defs or definitions
}

var loadSchemas = sync.OnceValues(func() (*schemaSet, error) {
	set := &schemaSet{compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}, group: map[string]string{}}
	set.compiler.RegisterFormat(&jsonschema.Format{Name: "uri-template", Validate: validateTemplate})
	for _, revision := range revisions {
		text, err := os.ReadFile(specdata.Path("spec", "schema", revision+".json"))
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		if err := set.compiler.AddResource(schemaURL(revision), doc); err != nil {
			return nil, err
		}
		set.group[revision] = "definitions"
		if object, _ := doc.(map[string]any); object["$defs"] != nil {
			set.group[revision] = "$defs"
		}
	}
	return set, nil
})

// validateTemplate accepts URI templates with a variable as the host, which the validator rejects.
func validateTemplate(v any) error {
	text, ok := v.(string)
	if !ok {
		return nil
	}
	_, err := uritemplate.Parse(text)
	return err
}

func schemaURL(revision string) string { return "urn:mcp:" + revision }

// officialSchemas returns the schemas, or nil if the data is missing.
func officialSchemas(t *testing.T) *schemaSet {
	t.Helper()
	set, err := loadSchemas()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return set
}

func (s *schemaSet) definition(revision, name string) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	url := schemaURL(revision) + "#/" + s.group[revision] + "/" + name
	if schema := s.compiled[url]; schema != nil {
		return schema, nil
	}
	schema, err := s.compiler.Compile(url)
	s.compiled[url] = schema
	return schema, err
}

// undefinedContent returns the type of the first content block in a result that the schema of the revision does not
// define, or "".
func (s *schemaSet) undefinedContent(revision string, result any) string {
	object, _ := result.(map[string]any)
	blocks, _ := object["content"].([]any)
	for _, block := range blocks {
		object, _ := block.(map[string]any)
		if name, ok := object["type"].(string); ok && !slices.Contains(s.contentTypes(revision), name) {
			return name
		}
	}
	return ""
}

// contentTypes returns the content types that the schema of the revision defines.
func (s *schemaSet) contentTypes(revision string) (types []string) {
	result, err := s.definition(revision, "CallToolResult")
	if err != nil {
		return nil
	}
	list := result.Properties["content"]
	block := list.Items2020
	if block == nil {
		block, _ = list.Items.(*jsonschema.Schema) // in revisions with draft-07
	}
	if block.Ref != nil {
		block = block.Ref // ContentBlock, in later revisions
	}
	for _, branch := range block.AnyOf {
		if name, ok := (*branch.Ref.Properties["type"].Const).(string); ok {
			types = append(types, name)
		}
	}
	return types
}

// TestOfficialSchemas checks that the schemas have the definitions that the auditor uses. Without the data it is skipped,
// and the auditor uses only the table of members.
func TestOfficialSchemas(t *testing.T) {
	t.Parallel()
	specdata.Require(t, "spec", "schema")
	set := officialSchemas(t)
	for _, revision := range revisions {
		if _, err := set.definition(revision, "CallToolResult"); err != nil {
			t.Error(err)
		}
		if types := set.contentTypes(revision); !slices.Contains(types, "text") || slices.Contains(types, "audio") != (revision >= "2025-03-26") {
			t.Errorf("content types of revision %s = %v", revision, types)
		}
	}
}
