package repotest_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// exportedNames lists the exported names of the package in a directory, one per line and sorted, like the directory api of
// the Go project. A function, method, field or interface method is listed with its type, a constant or variable only if its
// type is in the source. Only files for Linux are read, without tests. Embedded fields are listed, but not promoted fields
// and methods.
func exportedNames(dir string) ([]string, error) {
	system := build.Default
	system.GOOS, system.GOARCH = "linux", "amd64"
	found, err := system.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	l := lister{fset: token.NewFileSet()}
	var files []*ast.File
	for _, name := range found.GoFiles {
		file, err := parser.ParseFile(l.fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	for _, file := range files {
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				l.function(d)
			case *ast.GenDecl:
				l.general(d)
			}
		}
	}
	slices.Sort(l.lines)
	return slices.Compact(l.lines), l.err
}

// lister collects lines.
type lister struct {
	fset  *token.FileSet
	lines []string
	err   error
}

func (l *lister) add(format string, args ...any) {
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

// source formats a node on one line, without comments.
func (l *lister) source(node any) string {
	var b bytes.Buffer
	if err := (&printer.Config{Mode: printer.RawFormat}).Fprint(&b, l.fset, node); err != nil {
		l.err = err
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// function lists a function, or a method of an exported type.
func (l *lister) function(d *ast.FuncDecl) {
	if !d.Name.IsExported() {
		return
	}
	signature := strings.TrimPrefix(l.source(d.Type), "func")
	if d.Recv == nil {
		l.add("func %s%s", d.Name.Name, signature)
		return
	}
	if receiver := d.Recv.List[0].Type; ast.IsExported(baseName(receiver)) {
		l.add("method (%s) %s%s", l.source(receiver), d.Name.Name, signature)
	}
}

// baseName returns the name of the type of a receiver or an embedded field.
func baseName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return baseName(e.X)
	case *ast.IndexExpr:
		return baseName(e.X)
	case *ast.IndexListExpr:
		return baseName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	default:
		return ""
	}
}

// general lists constants, variables and types.
func (l *lister) general(d *ast.GenDecl) {
	var implied ast.Expr // type of constants that repeat the line above
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				l.typeSpec(s)
			}
		case *ast.ValueSpec:
			if d.Tok == token.CONST && (s.Type != nil || len(s.Values) > 0) {
				implied = s.Type
			}
			l.values(d.Tok, s, implied)
		}
	}
}

func (l *lister) values(tok token.Token, s *ast.ValueSpec, implied ast.Expr) {
	typ := s.Type
	if tok == token.CONST {
		typ = implied
	}
	for i, name := range s.Names {
		if !name.IsExported() {
			continue
		}
		line := tok.String() + " " + name.Name
		if typ != nil {
			line += " " + l.source(typ)
		}
		if i < len(s.Values) && tok == token.CONST {
			line += " = " + l.source(s.Values[i])
		}
		l.add("%s", line)
	}
}

func (l *lister) typeSpec(s *ast.TypeSpec) {
	head := "type " + s.Name.Name
	if s.TypeParams != nil {
		var params []string
		for _, p := range s.TypeParams.List {
			for _, name := range p.Names {
				params = append(params, name.Name+" "+l.source(p.Type))
			}
		}
		head += "[" + strings.Join(params, ", ") + "]"
	}
	if s.Assign.IsValid() {
		head += " ="
	}
	switch t := s.Type.(type) {
	case *ast.StructType:
		l.add("%s struct", head)
		l.members(head+" struct", t.Fields, func(name, typ string) string { return name + " " + typ })
	case *ast.InterfaceType:
		l.add("%s interface", head)
		l.members(head+" interface", t.Methods, func(name, typ string) string { return name + strings.TrimPrefix(typ, "func") })
	default:
		l.add("%s %s", head, l.source(s.Type))
	}
}

// members lists the fields of a struct or the methods of an interface. It adds a line if an interface has unexported
// methods, so that other packages cannot implement it.
func (l *lister) members(head string, fields *ast.FieldList, line func(name, typ string) string) {
	for _, f := range fields.List {
		if len(f.Names) == 0 {
			if ast.IsExported(baseName(f.Type)) || strings.HasSuffix(head, "interface") {
				l.add("%s, embeds %s", head, l.source(f.Type))
			}
			continue
		}
		for _, name := range f.Names {
			if name.IsExported() {
				l.add("%s, %s", head, line(name.Name, l.source(f.Type)))
			} else if strings.HasSuffix(head, "interface") {
				l.add("%s, unexported methods", head)
			}
		}
	}
}

func TestExportedNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go": `package p

import "context"

// Comments are not listed.
const A, b = 1, 2

const (
	First Kind = iota // nor here
	Second
	third
)

var Err = make(chan int)
var Text string

type Kind int
type Other = Kind
type hidden struct{ A int }
type Pair[K comparable, V any] struct {
	Key, key K
	Value    V // of the pair
	*Kind
	hidden
}
type Seller interface {
	Buyer
	Sell(price int) (
		sold bool,
		err error,
	)
	sealed()
}
type Buyer interface{ Buy() }

func (p *Pair[K, V]) Get(ctx context.Context, key K) (V, error) { panic("x") }
func (hidden) Lost()                                            {}
func (p *Pair[K, V]) get()                                      {}
func New[T any](v ...T) *Pair[string, T]                        { return nil }
func internal()                                                 {}
`,
		"a_test.go":    "package p\n\nfunc Tested() {}\n",
		"a_windows.go": "package p\n\nfunc Windows() {}\n",
		"a_linux.go":   "package p\n\nfunc System() {}\n",
		"a_darwin.go":  "package p\n\nfunc System() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := exportedNames(dir)
	if err != nil {
		t.Fatal(err)
	}
	const want = `const A = 1
const First Kind = iota
const Second Kind
func New[T any](v ...T) *Pair[string, T]
func System()
method (*Pair[K, V]) Get(ctx context.Context, key K) (V, error)
type Buyer interface
type Buyer interface, Buy()
type Kind int
type Other = Kind
type Pair[K comparable, V any] struct
type Pair[K comparable, V any] struct, Key K
type Pair[K comparable, V any] struct, Value V
type Pair[K comparable, V any] struct, embeds *Kind
type Seller interface
type Seller interface, Sell(price int) ( sold bool, err error, )
type Seller interface, embeds Buyer
type Seller interface, unexported methods
var Err
var Text string`
	if diff := cmp.Diff(want, strings.Join(got, "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExportedNamesFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := exportedNames(dir); err == nil {
		t.Error("a directory without Go files is no package")
	}
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package p\n\nfunc {"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := exportedNames(dir); err == nil {
		t.Error("a file that does not parse has no list")
	}
}
