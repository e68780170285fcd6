package repotest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// keywordLists are the files with lists of JSON Schema keywords, with the reason why they do not use the table in
// internal/jsondoc.
var keywordLists = map[string]string{
	"bench/internal/docpage/sheet.go":       "what a page gives rows of its own, in its order",
	"bench/internal/docpage/union.go":       "the usual form of a condition, which is shown in words",
	"bench/internal/modelview/codex.go":     "what the client does, by its own source",
	"bench/internal/modelview/compare.go":   "which have places of their own for what they hold",
	"bench/internal/modelview/editors.go":   "what the client does, by its own source",
	"bench/internal/openapi/document.go":    "members of OpenAPI documents that hold names and values, and no references",
	"bench/internal/openapi/names.go":       "words of references to a place in a document, which are left out of names",
	"examples/largeserver/schema.go":        "the schemas that an author writes for fields",
	"integrations/cobra/line.go":            "the schema of the arguments of a command",
	"integrations/gosdk/schema.go":          "which a tag may have without a value",
	"internal/compat/texts.go":              "where words are read by people: those of conditions are not",
	"internal/schemacompare/array.go":       "keywords that are compared as one",
	"internal/schemacompare/branch.go":      "what is applied to some values only",
	"internal/schemacompare/fits.go":        "how parts count that hold together",
	"internal/schemacompare/object.go":      "keywords that are compared as one",
	"reflectschema/agree.go":                "which make a schema of others that are not compared",
	"reflectschema/form.go":                 "what the specification of MCP lets forms have",
	"reflectschema/internal/vet/effect.go":  "parts of a schema that may exclude null beside nullable",
	"reflectschema/internal/vet/value.go":   "which hold values, and one or several of them",
	"reflectschema/lint/profile_claude.go":  "what the client does, by its own source",
	"reflectschema/lint/profile_copilot.go": "what the client does, by its own source",
	"reflectschema/lint/profile_gemini.go":  "what the client does, by its own source",
	"reflectschema/lint/profile_openai.go":  "what the client does, by its own source",
	"reflectschema/samples/variant.go":      "parts that are varied one by one",
	"reflectschema/violation_text.go":       "the words for people, a phrase for each",
}

// TestKeywordLists: what is known of keywords stands in the rows of internal/jsondoc and reflectschema/internal/tag/keyword.go. A list of
// three or more in other code, as a literal or as the values of one case, needs a reason. What makes up schemas to try, or
// describes validators of others, has its own.
func TestKeywordLists(t *testing.T) {
	found := map[string]bool{}
	walkGo(t, func(path string) {
		path = filepath.ToSlash(path)
		if strings.HasSuffix(path, "_test.go") || path == "internal/jsondoc/keyword.go" || path == "reflectschema/internal/tag/keyword.go" ||
			strings.HasPrefix(path, "internal/hostile/") || strings.HasPrefix(path, "internal/lab/") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if names := keywordsListed(n); len(names) >= 3 {
				found[path] = true
				if keywordLists[path] == "" {
					t.Errorf("%s lists %s: ask a row what they have in common, or add the file to keywordLists with the reason", path, strings.Join(names, ", "))
				}
			}
			return true
		})
	})
	for path := range keywordLists {
		if !found[path] {
			t.Errorf("%s lists no keywords any more: drop the reason", path)
		}
	}
}

// keywordsListed returns the keywords that are the elements or keys of a literal, the arguments of a call, or the
// values of one case.
func keywordsListed(n ast.Node) (names []string) {
	var list []ast.Expr
	switch n := n.(type) {
	case *ast.CompositeLit:
		list = n.Elts
	case *ast.CallExpr:
		list = n.Args
	case *ast.CaseClause:
		list = n.List
	}
	for _, e := range list {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e = pair.Key
		}
		lit, ok := e.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			continue
		}
		name, err := strconv.Unquote(lit.Value)
		if _, known := jsondoc.KeywordNamed(name); err == nil && known && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
