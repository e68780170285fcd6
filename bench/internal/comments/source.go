package comments

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A goPackage is a package as go list describes it.
type goPackage struct {
	ImportPath, Name, Dir, Export string
	GoFiles, CgoFiles             []string
	Standard                      bool
	Module                        *struct{ Path string }
	Error                         *struct{ Err string }

	notes map[position]*note // nil until the files have been parsed
	names map[string]int     // how many funcs, and types, also in funcs, the files declare by each name
}

// A position identifies a declared name. Export data has no columns.
type position struct {
	file string
	line int
	name string
}

// A note is the comment of a declared name.
type note struct {
	doc   string // without comment markers; "" if there is none
	order int    // of the name in its package
}

// A source has a package with its syntax and types, and the packages that it imports, directly or
// not.
type source struct {
	*goPackage
	packages map[string]*goPackage
	fset     *token.FileSet
	files    []*ast.File
	types    *types.Package
	info     *types.Info
}

// load reads the package in a directory without its tests and without the generated file. Other
// packages are read from the export data of the compiler, and from their files where comments are
// needed.
func load(ctx context.Context, dir, tags, generated string) (*source, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-export", "-deps", "-trimpath=false", "-tags="+tags,
		"-json=ImportPath,Name,Dir,Export,GoFiles,CgoFiles,Standard,Module,Error", ".")
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	s := &source{packages: map[string]*goPackage{}, fset: token.NewFileSet()}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		p := new(goPackage)
		if err := d.Decode(p); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		s.packages[p.ImportPath] = p
		s.goPackage = p // the last one is the package itself
	}
	if s.goPackage == nil {
		return nil, errors.New("go list: no package")
	}
	return s, s.check(generated)
}

// check parses the files and determines the types.
func (s *source) check(generated string) error {
	isGenerated := func(name string) bool { return name == generated }
	s.GoFiles = slices.DeleteFunc(s.GoFiles, isGenerated)
	if len(s.GoFiles)+len(s.CgoFiles) == 0 {
		return errors.New(cmp.Or(s.errorText(), "there are no Go files"))
	}
	var err error
	if s.files, err = s.parse(s.fset); err != nil {
		return err
	}
	s.info = &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Types: map[ast.Expr]types.TypeAndValue{}}
	conf := types.Config{FakeImportC: true, Importer: importer.ForCompiler(s.fset, "gc", func(path string) (io.ReadCloser, error) {
		p := s.packages[path]
		if p == nil || p.Export == "" {
			return nil, fmt.Errorf("%s does not compile", path)
		}
		return os.Open(p.Export)
	})}
	s.types, err = conf.Check(s.ImportPath, s.fset, s.files, s.info)
	return err
}

// isForeign reports whether a package is of another module than the one that the comments are for.
func (s *source) isForeign(p *goPackage) bool {
	return s.Module != nil && p.Module != nil && p.Module.Path != s.Module.Path
}

func (p *goPackage) errorText() string {
	if p.Error == nil {
		return ""
	}
	return p.Error.Err
}

// parse parses the files of a package, and notes their comments.
func (p *goPackage) parse(fset *token.FileSet) (files []*ast.File, err error) {
	p.notes, p.names = map[position]*note{}, map[string]int{}
	for _, name := range slices.Sorted(slices.Values(slices.Concat(p.GoFiles, p.CgoFiles))) {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
		ast.Inspect(f, func(n ast.Node) bool {
			p.noteNode(fset, n)
			return true
		})
	}
	return files, nil
}

// noteNode notes the comment of a declaration.
func (p *goPackage) noteNode(fset *token.FileSet, n ast.Node) {
	add := func(id *ast.Ident, groups ...*ast.CommentGroup) {
		at := fset.PositionFor(id.Pos(), false)
		made := &note{order: len(p.notes)}
		for _, g := range groups {
			made.doc = cmp.Or(made.doc, strings.TrimSpace(withoutMarkers(g.Text())))
		}
		p.notes[position{at.Filename, at.Line, id.Name}] = made
	}
	switch n := n.(type) {
	case *ast.FuncDecl:
		add(n.Name, n.Doc)
		if n.Recv == nil {
			p.names[n.Name.Name]++
		}
	case *ast.GenDecl:
		if spec, ok := n.Specs[0].(*ast.TypeSpec); ok && !n.Lparen.IsValid() {
			spec.Doc = n.Doc
		}
		if spec, ok := n.Specs[0].(*ast.ValueSpec); ok && !n.Lparen.IsValid() {
			spec.Doc = n.Doc
		}
	case *ast.TypeSpec:
		add(n.Name, n.Doc, n.Comment)
		p.names[n.Name.Name]++
	case *ast.ValueSpec:
		for _, id := range n.Names {
			add(id, n.Doc, n.Comment)
		}
	case *ast.StructType:
		for _, f := range n.Fields.List {
			for _, id := range f.Names {
				add(id, f.Doc, f.Comment)
			}
			if id := embeddedName(f.Type); len(f.Names) == 0 && id != nil {
				add(id, f.Doc, f.Comment)
			}
		}
	}
}

// embeddedName returns the name of the field that embeds a type.
func embeddedName(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.StarExpr:
		return embeddedName(e.X)
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return embeddedName(e.X)
	case *ast.IndexListExpr:
		return embeddedName(e.X)
	}
	return nil
}

// of returns the package of an object with its notes, nil if it is predeclared, in the standard
// library or in this framework, whose types have their own descriptions.
func (s *source) of(obj types.Object) *goPackage {
	if obj.Pkg() == nil {
		return nil
	}
	p := s.packages[obj.Pkg().Path()]
	if p == nil || p.Standard || p.ImportPath == toolPackage || s.isForeign(p) && s.isFramework(obj) {
		return nil
	}
	if p.notes == nil {
		if _, err := p.parse(token.NewFileSet()); err != nil {
			return nil // it has compiled, so the files have changed since
		}
	}
	return p
}

// note returns the comment of an object, an empty one if its package has none.
func (s *source) note(obj types.Object) *note {
	at := s.fset.PositionFor(obj.Pos(), false)
	if p := s.of(obj); p != nil {
		if found := p.notes[position{at.Filename, at.Line, obj.Name()}]; found != nil {
			return found
		}
	}
	return new(note)
}
