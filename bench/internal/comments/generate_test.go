package comments_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/internal/comments"
	"github.com/mcptool-go/mcptool/internal/testing/golden"
)

const generated = "comments_gen.go"

// newModules copies testdata to two modules, and returns the directory of the one with the program.
func newModules(t *testing.T) string {
	t.Helper()
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod -trimpath") // the source is found in spite of the flag
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	core, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	mod, sum := readFile(t, filepath.Join(core, "go.mod")), readFile(t, filepath.Join(core, "go.sum"))
	writeFile(t, filepath.Join(dir, "geo", "go.mod"), "module example.com/geo\n\ngo 1.26.0\n")
	app := filepath.Join(dir, "app")
	writeFile(t, filepath.Join(app, "go.mod"), "module example.com/app.v2\n\ngo 1.26.0\n\nrequire (\n\texample.com/geo v0.0.0\n\tgithub.com/mcptool-go/mcptool v0.0.0\n)\n\n"+
		"replace (\n\texample.com/geo => ../geo\n\tgithub.com/mcptool-go/mcptool => "+core+"\n)\n\n"+mod[strings.Index(mod, "require ("):])
	writeFile(t, filepath.Join(app, "go.sum"), sum)
	return app
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func generate(t *testing.T, dir, tags string) *comments.File {
	t.Helper()
	f, err := comments.Generate(t.Context(), dir, tags, generated)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The file is the same every time, whether there is one or not; and a program without its source,
// built with -trimpath, serves the comments.
func TestGenerate(t *testing.T) {
	app := newModules(t)
	f := generate(t, app, "")
	if f.Warnings != nil {
		t.Errorf("warnings: %q", f.Warnings)
	}
	golden.Open(t, "testdata/app.golden").Check(t, generated, string(f.Data))
	writeFile(t, filepath.Join(app, generated), string(f.Data))
	if again := generate(t, app, ""); !bytes.Equal(again.Data, f.Data) {
		t.Errorf("the second time, the file is\n%s", again.Data)
	}
	if tagged := string(generate(t, app, "other,tagged").Data); !strings.Contains(tagged, `{"#Service.Extra", "Only built with a tag."}`) {
		t.Errorf("with a build tag, the file is\n%s", tagged)
	}
	if testing.Short() {
		t.Skip("builds the program without the build cache of other tests")
	}
	program := filepath.Join(t.TempDir(), "app.exe")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Dir = app
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.RemoveAll(filepath.Dir(app)); err != nil {
		t.Fatal(err)
	}
	golden.Open(t, "testdata/tools.golden").Check(t, "tools/list", toolsOf(t, program))
}

// toolsOf returns the descriptions and input schemas of the tools of a program.
func toolsOf(t *testing.T, program string) string {
	t.Helper()
	server := exec.CommandContext(t.Context(), program)
	server.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n")
	out, err := server.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Result struct {
			Tools []struct {
				Name, Description string
				InputSchema       json.RawMessage
				OutputSchema      json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(answer.Result.Tools); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGenerateErrors(t *testing.T) {
	for _, test := range []struct{ name, source, want, reason string }{
		{"empty", "", "no Go files in", "go list reports it"},
		{"syntax", "package app\nfunc", "expected 'IDENT'", "the file cannot be read in part"},
		{"types", "package app\nvar x int = \"\"", "cannot use \"\"", "the comments of the rest would be incomplete"},
		{"import", "package app\nimport _ \"example.com/missing\"", "example.com/missing", "types could not be found"},
		{"no tools", "package app\n// F is not a tool.\nfunc F() {}", "no comments of tools, prompts or resources", "a file without comments has no use"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := comments.Generate(t.Context(), newModule(t, test.source), "", generated); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q in it; %s", err, test.want, test.reason)
			}
		})
	}
}

// newModule returns the directory of a module without requirements.
func newModule(t *testing.T, source string) string {
	t.Helper()
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/app\n\ngo 1.26.0\n")
	if source != "" {
		writeFile(t, filepath.Join(dir, "app.go"), source)
	}
	return dir
}

// TestGenerateHandlers: handlers of other frameworks are not tools, also if they are passed to this framework. The modules of
// the frameworks have only the types of a handler.
func TestGenerateHandlers(t *testing.T) {
	dir := newModule(t, `package app

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mcptool-go/mcptool/integrations/mcpgo"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// In has arguments.
type In struct {
	A int // of a tool
}

// Tool is a tool.
func Tool(context.Context, In) (In, error) { return In{}, nil }

// Handle is declared.
func Handle(context.Context, mcp.Request) (*mcp.Result, error) { return nil, nil }

// HandlePointer is of the other framework, and its request is an alias.
func HandlePointer(context.Context, *sdk.Request) (*sdk.Result, error) { return nil, nil }

// Helper has only the result of a handler.
func Helper(context.Context, In) (*mcp.Result, error) { return nil, nil }

var _ = mcpgo.Handler(Handle)
`)
	t.Setenv("GOFLAGS", "-mod=mod")
	types := "package mcp\n\n// Params are not needed.\ntype Params[T any] struct {\n\tHeader T // not needed\n}\n\n" +
		"// Request is not needed.\ntype Request = Params[string]\n\n// Result is not needed.\ntype Result struct {\n\tText string // not needed\n}\n"
	requirements := ""
	for _, module := range []struct{ path, pkg, source string }{
		{"github.com/mark3labs/mcp-go", "mcp", types},
		{"github.com/modelcontextprotocol/go-sdk", "mcp", types},
		{"github.com/mcptool-go/mcptool/integrations/mcpgo", "", "package mcpgo\n\nfunc Handler(handler any) any { return handler }\n"},
	} {
		stub := t.TempDir()
		if err := os.MkdirAll(filepath.Join(stub, module.pkg), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(stub, "go.mod"), "module "+module.path+"\n\ngo 1.26.0\n")
		writeFile(t, filepath.Join(stub, module.pkg, "stub.go"), module.source)
		requirements += "\nrequire " + module.path + " v0.0.0\n\nreplace " + module.path + " => " + stub + "\n"
	}
	writeFile(t, filepath.Join(dir, "go.mod"), readFile(t, filepath.Join(dir, "go.mod"))+requirements)
	_, pairs, _ := strings.Cut(string(generate(t, dir, "").Data), "doccomment.Register(")
	want := "generatedComments{\n\t{\"#In\", \"Has arguments.\"},\n\t{\"#In.A\", \"of a tool\"},\n\t{\"#Tool\", \"A tool.\"},\n})\n"
	if pairs != want {
		t.Errorf("got\n%s\nwant\n%s", pairs, want)
	}
}

func TestGenerateWarnings(t *testing.T) {
	sentence := "This sentence is repeated until there are more characters than a description may have. "
	dir := newModule(t, `package app

import "context"

// Long is long. `+strings.Repeat(sentence, 20)+`
func Long(context.Context, In) (Out, error) { return Out{}, nil }

type In struct {
	A int // is left out
}

type Out struct {
	// `+strings.Repeat("word ", 300)+`
	B int
}

func main() { type In struct{} }
`)
	f := generate(t, dir, "")
	want := []string{
		"app.go:6: the comment of Long is longer than 1024 characters; 962 are kept",
		"app.go:14: the comment of B is longer than 1024 characters; 1020 are kept",
		"example.com/app: several types are called In, or a func and a type in a func; the comments of the types are left out",
	}
	for _, w := range want {
		if !strings.Contains(strings.Join(f.Warnings, "\n"), w) {
			t.Errorf("no warning %q in\n%s", w, strings.Join(f.Warnings, "\n"))
		}
	}
	text := string(f.Data)
	if len(f.Warnings) != len(want) || strings.Contains(text, "left out") || !strings.Contains(text, `may have."},`) || !strings.Contains(text, `word…"},`) {
		t.Errorf("%q\n%s", f.Warnings, text)
	}
}
