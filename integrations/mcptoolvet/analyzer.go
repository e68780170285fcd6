package mcptoolvet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/mcptool-go/mcptool/reflectschema/wellknown"
)

// Analyzer reports the mistakes that registration reports, and ignored errors of questions to the user. See the package
// documentation.
var Analyzer = &analysis.Analyzer{
	Name:      "mcptoolvet",
	Doc:       "report mistakes in the tags, types and names of mcptool tools, prompts, resources and forms",
	URL:       "https://pkg.go.dev/github.com/mcptool-go/mcptool/integrations/mcptoolvet",
	Requires:  []*analysis.Analyzer{inspect.Analyzer},
	FactTypes: []analysis.Fact{new(registrations)},
	Run:       run,
}

// The packages whose calls are checked.
const (
	toolPackage    = "github.com/mcptool-go/mcptool/mcptool"
	schemaPackage  = "github.com/mcptool-go/mcptool/reflectschema"
	commentPackage = schemaPackage + "/doccomment"
	namesPackage   = schemaPackage + "/wellknown"
)

var checkedPackages = []string{toolPackage, schemaPackage, commentPackage, namesPackage}

// registrations lists the types and constants that a package registers.
type registrations struct {
	Types     []string            // with reflectschema, as typeID returns them, or anyType
	Constants map[string][]string // with doccomment: the values of the constants of a type, by its typeID
}

// anyType means that a generic func registers types, which may be any but structs.
const anyType = "any"

// AFact implements [analysis.Fact].
func (*registrations) AFact() {}

func (r *registrations) String() string { return "registers " + strings.Join(r.Types, ", ") }

func run(pass *analysis.Pass) (any, error) {
	if !slices.ContainsFunc(pass.Pkg.Imports(), func(p *types.Package) bool { return slices.Contains(checkedPackages, p.Path()) }) {
		return nil, nil //nolint:nilnil // the package uses none of them
	}
	c := &checker{pass: pass, reported: map[string]bool{}, checked: map[types.Type]bool{}}
	c.types.registered, c.types.constants = map[string]bool{}, map[string][]string{}
	c.types.isMain, c.types.pass = pass.Pkg.Name() == "main", pass
	calls := c.calls()
	c.noteRegistrations(calls)
	for _, call := range calls {
		c.call(call)
	}
	c.taggedTypes()
	c.ignoredErrors()
	return nil, nil //nolint:nilnil // the result of an analyzer without ResultType
}

// A checker checks one package.
type checker struct {
	pass     *analysis.Pass
	types    typeTable
	reported map[string]bool     // position and message
	checked  map[types.Type]bool // argument types of calls
	fields   map[token.Pos]*ast.Field
}

// A call is a call of a func of mcptool, reflectschema or doccomment.
type call struct {
	*ast.CallExpr
	pkg, name string
	typeArgs  []types.Type
}

// calls returns the calls of funcs of the checked packages, in the order of the source.
func (c *checker) calls() (list []call) {
	c.inspector().Preorder([]ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node) {
		if made := c.callOf(n.(*ast.CallExpr)); made.name != "" {
			list = append(list, made)
		}
	})
	return list
}

func (c *checker) inspector() *inspector.Inspector {
	return c.pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
}

// callOf returns the zero call if the func is not one of the packages.
func (c *checker) callOf(expr *ast.CallExpr) call {
	fn, ok := typeutil.Callee(c.pass.TypesInfo, expr).(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Signature().Recv() != nil || !slices.Contains(checkedPackages, fn.Pkg().Path()) {
		return call{}
	}
	made := call{CallExpr: expr, pkg: fn.Pkg().Path(), name: fn.Name()}
	fun := ast.Unparen(expr.Fun)
	switch index := fun.(type) {
	case *ast.IndexExpr:
		fun = index.X
	case *ast.IndexListExpr:
		fun = index.X
	}
	id, ok := fun.(*ast.Ident)
	if selector, isSelector := fun.(*ast.SelectorExpr); isSelector {
		id, ok = selector.Sel, true
	}
	if ok {
		made.typeArgs = slices.Collect(c.pass.TypesInfo.Instances[id].TypeArgs.Types())
	}
	return made
}

// noteRegistrations collects the registrations of this package and of those that it imports.
func (c *checker) noteRegistrations(calls []call) {
	own := registrations{Constants: c.registeredConstants(calls)}
	for _, call := range calls {
		if call.pkg == namesPackage && call.name == "Register" {
			own.Types = append(own.Types, wellknown.Names()...)
			continue
		}
		if call.pkg != schemaPackage || !slices.Contains([]string{"RegisterUnion", "RegisterEnum", "RegisterSchema", "RegisterCodec", "RegisterJSON"}, call.name) || len(call.typeArgs) == 0 {
			continue
		}
		switch t := types.Unalias(call.typeArgs[0]).(type) {
		case *types.Named:
			own.Types = append(own.Types, typeID(t))
		case *types.TypeParam:
			own.Types = append(own.Types, anyType)
		}
	}
	if len(own.Types)+len(own.Constants) > 0 {
		c.pass.ExportPackageFact(&own)
	}
	facts := c.pass.AllPackageFacts()
	slices.SortFunc(facts, func(a, b analysis.PackageFact) int { return strings.Compare(a.Package.Path(), b.Package.Path()) })
	for _, fact := range facts {
		if r, ok := fact.Fact.(*registrations); ok && fact.Package != c.pass.Pkg {
			c.types.add(fact.Package, r)
		}
	}
	c.types.add(c.pass.Pkg, &own)
}

// add adds the registrations of a package.
func (table *typeTable) add(p *types.Package, r *registrations) {
	for _, id := range r.Types {
		table.registered[id] = true
	}
	for id, values := range r.Constants {
		// The first registration is used: Go initializes the package of a type before others.
		if table.constants[id] == nil || id[:strings.LastIndexByte(id, '.')] == p.Path() {
			table.constants[id] = values
		}
	}
}
