package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/internal/openapi"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// petsDocument is a small document with one service.
const petsDocument = `openapi: 3.0.3
info: {title: Pets, version: 1.0.0}
servers: [{url: "https://pets.example.com/v1"}]
security: [{key: []}]
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
paths:
  /pets/{id}:
    get:
      operationId: getPet
      tags: [pets]
      summary: Get a pet
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer, minimum: 1}}
      responses:
        "200":
          description: The pet
          content:
            application/json:
              schema: {type: object, required: [name], properties: {name: {type: string}}}
`

// ordersPath adds an operation with another tag.
const ordersPath = `  /orders:
    get:
      operationId: listOrders
      tags: [orders]
      summary: List orders
      responses:
        "200": {description: Orders, content: {text/plain: {schema: {type: string}}}}
`

// A workspace is a directory with a module that requires this openapi.Framework, and a document.
type workspace struct{ dir, spec string }

// newWorkspace returns a workspace outside of any other module and go.work.
func newWorkspace(t *testing.T) *workspace {
	t.Helper()
	t.Setenv("GOWORK", "off")
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	w := &workspace{dir: t.TempDir()}
	w.write(t, "go.mod", "module example.com/app\n\ngo 1.26.0\n\nrequire "+openapi.Framework+" v0.0.0\n\nreplace "+openapi.Framework+" => "+root+"\n")
	w.spec = w.write(t, "openapi.yaml", petsDocument)
	return w
}

// write writes a file, and returns its path.
func (w *workspace) write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// exists reports whether there is a file.
func (w *workspace) exists(name string) bool {
	_, err := os.Lstat(filepath.Join(w.dir, filepath.FromSlash(name)))
	return err == nil
}

// imports runs bench import on the document, and checks the exit code and the output.
func (w *workspace) imports(t *testing.T, reason string, flags []string, code int, want, not []string) {
	t.Helper()
	args := append([]string{"import", "openapi", w.spec, "--out", filepath.Join(w.dir, "server")}, flags...)
	got, out, complaints := benched(t, args...)
	for _, text := range want {
		if !strings.Contains(out+complaints, text) {
			t.Errorf("%s: no %q in the output", reason, text)
		}
	}
	for _, text := range not {
		if strings.Contains(out+complaints, text) {
			t.Errorf("%s: %q is in the output", reason, text)
		}
	}
	if got != code || t.Failed() {
		t.Fatalf("%s: exit code %d, want %d, stdout:\n%s\nstderr:\n%s", reason, got, code, out, complaints)
	}
}

// A server is written into a module and updated twice. The changes are shown before that, and what the author wrote stays.
func TestImport(t *testing.T) {
	if testing.Short() {
		t.Skip("builds servers")
	}
	w := newWorkspace(t)
	w.imports(t, "a dry run", []string{"--dry-run"}, exitOK, []string{
		"Pets 1.0.0: 1 operation in 1 service\n", "TOKENS*", "get_pet", "in all", "would have been written: ", "tools.go",
	}, []string{"Next:"})
	if w.exists("server") || w.exists("go.sum") {
		t.Error("a dry run has written files")
	}
	w.imports(t, "the first run", nil, exitOK, []string{"written: ", "pets.go", "Next:", "go mod tidy", "bench lint -- go run .\n", "PETS_KEY: ", "  BASE_URL: the address of the API"}, []string{"TOKENS*", "removed", "-replace"})
	w.imports(t, "the same document", nil, exitOK, []string{"all generated files are up to date\n", "kept: tools.go, main.go\n"}, []string{"Next:", "written:"})

	w.write(t, "openapi.yaml", strings.Replace(petsDocument, "minimum: 1", "minimum: 10", 1)+ordersPath)
	breaking := []string{"breaks callers:\n    get_pet: arguments.id", "1 breaking change", "tools.go is yours, and lacks new services", "\tadd(&Orders{c})\n"}
	w.imports(t, "a dry run with a breaking change", []string{"--dry-run"}, exitNo, append(breaking, "would have been written: "), nil)
	if w.exists("server/orders.go") {
		t.Error("a dry run has written files")
	}
	w.imports(t, "a breaking change and a new service", nil, exitNo, append(breaking, "orders.go"), nil)
	w.imports(t, "the change is written", nil, exitOK, []string{"up to date", "\tadd(&Orders{c})\n"}, []string{"breaking"})

	w.write(t, "server/shop.go", "package main\n\ntype shop struct{ Orders }\n\nvar _ = &shop{Orders{}}\n")
	w.imports(t, "a struct of the author embeds the service", nil, exitOK, []string{"up to date"}, []string{"tools.go is yours"})

	w.write(t, "openapi.yaml", strings.Replace(petsDocument, "tags: [pets]", "tags: [animals]", 1)+ordersPath)
	w.imports(t, "a service that tools.go uses is gone", nil, exitNo, []string{
		"removed: pets.go\n", "tools.go:", "undefined: Pets", "A file of yours, such as tools.go,", "\tadd(&Animals{c})\n",
	}, nil)
	if w.exists("server/pets.go") || !w.exists("server/animals.go") {
		t.Error("the files are not those of the document")
	}
}

// A package that is not main has its program below it, and is compared in the same way.
func TestImportLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("builds servers")
	}
	w := newWorkspace(t)
	w.imports(t, "the first run", []string{"--package", "pets"}, exitOK, []string{"cmd/pets/main.go", "bench lint -- go run ./cmd/pets\n"}, nil)
	w.write(t, "openapi.yaml", strings.Replace(petsDocument, "summary: Get a pet", "summary: Get one pet", 1))
	w.imports(t, "the package is that of the files", nil, exitOK, []string{"wording only:\n    get_pet: was description"}, nil)
	w.imports(t, "another package", []string{"--package", "cats"}, exitUsage, []string{"has package pets, not cats; leave out --package"}, nil)
}

// If the go command fails, a dry run has nothing to show, and an update is written without the changes.
func TestImportWithoutGo(t *testing.T) {
	w := newWorkspace(t)
	t.Setenv("PATH", "")
	w.imports(t, "a dry run", []string{"--dry-run"}, exitNo, []string{"would have been written", "there is no go command in PATH"}, nil)
	w.imports(t, "the first run", nil, exitOK, []string{"written: "}, nil)
	w.write(t, "openapi.yaml", petsDocument+ordersPath)
	w.imports(t, "an update", nil, exitNo, []string{"written: ", "orders.go", "there is no go command in PATH"}, nil)
	if !w.exists("server/orders.go") {
		t.Error("the update was not written")
	}
}

// Wrong usage is explained, and nothing is written.
func TestImportUsage(t *testing.T) {
	w := newWorkspace(t)
	outside := t.TempDir()
	w.write(t, "mine/pets.go", "package main\n")
	w.write(t, "file", "")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"swagger", w.spec, "--out", "x"}, `must be one of "openapi"`},
		{[]string{"openapi", "https://example.com/openapi.yaml", "--out", "x"}, "download it first"},
		{[]string{"openapi", w.spec}, "missing flags: --out=DIR"},
		{[]string{"openapi", w.spec, "--out", ""}, "--out is empty"},
		{[]string{"openapi", w.spec, "--out", "x", "--base-url", "api.example.com"}, `base URL "api.example.com": want an http or https URL`},
		{[]string{"openapi", filepath.Join(w.dir, "none.yaml"), "--out", "x"}, "none.yaml: "},
		{[]string{"openapi", w.spec, "--out", filepath.Join(w.dir, "file")}, "nothing was written: " + filepath.Join(w.dir, "file") + " is a file, not a directory"},
		{[]string{"openapi", w.spec, "--out", filepath.Join(w.dir, "mine")}, "pets.go exists, and was not generated"},
		{[]string{"openapi", w.spec, "--out", filepath.Join(w.dir, "new"), "--module", "example.com/x"}, "--module is for a new module"},
		{[]string{"openapi", w.spec, "--out", filepath.Join(outside, "new"), "--module", "a\nb"}, "is neither the path nor the version of a module"},
		{[]string{"openapi", w.spec, "--out", filepath.Join(w.dir, "new"), "--package", "a-b"}, `the package name "a-b"`},
		{[]string{"openapi", w.spec, "--out", filepath.Join(w.dir, "new"), "--", "bin/server"}, "import takes no TARGET"},
	} {
		code, out, complaints := benched(t, append([]string{"import"}, test.args...)...)
		if code != exitUsage || out != "" || !strings.Contains(complaints, test.want) {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q, want %q", test.args, code, out, complaints, test.want)
		}
	}
	if w.exists("new") || w.exists("mine/tools.go") {
		t.Error("files were written")
	}
}

// A directory outside of any module gets a go.mod, and hints for a bench that is not a release. A URL in a flag is not a
// server.
func TestImportNewModule(t *testing.T) {
	w := newWorkspace(t)
	if err := os.Remove(filepath.Join(w.dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	if above := moduleAbove(w.dir); above != "" {
		t.Skipf("the directory of temporary files belongs to the module in %s", above)
	}
	w.imports(t, "a dry run", []string{"--dry-run"}, exitNo, []string{"this bench is not a release"}, nil)
	w.imports(t, "the first run", []string{"--base-url", "https://other.example.com"}, exitOK, []string{"go mod edit -replace " + openapi.Framework + "=CLONE"}, nil)
	mod, err := os.ReadFile(filepath.Join(w.dir, "server", "go.mod"))
	if err != nil || !strings.Contains(string(mod), "module server\n") || !strings.Contains(string(mod), "require "+openapi.Framework+" v0.0.0") {
		t.Errorf("%v\n%s", err, mod)
	}
	api, err := os.ReadFile(filepath.Join(w.dir, "server", "api.go"))
	if err != nil || !strings.Contains(string(api), `"https://other.example.com"`) {
		t.Errorf("%v\n%s", err, api)
	}
}

// Notes with the same text are one line, and only the first are shown without --verbose. Those of operations that are left
// out are all shown.
func TestImportNotes(t *testing.T) {
	t.Parallel()
	i := &importing{importCmd: &importCmd{}, con: &console{}, api: &openapi.API{}}
	if got := i.notes(); got != "" {
		t.Errorf("without notes: %q", got)
	}
	for range 5 {
		i.api.Notes = append(i.api.Notes, openapi.Note{Operation: "GET /a", Part: "parameter p", Text: "common"})
	}
	for n := range maxNotes + 1 {
		text := strings.Repeat("x", n+1)
		i.api.Notes = append(i.api.Notes, openapi.Note{Part: "schema S", Text: text}, openapi.Note{Operation: "PUT /b\x1b[2J\n", Text: "not\n" + text, LeftOut: true})
	}
	got := i.notes()
	for _, want := range []string{
		"\nnot as in the document:\n  GET /a, parameter p; GET /a, parameter p; GET /a, parameter p; 2 more: common\n  schema S: x\n",
		"  … and 2 other notes; --verbose shows all", "\nleft out:\n  PUT /b\ufffd[2J: not x\n", "not " + strings.Repeat("x", maxNotes+1) + "\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if i.Verbose = true; strings.Contains(i.notes(), "more") || !strings.Contains(i.notes(), "schema S: "+strings.Repeat("x", maxNotes+1)+"\n") {
		t.Errorf("not everything is shown:\n%s", i.notes())
	}
}

// The largest argument is that with the longest schema. A schema that is not as expected has none.
func TestLargestArgument(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{"properties":{"a":{ },"b":{"type":"string"},"c":{}}}`: "b 17",
		`{"properties":{"b":{},"a":{}}}`:                        "a 2",
		`{"properties":[]}`:                                     "",
		`{}`:                                                    "",
	} {
		if got := largestArgument([]byte(schema)); got != want {
			t.Errorf("%s: %q, want %q", schema, got, want)
		}
	}
}

// An interrupt during the build leaves the directory as it was.
func TestImportInterrupted(t *testing.T) {
	w := newWorkspace(t)
	w.imports(t, "the first run", nil, exitOK, []string{"written: "}, nil)
	w.write(t, "openapi.yaml", petsDocument+ordersPath)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out bytes.Buffer
	con := newTestConsole("", &out, &out)
	con.err, con.errTerminal = terminal.NewWriter(cancelAt{cancel, "building"}), true
	if code := run(ctx, []string{"import", "openapi", w.spec, "--out", filepath.Join(w.dir, "server")}, con); code != exitInterrupted {
		t.Errorf("exit code %d\n%s", code, out.String())
	}
	if w.exists("server/orders.go") {
		t.Error("files were written")
	}
}

// cancelAt cancels a context when a text is written.
type cancelAt struct {
	cancel context.CancelFunc
	text   string
}

func (c cancelAt) Write(p []byte) (int, error) {
	if strings.Contains(string(p), c.text) {
		c.cancel()
	}
	return len(p), nil
}
