package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/golden"
)

// petstore is an API with one of everything that people use most.
func petstore() *API {
	petID := Field{GoName: "PetID", JSON: "pet_id", Type: "int64", Keywords: []string{"minimum=1"}, Doc: "Number of the pet"}
	name := Field{GoName: "Name", JSON: "name", Type: "string", Keywords: []string{"minLength=1", "maxLength=80"}}
	status := Field{GoName: "Status", JSON: "status", Type: "*PetStatus", Absent: true, Keywords: []string{"enum=available", "enum=sold"}}
	return &API{
		Title: "Petstore", Version: "1.0.7", BaseURL: "https://petstore.example.com/v1", EnvPrefix: "PETSTORE",
		Schemes: []Scheme{
			{Name: "api_key", Kind: SchemeAPIKey, In: "header", Key: "api_key"},
			{Name: "petstore_auth", Kind: SchemeBearer},
		},
		Security: []Requirement{{"api_key"}, {"petstore_auth"}},
		Types: []*Decl{
			{GoName: "Pet", Kind: DeclStruct, Doc: "A pet of the store.", Fields: []Field{
				{GoName: "ID", JSON: "id", Type: "int64"},
				{GoName: "Name", JSON: "name", Type: "string"},
				{GoName: "Status", JSON: "status", Type: "PetStatus", Absent: true},
			}},
			{GoName: "PetInput", Kind: DeclStruct, Doc: "A pet of the store.", Fields: []Field{name, status}},
			{GoName: "PetStatus", Kind: DeclEnum, Values: []EnumItem{{"PetStatusAvailable", "available"}, {"PetStatusSold", "sold"}}},
		},
		Services: []*Service{
			{GoName: "Pets", Group: "pets", File: "pets", Doc: "Everything about pets", Operations: []*Operation{
				{
					Method: "GET", Path: "/pets", GoName: "ListPets", ToolName: "list_pets", Description: "Pets with a status", ReadOnly: true,
					Args: &Decl{GoName: "ListPetsIn", Kind: DeclStruct, Fields: []Field{
						{GoName: "Status", JSON: "status", Type: "[]PetStatus", Absent: true, Keywords: []string{"enum=available", "enum=sold"}, Doc: "Which pets; all by default"},
					}},
					Params:  []Param{{Field: "Status", Name: "status", In: "query", Style: "form"}},
					Result:  Result{Kind: ResultJSON, MediaType: "application/json", Type: "[]Pet"},
					Example: &Example{Args: []byte(`{}`), Path: "/pets", Status: 200, MediaType: "application/json", Response: json.RawMessage(`[{"id":7,"name":"Rex"}]`)},
				},
				{
					Method: "PUT", Path: "/pets/{pet_id}", GoName: "UpdatePet", ToolName: "update_pet", Description: "Update a pet", Idempotent: true,
					Args: &Decl{GoName: "UpdatePetIn", Kind: DeclStruct, Fields: []Field{
						petID,
						{GoName: "RequestID", JSON: "X-Request-ID", Type: "*string", Absent: true, Doc: "Identifies the request"},
						{GoName: "PetInput", Type: "PetInput"},
					}},
					Params: []Param{{Field: "PetID", Name: "pet_id", In: "path", Style: "simple"}, {Field: "RequestID", Name: "X-Request-ID", In: "header", Style: "simple"}},
					Body:   &Body{Field: "PetInput", Kind: BodyJSON, MediaType: "application/json"},
					Result: Result{Kind: ResultJSON, MediaType: "application/json", Type: "Pet"},
					Example: &Example{
						Args: []byte(`{"pet_id":7,"name":"Rex"}`), Path: "/pets/7", Body: []byte(`{"name":"Rex"}`),
						Status: 200, MediaType: "application/json", Response: json.RawMessage(`{"id":7,"name":"Rex","status":"sold"}`),
					},
				},
				{
					Method: "DELETE", Path: "/pets/{pet_id}", GoName: "DeletePet", ToolName: "delete_pet", Description: "Remove a pet",
					Idempotent: true, Destructive: new(true), Deprecated: true,
					Args:     &Decl{GoName: "DeletePetIn", Kind: DeclStruct, Fields: []Field{petID}},
					Params:   []Param{{Field: "PetID", Name: "pet_id", In: "path", Style: "simple"}},
					Result:   Result{Kind: ResultNone},
					Security: &[]Requirement{{"petstore_auth"}},
					Example:  &Example{Args: []byte(`{"pet_id":7}`), Path: "/pets/7", Status: 204},
				},
			}},
			{GoName: "Store", Group: "store", File: "store", Operations: []*Operation{{
				Method: "GET", Path: "/inventory", GoName: "GetInventory", ToolName: "get_inventory", Description: "Number of pets by status", ReadOnly: true,
				Args:     &Decl{GoName: "GetInventoryIn", Kind: DeclStruct},
				Result:   Result{Kind: ResultJSON, MediaType: "application/json", Type: "map[string]int64"},
				Security: &[]Requirement{},
				Example:  &Example{Args: []byte(`{}`), Path: "/inventory", Status: 200, MediaType: "application/json", Response: json.RawMessage(`{"sold":3}`)},
			}}},
		},
		Notes: []Note{
			{Operation: "PUT /pets/{pet_id}", Part: "parameter debug", Text: "its schema is not, so it is left out"},
			{Operation: "POST /pets/{pet_id}/image", Text: "its body is XML", LeftOut: true},
		},
	}
}

func printed(t *testing.T, api *API, o PrintOptions) []File {
	t.Helper()
	files, err := Print(api, o)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The golden files have the whole packages, so that a reader sees what is generated.
func TestPrint(t *testing.T) {
	for name, api := range map[string]*API{"petstore": petstore(), "everything": everything()} {
		options := PrintOptions{Module: "example.com/" + name, ToolVersion: "v0.1.0"}
		files := printed(t, api, options)
		want := golden.Open(t, "testdata/"+name+".golden")
		for _, file := range files {
			if file.Name != "client.go" && file.Name != "encode.go" && file.Name != "oauth.go" && file.Name != "examples_test.go" { // mostly the same as in their sources
				want.Check(t, file.Name, string(file.Data))
			}
		}
		for i, again := range printed(t, api, options) {
			if !bytes.Equal(files[i].Data, again.Data) || files[i].Name != again.Name {
				t.Errorf("%s differs the second time", again.Name)
			}
			if formatted, err := format.Source(again.Data); strings.HasSuffix(again.Name, ".go") && (err != nil || !bytes.Equal(formatted, again.Data)) {
				t.Errorf("%s is not formatted: %v", again.Name, err)
			}
		}
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// newModule writes files to a new module that uses this repository, and returns its directory.
func newModule(t *testing.T, files []File) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range files {
		writeFile(t, filepath.Join(dir, filepath.FromSlash(file.Name)), string(file.Data))
	}
	core, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	_, requires, _ := strings.Cut(readFile(t, filepath.Join(core, "go.mod")), "require (")
	oauth := regexp.MustCompile(`(?m)^\s*golang.org/x/oauth2 .*`).FindString(readFile(t, "../../go.mod"))
	writeFile(t, filepath.Join(dir, "go.mod"), readFile(t, filepath.Join(dir, "go.mod"))+"\nreplace "+Framework+" => "+core+"\n\nrequire (\n"+oauth+requires)
	writeFile(t, filepath.Join(dir, "go.sum"), readFile(t, filepath.Join(core, "go.sum"))+readFile(t, "../../go.sum"))
	return dir
}

// goCommand runs the go command in a module.
func goCommand(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// The generated packages compile, vet finds nothing, and their tests pass.
func TestPrintedTests(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs and runs their tests")
	}
	for _, test := range []struct {
		name    string
		api     *API
		options PrintOptions
	}{
		{"program", petstore(), PrintOptions{}},
		{"everything", everything(), PrintOptions{}},
		{"large", large(), PrintOptions{}},
		{"library", petstore(), PrintOptions{Package: "petstore"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.options.Module, test.options.ToolVersion = "example.com/generated", "v0.0.0"
			dir := newModule(t, printed(t, test.api, test.options))
			goCommand(t, dir, "vet", "./...")
			t.Log(goCommand(t, dir, "test", "./..."))
		})
	}
}

// Names and types that are not Go, and kinds that the model does not have, are errors, all at once.
func TestPrintRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(api *API, o *PrintOptions)
		want   string // in the error
	}{
		{"no operations", func(api *API, _ *PrintOptions) { api.Services = nil }, "there are no operations"},
		{"name", func(api *API, _ *PrintOptions) { api.Types[0].GoName = "a b" }, `"a b" is not a Go name or type`},
		{"type with code", func(api *API, _ *PrintOptions) { api.Types[0].Fields[0].Type = "func()" }, `"func()" is not a Go name or type`},
		{"place", func(api *API, _ *PrintOptions) { api.Services[0].Operations[0].Params[0].In = "a()" }, `"a()" is not a Go name or type`},
		{"several", func(api *API, _ *PrintOptions) { api.Types[0].GoName, api.Types[1].Kind = "a b", "x" }, "\nPetInput: unknown kind of declaration \"x\""},
		{"package name", func(_ *API, o *PrintOptions) { o.Package = "a-b" }, `the package name "a-b" is not a lower-case Go identifier`},
		{"blank package name", func(_ *API, o *PrintOptions) { o.Package = "_" }, `the package name "_" is not a lower-case Go identifier`},
		{"test package", func(_ *API, o *PrintOptions) { o.Package = "pets_test" }, `the package name "pets_test" is not`},
		{"library without path", func(_ *API, o *PrintOptions) { o.Package = "pets" }, "package pets needs an import path, for cmd/pets/main.go"},
		{"module", func(_ *API, o *PrintOptions) { o.Module = "a\nreplace b => c" }, "is neither the path nor the version of a module"},
	} {
		t.Run(test.name, func(t *testing.T) {
			api, options := petstore(), PrintOptions{}
			test.change(api, &options)
			if files, err := Print(api, options); err == nil || files != nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%d files and %v, want an error with %q", len(files), err, test.want)
			}
		})
	}
}

// The exported names of the other generated files are reserved, so that the names of a document differ from them.
func TestReservedNames(t *testing.T) {
	taken := reservedNames()
	for _, f := range printed(t, petstore(), PrintOptions{}) {
		name, isGo := strings.CutSuffix(f.Name, ".go")
		if !isGo || name == "pets" || name == "store" || name == "types" {
			continue
		}
		if !reservedFiles()[name] && name != "examples_test" {
			t.Errorf("the name of the file %s is not reserved", f.Name)
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Data, 0)
		if err != nil {
			t.Fatal(err)
		}
		for name := range file.Scope.Objects {
			if token.IsExported(name) && !taken[name] {
				t.Errorf("the name %s of %s is not reserved", name, f.Name)
			}
		}
	}
}

func TestDefaultToolName(t *testing.T) {
	for method, want := range map[string]string{
		"GetPet": "get_pet", "GetPetByID": "get_pet_by_id", "GetV2": "get_v2", "HTTPGet": "http_get", "GetHTTP2URL": "get_http2_url", "ID": "id", "GetACat": "get_a_cat",
		"ListURLs": "", "URLsToFetch": "", // not worth a rule: the tag has the name
	} {
		if got := defaultToolName(method); got != want {
			t.Errorf("%s is %q, want %q", method, got, want)
		}
	}
}

// TestVariableOfAddress checks that the secret of a scheme is not read from the variable with the address of the API.
func TestVariableOfAddress(t *testing.T) {
	if got := variables(&API{EnvPrefix: "BASE", Schemes: []Scheme{{Name: "url"}}})["url"]; got != "BASE_URL_2" {
		t.Errorf("the variable is %s, want BASE_URL_2", got)
	}
}
