package main

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// orderFile has the groups of files of package runtime, one group per line, from below: a name, a colon, and the files
// without .go. The files of a group may use what is declared in their own group and in the groups before.
const orderFile = "internal/lab/figures/runtime-order.txt"

// layered are the packages whose files are measured.
var layered = []string{"./mcptool", "./mcptool/mcptooltest", "./reflectschema", "./runtime", "./streamhttp"}

// knots measures how far the files of packages depend on each other: for each package the size of the largest group of
// files that use each other in a circle, for package runtime the uses against its order, and in how many files the
// methods of one type are at most.
func knots(ctx context.Context) ([]figure, error) {
	loaded, err := load(ctx, layered...)
	if err != nil {
		return nil, err
	}
	var circles, spreads []figure
	var against figure
	for _, p := range loaded {
		name := strings.TrimPrefix(p.PkgPath, module+"/")
		circles = append(circles, figure{"files in the largest circle of " + name, float64(largestCircle(fileGraph(p)))})
		spreads = append(spreads, figure{"files of the methods of a type in " + name, float64(widestType(p))})
		if name == "runtime" {
			uses, err := usesAgainst(p, orderFile)
			if err != nil {
				return nil, err
			}
			against = figure{"uses against the order of runtime", float64(len(uses))}
		}
	}
	return append(append(circles, against), spreads...), nil
}

// load type-checks packages and returns them in the order of their paths.
func load(ctx context.Context, patterns ...string) ([]*packages.Package, error) {
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
		packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax
	loaded, err := packages.Load(&packages.Config{Context: ctx, Mode: mode}, patterns...)
	if err != nil {
		return nil, err
	}
	if packages.PrintErrors(loaded) > 0 {
		return nil, errors.New("packages do not compile")
	}
	slices.SortFunc(loaded, func(a, b *packages.Package) int { return strings.Compare(a.PkgPath, b.PkgPath) })
	return loaded, nil
}

// useOf is a use of a name in a file that does not declare it.
type useOf struct{ name, from, to string }

// usesOf calls yield for each use of a package-level name, method or field in another file of the package.
func usesOf(p *packages.Package, yield func(useOf)) {
	for ident, used := range p.TypesInfo.Uses {
		if used.Pkg() != p.Types || !used.Pos().IsValid() {
			continue
		}
		from, to := fileOf(p.Fset, ident.Pos()), fileOf(p.Fset, used.Pos())
		if from != to {
			yield(useOf{ident.Name, from, to})
		}
	}
}

// fileOf returns the base name of the file of a position.
func fileOf(set *token.FileSet, pos token.Pos) string {
	return filepath.Base(set.Position(pos).Filename)
}

// fileGraph returns the files that each file of a package uses.
func fileGraph(p *packages.Package) map[string]map[string]bool {
	graph := map[string]map[string]bool{}
	for _, f := range p.Syntax {
		graph[fileOf(p.Fset, f.Pos())] = map[string]bool{}
	}
	usesOf(p, func(u useOf) { graph[u.from][u.to] = true })
	return graph
}

// largestCircle returns the size of the largest strongly connected component of a graph, found by Tarjan's algorithm: 1
// if there are no cycles.
func largestCircle(graph map[string]map[string]bool) (largest int) {
	index, low, onStack := map[string]int{}, map[string]int{}, map[string]bool{}
	var stack []string
	var visit func(string)
	visit = func(v string) {
		index[v] = len(index) + 1
		low[v] = index[v]
		stack, onStack[v] = append(stack, v), true
		for w := range graph[v] {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if onStack[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] != index[v] {
			return
		}
		at := slices.Index(stack, v)
		for _, w := range stack[at:] {
			onStack[w] = false
		}
		largest = max(largest, len(stack)-at)
		stack = stack[:at]
	}
	for v := range graph {
		if index[v] == 0 {
			visit(v)
		}
	}
	return largest
}

// widestType returns the greatest number of files that declare the methods of one type.
func widestType(p *packages.Package) (widest int) {
	scope := p.Types.Scope()
	for _, name := range scope.Names() {
		declared, ok := scope.Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		named, ok := declared.Type().(*types.Named)
		if !ok {
			continue
		}
		files := map[string]bool{}
		for m := range named.Methods() {
			if m.Pkg() == p.Types {
				files[fileOf(p.Fset, m.Pos())] = true
			}
		}
		widest = max(widest, len(files))
	}
	return widest
}

// usesAgainst returns the uses in a package against the order in a file. Each file of the package must be in one group.
func usesAgainst(p *packages.Package, order string) ([]useOf, error) {
	text, err := os.ReadFile(order)
	if err != nil {
		return nil, err
	}
	rank := map[string]int{}
	for i, line := range strings.Split(string(text), "\n") {
		_, names, _ := strings.Cut(line, ":")
		for _, name := range strings.Fields(names) {
			if rank[name+".go"] != 0 {
				return nil, fmt.Errorf("%s: %s.go is in two groups", order, name)
			}
			rank[name+".go"] = i + 1
		}
	}
	graph := fileGraph(p)
	for name := range graph {
		if rank[name] == 0 {
			return nil, fmt.Errorf("%s: add %s of package %s to a group", order, name, p.Name)
		}
	}
	for name := range rank {
		if graph[name] == nil {
			return nil, fmt.Errorf("%s: package %s has no file %s", order, p.Name, name)
		}
	}
	var against []useOf
	usesOf(p, func(u useOf) {
		if rank[u.to] > rank[u.from] {
			against = append(against, u)
		}
	})
	return against, nil
}

// printUses prints the uses in package runtime against its order, those of one name in one file once.
func printUses(ctx context.Context) error {
	loaded, err := load(ctx, "./runtime")
	if err != nil {
		return err
	}
	uses, err := usesAgainst(loaded[0], orderFile)
	if err != nil {
		return err
	}
	lines := map[string]int{}
	for _, u := range uses {
		lines[fmt.Sprintf("%s uses %s of %s", u.from, u.name, u.to)]++
	}
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		fmt.Printf("%3d %s\n", lines[line], line)
	}
	return nil
}
