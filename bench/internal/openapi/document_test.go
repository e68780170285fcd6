package openapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// header starts a document; the paths follow.
const header = "openapi: 3.0.3\ninfo: {title: Pet Shop API, version: '1'}\nservers: [{url: https://pets.example.com/v1}]\n"

// listPets is an operation without parameters.
const listPets = header + "paths:\n  /pets:\n    get:\n      operationId: listPets\n      responses: {'200': {description: OK, content: {application/json: {schema: {type: array, items: {type: string}}}}}}\n"

// write writes files into a new directory and returns its path.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func withSchema(schema string) string {
	return header + "paths:\n  /pets:\n    get:\n      responses: {'200': {description: OK, content: {application/json: {schema: " + schema + "}}}}\n"
}

func TestDocumentErrors(t *testing.T) {
	bomb := "x-a0: &a0 [" + strings.Repeat("x, ", 10) + "]\n"
	for i := range 9 {
		bomb += fmt.Sprintf("x-a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	for _, test := range []struct {
		name     string
		document string
		want     []string
	}{
		{"empty", " \n", []string{"openapi.yaml", "empty"}},
		{"not YAML", "a: [1", []string{"openapi.yaml", "neither JSON nor YAML", "L1.C4"}},
		{"a list", "- 1\n", []string{"openapi.yaml", "member openapi"}},
		{"a text", "hello\n", []string{"openapi.yaml", "no JSON or YAML object"}},
		{"another document", "title: x\n", []string{"member openapi"}},
		{"Swagger", "swagger: '2.0'\npaths: {}\n", []string{"Swagger 2.0", "npx swagger2openapi"}},
		{"two documents", listPets + "---\n" + listPets, []string{"openapi.yaml", "several YAML documents"}},
		{"a later version", "openapi: 4.0.0\npaths: {}\n", []string{"openapi.yaml:1", "4.0.0", "3.0, 3.1 and 3.2"}},
		{"no paths", header, []string{"no paths"}},
		{"dangling reference", withSchema("{$ref: '#/components/schemas/Pet'}"), []string{
			"openapi.yaml:7: #/paths/~1pets/get/responses/200/content/application~1json/schema/$ref", `"#/components/schemas/Pet" leads nowhere`,
		}},
		{"dangling file", withSchema("{$ref: 'pet.yaml'}"), []string{"openapi.yaml:7", "pet.yaml", "cannot be read", "no such file"}},
		{
			"reference to itself", withSchema("{$ref: '#/components/schemas/A'}") + "components: {schemas: {A: {$ref: '#/components/schemas/B'}, B: {$ref: '#/components/schemas/A'}}}\n",
			[]string{`"#/components/schemas/A" leads to itself`},
		},
		{"out of the directory", withSchema("{$ref: '../pet.yaml'}"), []string{`"../pet.yaml" leads out of the directory`, "redocly"}},
		{"absolute", withSchema("{$ref: '/etc/passwd.yaml'}"), []string{"leads out of the directory"}},
		{"a file URL", withSchema("{$ref: 'file:///etc/passwd'}"), []string{"scheme file"}},
		{"the network", withSchema("{$ref: 'https://example.com/pet.yaml'}"), []string{"leads to the network", "--allow-remote"}},
		{"the network without scheme", withSchema("{$ref: '//example.com/pet.yaml'}"), []string{"leads to the network"}},
		{"a file of another type", withSchema("{$ref: 'pet.txt'}"), []string{".yaml, .yml or .json"}},
		{"aliases", listPets + bomb, []string{"aliases expand", "1000000 nodes"}},
		{"an alias to itself", listPets + "x-a: &a [*a]\n", []string{"refers to itself"}},
		{"nested data", listPets + "x-data: " + strings.Repeat("[", 600) + strings.Repeat("]", 600) + "\n", []string{"values, with their YAML aliases, nest deeper than 500"}},
		{"nesting", listPets + "components: {schemas: {A: " + strings.Repeat("{items: ", 600) + "{}" + strings.Repeat("}", 600) + "}}\n", []string{"nested deeper than 500"}},
		{"duplicate operation", listPets + "    get: {responses: {}}\n", []string{"openapi.yaml:9: #/paths/~1pets/get", "twice", "line 6"}},
		{"duplicate path", listPets + "  /pets: {}\n", []string{"openapi.yaml:9: #/paths/~1pets", "twice"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Load(t.Context(), write(t, map[string]string{"openapi.yaml": test.document}), Options{})
			if err == nil {
				t.Fatal("Load accepts the document")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error does not have %q: %v", want, err)
				}
			}
		})
	}
}

// TestDocumentMarkers checks that lines with --- that begin no second document are accepted.
func TestDocumentMarkers(t *testing.T) {
	for _, document := range []string{"---\n" + listPets, "# comment\n---\n" + listPets, "\n\n---\n\n" + listPets, strings.Replace(listPets, "paths:", "x-text: |\n  a\n\n  ---\n  b\npaths:", 1)} {
		if _, err := Load(t.Context(), write(t, map[string]string{"openapi.yaml": document}), Options{}); err != nil {
			t.Errorf("%q: %v", document, err)
		}
	}
}

func TestDocumentFile(t *testing.T) {
	dir := write(t, map[string]string{"openapi.yaml": listPets, "sub/openapi.json": `{"openapi":"3.1.0"`, "two/openapi.json": "{}", "two/openapi.yaml": "{}", "none/x.yaml": ""})
	for path, want := range map[string]string{
		"":             "",
		"openapi.yaml": "",
		"sub":          "neither JSON nor YAML",
		"two":          "this directory has 2 of openapi.yaml, openapi.yml and openapi.json",
		"none":         "this directory has 0 of openapi.yaml",
		"missing":      "no such file",
	} {
		_, err := Load(t.Context(), filepath.Join(dir, path), Options{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("Load(%q): %v, want %q", path, err, want)
		}
	}
}

func TestLargeFile(t *testing.T) {
	dir := write(t, map[string]string{"openapi.yaml": ""})
	if err := os.Truncate(filepath.Join(dir, "openapi.yaml"), maxFileBytes+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(t.Context(), dir, Options{}); err == nil || !strings.Contains(err.Error(), "larger than 64 MB") {
		t.Errorf("error %v", err)
	}
}

// TestManyLargeFiles checks the limit of all files together.
func TestManyLargeFiles(t *testing.T) {
	dir, err := os.OpenRoot(write(t, map[string]string{"openapi.yaml": listPets}))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	r := &reader{dir: dir, sources: map[string]*source{}, bytes: maxBytes - 10}
	if _, err := r.load(t.Context(), "openapi.yaml", nil); err == nil || !strings.Contains(err.Error(), "more than 512 MB") {
		t.Errorf("got %v", err)
	}
}

func TestSeveralFiles(t *testing.T) {
	dir := write(t, map[string]string{
		"openapi.yaml":       header + "paths:\n  /pets/{id}: {$ref: paths/pet.yaml}\n",
		"paths/pet.yaml":     "get:\n  operationId: getPet\n  parameters: [{$ref: '../common.yaml#/id'}]\n  responses: {'200': {description: OK, content: {application/json: {schema: {$ref: '../schemas/pet.json'}}}}}\n",
		"common.yaml":        "id: {name: id, in: path, required: true, schema: {type: integer}}\n",
		"schemas/pet.json":   `{"type": "object", "properties": {"name": {"type": "string"}, "owner": {"$ref": "owner.json#/$defs/Owner"}}}`,
		"schemas/owner.json": `{"$defs": {"Owner": {"type": "object", "properties": {"pets": {"type": "array", "items": {"$ref": "pet.json"}}}}}}`,
		"unrelated.yaml":     "a: [",
	})
	api, err := Load(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	op := only(t, api)
	if op.ToolName != "get_pet" || len(op.Params) != 1 || op.Params[0].Name != "id" || op.Result.Type != "Pet" {
		t.Errorf("operation %+v, notes %v", op, api.Notes)
	}
}

func TestSymbolicLinkOutOfTheDirectory(t *testing.T) {
	secret := write(t, map[string]string{"secret.yaml": "type: string\n"})
	dir := write(t, map[string]string{"openapi.yaml": withSchema("{$ref: link.yaml}")})
	if err := os.Symlink(filepath.Join(secret, "secret.yaml"), filepath.Join(dir, "link.yaml")); err != nil {
		t.Skip(err)
	}
	if _, err := Load(t.Context(), dir, Options{}); err == nil || !strings.Contains(err.Error(), "path escapes") {
		t.Errorf("error %v", err)
	}
}

func TestRemote(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/schemas/pet.yaml":
			fmt.Fprintln(w, "type: object\nproperties: {owner: {$ref: 'owner.yaml#/Owner'}}")
		case "/schemas/owner.yaml":
			fmt.Fprintln(w, "Owner: {type: object, properties: {name: {type: string}}}")
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	dir := write(t, map[string]string{"openapi.yaml": withSchema("{$ref: '" + server.URL + "/schemas/pet.yaml'}")})
	api, err := Load(t.Context(), dir, Options{Remote: true})
	if err != nil {
		t.Fatal(err)
	}
	if op := only(t, api); op.Result.Type != "Pet" {
		t.Errorf("result %+v, notes %v", op.Result, api.Notes)
	}
	dir = write(t, map[string]string{"openapi.yaml": withSchema("{$ref: '" + server.URL + "/missing.yaml'}")})
	if _, err := Load(t.Context(), dir, Options{Remote: true}); err == nil || !strings.Contains(err.Error(), "404 Not Found") {
		t.Errorf("error %v", err)
	}
}

// Values of the API may look like references, and members of components may be called like keywords.
func TestNotReferences(t *testing.T) {
	document := withSchema("{type: object, properties: {$ref: {type: string}, default: {$ref: '#/components/schemas/example'}}, example: {$ref: nowhere}}") +
		"components: {schemas: {example: {type: string, default: {$ref: 'https://example.com'}, x-origin: {$ref: nowhere}}}}\n"
	if _, err := Load(t.Context(), write(t, map[string]string{"openapi.yaml": document}), Options{}); err != nil {
		t.Error(err)
	}
}

// only returns the operation of an API that has one.
func only(t *testing.T, api *API) *Operation {
	t.Helper()
	if len(api.Services) != 1 || len(api.Services[0].Operations) != 1 {
		t.Fatalf("services %v, want one with one operation; notes %v", api.Services, api.Notes)
	}
	return api.Services[0].Operations[0]
}
