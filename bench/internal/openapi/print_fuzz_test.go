package openapi

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

// isCode reports whether a string of the model is a name or a type in Go, or one of a few words, and not a text of the document.
func isCode(owner reflect.Type, f reflect.StructField) bool {
	if f.Type != reflect.TypeFor[string]() {
		return f.Type.Kind() == reflect.String // a kind
	}
	switch owner.Name() + "." + f.Name {
	case "Param.In", "Param.Style", "Part.Style", "Param.Field", "Body.Field", "Decl.Type", "Field.Type", "Result.Type", "Service.File":
		return true
	}
	return f.Name == "GoName"
}

// visitStrings calls change with every string of a value that is not empty.
func visitStrings(v reflect.Value, code bool, change func(v reflect.Value, code bool)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			visitStrings(v.Elem(), code, change)
		}
	case reflect.Slice:
		for i := range v.Len() {
			visitStrings(v.Index(i), code, change)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			visitStrings(v.Field(i), isCode(v.Type(), v.Type().Field(i)), change)
		}
	case reflect.String:
		if v.String() != "" {
			change(v, code)
		}
	default: // numbers and bools
	}
}

// withTexts returns an API in which each text of the document is this one.
func withTexts(text string) *API {
	api := everything()
	api.Description, api.Services[0].Doc, api.Services[0].Group, api.Types[0].Doc, api.Types[2].Doc = "x", "x", "x", "x", "x"
	api.Notes = []Note{{"x", "x", "x", false}, {"", "x", "x", true}, {"x", "x", "x", true}}
	visitStrings(reflect.ValueOf(api), false, func(v reflect.Value, code bool) {
		if !code {
			v.SetString(text)
		}
	})
	for _, o := range api.Services[0].Operations {
		o.Description = text
		if o.Example != nil {
			o.Example.Response = text
		}
	}
	api.Notes = append(api.Notes, Note{Operation: text + " " + text, Part: text, Text: text})
	return api
}

// checkComments checks that the comments of a file have no effect.
func checkComments(t *testing.T, name string, file *ast.File) {
	t.Helper()
	isOnce := slices.Contains([]string{"tools.go", "main.go"}, name)
	if ast.IsGenerated(file) == isOnce {
		t.Errorf("%s: generated %v, want %v", name, !isOnce, isOnce)
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			text, ok := strings.CutPrefix(c.Text, "//")
			if !ok || text != "" && text[0] != ' ' && text[0] != '\t' || strings.HasPrefix(strings.TrimSpace(text), "+") || strings.ContainsAny(text, "\r\n\u202e\u2066") {
				t.Errorf("%s has the comment %q", name, c.Text)
			}
		}
	}
}

// isMade reports whether a file is Go source that is made of the document, and not copied.
func isMade(f File) bool {
	return strings.HasSuffix(f.Name, ".go") && !slices.Contains([]string{"client.go", "encode.go", "oauth.go"}, f.Name)
}

// shapes returns the nodes of each file that is made of the document, with their names, but without the values of literals.
func shapes(t *testing.T, files []File) map[string]string {
	t.Helper()
	byName := map[string]string{}
	for i, f := range files {
		if !isMade(f) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		checkComments(t, f.Name, file)
		file.Comments = nil
		var b strings.Builder
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CommentGroup:
				return false
			case *ast.Ident:
				fmt.Fprint(&b, n.Name, " ")
			case *ast.ImportSpec:
				fmt.Fprint(&b, n.Path.Value, " ")
			default:
				fmt.Fprintf(&b, "%T ", n)
			}
			return true
		})
		byName[fmt.Sprint(i)] = b.String() // the names of files of services differ
	}
	return byName
}

// isGuard reports whether a statement is the one around the use of an argument that may be nil: if in.Shape != nil. Whether
// there is one depends on the type of the argument.
func isGuard(s *ast.IfStmt) bool {
	c, ok := s.Cond.(*ast.BinaryExpr)
	if !ok || c.Op != token.NEQ || s.Init != nil || s.Else != nil || len(s.Body.List) != 1 {
		return false
	}
	x, ok := c.X.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	in, ok := x.X.(*ast.Ident)
	none, isIdent := c.Y.(*ast.Ident)
	return ok && in.Name == "in" && isIdent && none.Name == "nil"
}

// statements returns how many declarations and statements each file has, without imports and guards.
func statements(t *testing.T, files []File) map[string]int {
	t.Helper()
	count := map[string]int{}
	for _, f := range files {
		if !isMade(f) {
			continue
		}
		key := f.Name
		if !slices.Contains([]string{"api.go", "types.go", "examples_test.go", "tools.go", "main.go"}, key) {
			key = "service" // whose name may be what is changed
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Data, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				return n.Tok != token.IMPORT
			case *ast.IfStmt:
				if isGuard(n) {
					count[key]-- // the block
				} else {
					count[key]++
				}
			case ast.Stmt, *ast.FuncDecl, ast.Spec:
				count[key]++
			}
			return true
		})
	}
	return count
}

// FuzzPrint puts a text into every string of an API: the source must have the same declarations and statements as with harmless
// texts. Then it puts the text into one name or type, which must be an error, or change nothing else.
func FuzzPrint(f *testing.F) {
	for _, text := range []string{
		"x", "`", "\"", "\\", "*/", "\n", "\r\n//go:generate rm -rf /\n", "\n// +build ignore\n", "+build ignore", "#include <stdio.h>", "\u202eevil\u2066", "\xff\xfe", "\x00\x1b[31m",
		"`)\n}\nfunc init() { panic(1) }\n//", "\" json:\"other", "`+os.Getenv(\"HOME\")+`", "\ufeff", "\u2028\u2029\u0085", "Code generated by me. DO NOT EDIT.", "a.go\x00/../../b", "{{.Command}}",
		strings.Repeat("long +words #here - with [links]: too ", 20), ",omitzero", "-", "*struct{ F func() }", "[1]int", "Pet /* */", "os.File", "map[string]any", "é", "type", "%s%d", "\U000e0041\U000e0042",
		"\nimport \"C\"\n", "//line evil.go:1", "Deprecated: x", "</script>", "a/b/_test", "$1",
	} {
		f.Add(text, uint(len(text)))
	}
	for n := range uint(80) { // the type of a union, and one of no union, in every place
		f.Add("A", n)
		f.Add("Shape", n)
	}
	options := PrintOptions{Module: "example.com/m"}
	var once sync.Once
	var want map[string]string
	var wantStatements map[string]int
	f.Fuzz(func(t *testing.T, text string, n uint) {
		once.Do(func() {
			want = shapes(t, printed(t, withTexts("x"), options))
			wantStatements = statements(t, printed(t, everything(), options))
		})
		got := shapes(t, printed(t, withTexts("x"+text), options))
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("with the text %q, file %s is\n%s\nwant\n%s", text, i, got[i], want[i])
			}
		}
		api := everything()
		var codes []reflect.Value
		visitStrings(reflect.ValueOf(api), false, func(v reflect.Value, code bool) {
			if code {
				codes = append(codes, v)
			}
		})
		codes[n%uint(len(codes))].SetString(text)
		if files, err := Print(api, options); err == nil {
			shapes(t, files) // checks comments
			if got := statements(t, files); !maps.Equal(got, wantStatements) {
				t.Errorf("with the name or type %q, the files have the declarations and statements\n%v\nwant\n%v", text, got, wantStatements)
			}
		}
	})
}
