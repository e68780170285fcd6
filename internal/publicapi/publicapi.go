// Package publicapi lists the exported names of a package, one per line, like the directory api of the Go project.
// Stored in a file, the list shows each API change in review.
package publicapi

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// List returns the sorted lines for the package in a directory. A function, method, field or interface method is listed
// with its type, a constant or variable only if its type is in the source. It reads only files for Linux, without
// tests. It lists embedded fields, but not promoted fields and methods.
func List(dir string) ([]string, error) {
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
