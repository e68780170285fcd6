package openapi

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runSource compiles the declarations of an API, and runs a program that registers and compiles each argument and result for
// tools. It returns what failed.
func runSource(t *testing.T, api *API) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(checkingProgram(api)), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("go", "run", file)
	var failed bytes.Buffer
	command.Stdout, command.Stderr = &failed, &failed
	if err := command.Run(); err != nil {
		fmt.Fprintln(&failed, err)
	}
	return failed.String()
}

func checkingProgram(api *API) string {
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\"encoding/json\"\n\"fmt\"\n\"time\"\n\"github.com/mcptool-go/mcptool/mcptool\"\n" +
		"\"github.com/mcptool-go/mcptool/reflectschema\"\n\"github.com/mcptool-go/mcptool/reflectschema/datetime\"\n)\n\n" +
		"type File struct{ Data []byte `json:\"data\"` }\n\nvar _ = []any{json.RawMessage{}, time.Time{}, datetime.Date{}, mcptool.Optional[string]{}}\n\n")
	b.WriteString(declarations(api))
	var decls []*Decl
	decls = append(decls, api.Types...)
	checks := ""
	for _, s := range api.Services {
		decls = append(decls, s.Types...)
		for _, op := range s.Operations {
			checks += fmt.Sprintf("check[%s](reflectschema.DirectionInput)\n", op.Args.GoName)
			checks += fmt.Sprintf("check[%s](reflectschema.DirectionOutput)\n", op.Args.GoName) // the client writes them
			if op.Result.Type != "" {
				checks += fmt.Sprintf("check[%s](reflectschema.DirectionOutput)\n", op.Result.Type)
			}
		}
	}
	for _, d := range decls {
		switch d.Kind {
		case DeclRaw:
			fmt.Fprintf(&b, "func init() { reflectschema.RegisterSchema[%s](%q) }\n", d.GoName, d.Schema)
		case DeclUnion:
			fmt.Fprintf(&b, "func init() { reflectschema.RegisterUnion(%q, map[string]%s{", d.Discriminator, d.GoName)
			for _, m := range d.Members {
				fmt.Fprintf(&b, "%q: %s{},", m.Value, m.GoName)
			}
			b.WriteString("}) }\n")
			for _, m := range d.Members {
				fmt.Fprintf(&b, "func (%s) is%s() {}\n", m.GoName, d.GoName)
			}
		default: // not registered
		}
	}
	b.WriteString("func check[T any](d reflectschema.Direction) {\nif _, err := reflectschema.Compile(reflect.TypeFor[T](), d); err != nil { fmt.Println(err) }\n}\n")
	fmt.Fprintf(&b, "func main() {\n%s}\n", checks)
	return strings.Replace(b.String(), "\"fmt\"\n", "\"fmt\"\n\"reflect\"\n", 1)
}

// TestCompile compiles the declarations of all cases in one program, whose types the engine must accept.
func TestCompile(t *testing.T) {
	all, taken := new(API), reservedNames()
	for _, tt := range typeCases {
		api, err := translate(t, tt.version, tt.components, tt.use, taken)
		if err != nil {
			t.Fatal(err)
		}
		all.Services = append(all.Services, api.Services...)
	}
	if failed := runSource(t, all); failed != "" {
		t.Error(failed)
	}
}
