package apps_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/extension/apps"
	"github.com/mcptool-go/mcptool/mcptool"
)

// schemaVariable names the file schema.json of @modelcontextprotocol/ext-apps, whose schemas are closed. internal/interop/apps
// installs it and sets the variable.
const schemaVariable = "MCPTOOL_APPS_SCHEMA"

// definition returns a definition of the schema of the extension.
func definition(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	path := os.Getenv(schemaVariable)
	if path == "" {
		t.Skip(schemaVariable + " is not set: internal/interop/apps/run sets it, and runs this test")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("urn:ext-apps", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("urn:ext-apps#/$defs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// validate reports whether a value fits the schema.
func validate(t *testing.T, schema *jsonschema.Schema, value any) error {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(decoded)
}

// TestSchema checks that the output for all options is valid under the schemas of the extension, which allow no other
// members (APP-09).
func TestSchema(t *testing.T) {
	tool, contents := definition(t, "McpUiToolMeta"), definition(t, "McpUiResourceMeta")
	for i, opts := range [][]apps.ViewOption{
		{},
		{apps.Border(true)},
		{apps.Border(false), apps.Domain("example")},
		{apps.Connect("https://a.example", "wss://a.example"), apps.Resources("https://*.a.example")},
		{apps.Frames("https://a.example"), apps.BaseURIs("https://a.example")},
		{apps.Permit(apps.PermissionCamera, apps.PermissionMicrophone, apps.PermissionGeolocation, apps.PermissionClipboardWrite)},
	} {
		for _, visibility := range [][]mcptool.ToolOption{nil, {apps.Visibility(apps.AudienceApp)}, {apps.Visibility(apps.AudienceModel, apps.AudienceApp)}} {
			defined := define(t, append(visibility, apps.View(files("v.html", document), "v.html", opts...))...)
			ui, _ := uiOf(t, defined)
			if err := validate(t, tool, ui); err != nil {
				t.Errorf("options %d: the tool: %v", i, err)
			}
			meta := readView(t, defined).Meta["ui"]
			if len(opts) == 0 && meta == nil {
				continue
			}
			if err := validate(t, contents, meta); err != nil {
				t.Errorf("options %d: the contents: %v", i, err)
			}
		}
	}
	// Values that this package cannot produce are invalid, so the schemas are the closed ones.
	for _, wrong := range []string{`{"csp":{}}`, `{"resourceURI":"ui://x"}`, `{"visibility":["user"]}`} {
		if err := validate(t, tool, json.RawMessage(wrong)); err == nil {
			t.Errorf("the schema allows %s", wrong)
		}
	}
	if err := validate(t, contents, json.RawMessage(`{"permissions":{"camera":true}}`)); err == nil || !strings.Contains(err.Error(), "camera") {
		t.Errorf("a permission that is true: %v", err)
	}
}
