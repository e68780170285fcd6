package repotest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// packages are the packages that the documents refer to, by name.
var packages = map[string]string{
	"mcptool": "mcptool", "mcptooltest": "mcptool/mcptooltest", "reflectschema": "reflectschema", "runtime": "runtime",
	"stdio": "stdio", "streamhttp": "streamhttp", "task": "task",
	"taskcopy": "task/taskcopy", "taskqueue": "task/taskqueue", "tasktest": "task/tasktest",
	"boltstore": "integrations/boltstore", "cobratools": "integrations/cobra", "gosdk": "integrations/gosdk", "jetstream": "integrations/jetstream", "jwtauth": "integrations/jwtauth", "mcpgo": "integrations/mcpgo", "oauthproxy": "integrations/oauthproxy", "otelmcp": "integrations/otelmcp", "protobuf": "integrations/protobuf", "embedded": "integrations/jetstream/embedded",
}

var parsedDocs sync.Map // directory -> what docsOf returns

// docsOf returns the documentation of a package: the comment of each exported declaration, method ("Type.Method") and
// field ("Type.Field"), and the package comment under "".
func docsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	if docs, ok := parsedDocs.Load(dir); ok {
		return docs.(map[string]string)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("there is no package %s: %v", dir, err)
	}
	docs := map[string]string{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		docs[""] += file.Doc.Text()
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				docs[receiver(d)+d.Name.Name] = d.Doc.Text()
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					documentSpec(docs, d, spec)
				}
			}
		}
	}
	parsedDocs.Store(dir, docs)
	return docs
}

// documentSpec adds a type with its fields or methods, or constants and variables.
func documentSpec(docs map[string]string, d *ast.GenDecl, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range s.Names {
			docs[name.Name] = d.Doc.Text() + s.Doc.Text()
		}
	case *ast.TypeSpec:
		docs[s.Name.Name] = d.Doc.Text() + s.Doc.Text()
		var fields *ast.FieldList
		switch typ := s.Type.(type) {
		case *ast.StructType:
			fields = typ.Fields
		case *ast.InterfaceType:
			fields = typ.Methods
		default:
			return
		}
		for _, field := range fields.List {
			for _, name := range field.Names {
				docs[s.Name.Name+"."+name.Name] = field.Doc.Text()
			}
		}
	}
}

// receiver returns the type of a method followed by a dot, or "" for a func.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if generic, ok := typ.(*ast.IndexExpr); ok {
		typ = generic.X
	}
	id, ok := typ.(*ast.Ident)
	if !ok {
		return "."
	}
	return id.Name + "."
}

var (
	code = regexp.MustCompile("`([^`\n]+)`")
	// qualified matches a name of one of our packages in code; types are often used without the package.
	qualified = regexp.MustCompile(`^\*?(?:([a-z]+)\.)?([A-Z]\w*)(?:\.([A-Z]\w*))?\b`)
)

// checkNames returns the names in the inline code of a document that our packages do not declare: mcptool.Elicit,
// runtime.Limits.MaxResultBytes, and for types that any of our packages has also Server.Observer and Resource.Expand.
func checkNames(t *testing.T, file, text string) []string {
	t.Helper()
	var problems []string
	for _, match := range code.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		name := qualified.FindStringSubmatch(match[1])
		if name == nil {
			continue
		}
		pkg, symbol, member := name[1], name[2], name[3]
		if pkg == "" && strings.HasPrefix(file, "docs/migrate-") {
			continue // a type of the framework that the author comes from
		}
		dirs := slices.Collect(maps.Values(packages))
		if pkg != "" {
			dirs = []string{packages[pkg]}
		}
		dirs = slices.DeleteFunc(dirs, func(dir string) bool { return dir == "" || pkg == "" && (member == "" || !declares(t, dir, symbol)) })
		if member != "" {
			symbol += "." + member
		}
		if len(dirs) > 0 && !slices.ContainsFunc(dirs, func(dir string) bool { return declares(t, dir, symbol) }) {
			problems = append(problems, file+": there is no "+symbol+" in "+strings.Join(dirs, " or "))
		}
	}
	return problems
}

// declares reports whether the package in dir declares a name.
func declares(t *testing.T, dir, symbol string) bool {
	t.Helper()
	_, ok := docsOf(t, dir)[symbol]
	return ok
}

// TestDocumentNames checks that the names of our packages used in the documents exist.
func TestDocumentNames(t *testing.T) {
	for _, file := range append(userDocuments(t), "SECURITY.md") {
		for _, problem := range checkNames(t, file, readText(t, file)) {
			t.Error(problem)
		}
	}
	for text, want := range map[string]int{
		"`mcptool.Elicit[T]` `runtime.Limits.MaxResultBytes` `Server.Observer` `streamhttp.Replay(bytes)` `http.Server`": 0,
		"`mcptool.Ask`": 1, "`Limits.Gone`": 1, "`runtime.Server.Gone`": 1, "`Server.Gone`": 1, "`Resource.Gone`": 1, "`Foreign.Gone`": 0,
	} {
		if got := checkNames(t, "x.md", text); len(got) != want {
			t.Errorf("%s: got %q, want %d problems", text, got, want)
		}
	}
}

var (
	listedName = regexp.MustCompile("`([a-z]+)\\.([A-Z]\\w*)(?:\\.([A-Z]\\w*))?`")
	usedName   = regexp.MustCompile(`\b([a-z]+)\.([A-Z]\w*)`)
)

// TestTutorialNames checks the list of names at the beginning of the tutorial: it has at most 40 names, all of them are in
// api, and the Go code of the tutorial uses no other functions, types and variables of our packages.
func TestTutorialNames(t *testing.T) {
	const tutorial, most = "docs/tutorial.md", 40
	text := readText(t, tutorial)
	_, list, _ := strings.Cut(text, "\n## Names\n")
	list, _, _ = strings.Cut(list, "\n## ")
	listed := map[string]bool{}
	for _, match := range listedName.FindAllStringSubmatch(list, -1) {
		declared := `(?m)^(func|type|var|const) ` + match[2] + `\b`
		if match[3] != "" {
			declared = `(?m)^(method \(\*?` + match[2] + `\) ` + match[3] + `\(|type ` + match[2] + ` \w+, ` + match[3] + `[ (])`
		}
		api := "api/" + strings.ReplaceAll(packages[match[1]], "/", "_") + ".txt"
		if listed[match[0]] || !regexp.MustCompile(declared).MatchString(readText(t, api)) {
			t.Errorf("%s is listed twice, or is not in %s", match[0], api)
		}
		listed[match[0]] = true
	}
	if len(listed) == 0 || len(listed) > most {
		t.Errorf("%s lists %d names, want 1 to %d", tutorial, len(listed), most)
	}
	for _, b := range blocksOf(tutorial, text) {
		for _, match := range usedName.FindAllStringSubmatch(b.text, -1) {
			if b.lang == "go" && packages[match[1]] != "" && !listed["`"+match[0]+"`"] {
				t.Errorf("%s is used but not listed", match[0])
			}
		}
	}
}
