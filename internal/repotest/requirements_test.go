package repotest_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/specdata"
	"github.com/mcptool-go/mcptool/internal/testing/transcript"
)

// requirementID matches the id of a protocol requirement: of tools, or of prompts and resources.
const requirementID = `(?:T-[A-Z]+|RES)-\d{2}`

var (
	anyRequirement = regexp.MustCompile(requirementID)
	// rowOfRequirement matches a row of a table in requirements.md or extensions.md.
	rowOfRequirement = regexp.MustCompile(`(?m)^\| (` + requirementID + `) \|`)
	// testOfRequirements matches the name of a test, or of a row of a table of tests.
	testOfRequirements = regexp.MustCompile(`^` + requirementID + `(?: ` + requirementID + `)*(?:$|[ :])`)
	// rangeOfRequirements matches a range, which does not list the requirements in between.
	rangeOfRequirements = regexp.MustCompile(requirementID + `\s+(?:to|–)\s+(?:T-|RES-)`)
	// explanation matches a line of a file in testdata/requirements: a requirement and a sentence.
	explanation = regexp.MustCompile(`^(` + requirementID + `) (.* .* .*\.)$`)
)

// place is where a requirement is referenced: a file and line, or the name of a transcript.
type place string

// TestRequirements compares the tests with the numbered requirements of the protocol: each must be referenced by the
// name of a test (see testedIn), by the prose of a transcript, or by a line of a file in testdata/requirements that
// gives the reason why it has no test; and by only one of these.
func TestRequirements(t *testing.T) {
	tested, explained := testedRequirements(t), explainedRequirements(t)
	for _, problem := range twice(explained) {
		t.Error(problem)
	}
	stated := statedRequirements(t)
	for _, problem := range compareRequirements(stated, tested, explained) {
		t.Error(problem)
	}
	t.Logf("%d requirements: %d tested, %d explained", len(stated), len(tested), len(explained))
}

// statedRequirements reads the requirements, which are stored outside the repository.
func statedRequirements(t *testing.T) []string {
	t.Helper()
	var ids []string
	for _, name := range []string{"requirements.md", "extensions.md"} {
		text, err := os.ReadFile(specdata.Require(t, "spec", name))
		if err != nil {
			t.Fatal(err)
		}
		rows := rowOfRequirement.FindAllSubmatch(text, -1)
		if len(rows) == 0 {
			t.Fatalf("%s states none", name)
		}
		for _, row := range rows {
			ids = append(ids, string(row[1]))
		}
	}
	return ids
}

// testedRequirements finds the requirements that tests and transcripts reference.
func testedRequirements(t *testing.T) map[string][]place {
	t.Helper()
	tested := map[string][]place{}
	all, err := transcript.Load(os.DirFS("testdata/transcripts"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range all {
		if from := rangeOfRequirements.FindString(tr.Prose); from != "" {
			t.Errorf("transcript %s names requirements %s…: name each", tr.Name, from)
		}
		for _, id := range anyRequirement.FindAllString(tr.Prose, -1) {
			tested[id] = append(tested[id], place(tr.Name))
		}
	}
	fset := token.NewFileSet()
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path == "bench" || path != "." && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir // another module, and third-party files
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for id, pos := range testedIn(file) {
			tested[id] = append(tested[id], place(fset.Position(pos).String()))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tested
}

// testedIn returns the requirements that tests of a file are named after. A name is a literal that begins with them and
// is the first argument of t.Run, the first element of a table row, its element called name, or a key of a map.
// Comments and messages do not count.
func testedIn(file *ast.File) map[string]token.Pos {
	found := map[string]token.Pos{}
	name := func(e ast.Expr) {
		for sum, ok := e.(*ast.BinaryExpr); ok; sum, ok = e.(*ast.BinaryExpr) {
			e = sum.X // "T-RPC-01 " + version
		}
		literal, ok := e.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return
		}
		text, _ := strconv.Unquote(literal.Value) // already checked by the parser
		for _, id := range anyRequirement.FindAllString(testOfRequirements.FindString(text), -1) {
			found[id] = literal.Pos()
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Run" && len(n.Args) == 2 {
				name(n.Args[0])
			}
		case *ast.CompositeLit:
			_, list := n.Type.(*ast.ArrayType)
			for i, element := range n.Elts {
				pair, keyed := element.(*ast.KeyValueExpr)
				switch {
				case !keyed && i == 0 && !list:
					name(element)
				case keyed && isName(pair.Key):
					name(pair.Value)
				case keyed:
					name(pair.Key)
				}
			}
		}
		return true
	})
	return found
}

func isName(key ast.Expr) bool {
	ident, ok := key.(*ast.Ident)
	return ok && ident.Name == "name"
}

// explainedRequirements reads the files in testdata/requirements: lines consisting of a requirement and a sentence, and
// comments that begin with #.
func explainedRequirements(t *testing.T) map[string][]place {
	t.Helper()
	explained := map[string][]place{}
	files, err := filepath.Glob(filepath.Join("testdata", "requirements", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no explanations: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			at := place(fmt.Sprintf("%s:%d", file, i+1))
			match := explanation.FindStringSubmatch(line)
			switch {
			case line == "" || strings.HasPrefix(line, "#"):
			case match == nil:
				t.Errorf("%s: not a requirement and a sentence: %s", at, line)
			default:
				explained[match[1]] = append(explained[match[1]], at)
			}
		}
	}
	return explained
}

// twice reports requirements that are explained more than once.
func twice(explained map[string][]place) (problems []string) {
	for id, at := range explained {
		if len(at) > 1 {
			problems = append(problems, fmt.Sprintf("%s is explained twice: %v", id, at))
		}
	}
	return problems
}

// compareRequirements reports requirements that are stated and neither tested nor explained, both tested and explained,
// or not stated at all.
func compareRequirements(stated []string, tested, explained map[string][]place) (problems []string) {
	for _, id := range stated {
		switch at, why := tested[id], explained[id]; {
		case at == nil && why == nil:
			problems = append(problems, id+" has no test that is named after it, and no line in testdata/requirements says why")
		case at != nil && why != nil:
			problems = append(problems, fmt.Sprintf("%s has a test, %s, and %s says why it has none", id, at[0], why[0]))
		}
	}
	for _, named := range []map[string][]place{tested, explained} {
		for _, id := range slices.Sorted(maps.Keys(named)) {
			if !slices.Contains(stated, id) {
				problems = append(problems, fmt.Sprintf("%s: there is no %s", named[id][0], id))
			}
		}
	}
	return problems
}

// TestRequirementNames has names that count and names that do not.
func TestRequirementNames(t *testing.T) {
	const source = `package p

// T-NO-01 in a comment.
func TestX(t *testing.T) {
	t.Run("T-YES-01", f)
	t.Run("T-YES-02 T-YES-03 with words", f)
	t.Run("T-YES-04: with words, and not T-NO-02", f)
	t.Run("T-YES-08 "+x+"T-NO-10", f)
	t.Run("words before T-NO-03", f)
	t.Error("T-NO-04")
	_ = []struct{ name, reason string }{{"T-YES-05 words", "T-NO-05 words"}, {name: "T-YES-06", reason: "T-NO-06"}}
	_ = map[string]string{"T-YES-07": "T-NO-07", "T-YES-089": ""}
	_ = []string{"T-NO-08"}
	_ = "T-NO-09"
}
`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(maps.Keys(testedIn(file)))
	if want := "[T-YES-01 T-YES-02 T-YES-03 T-YES-04 T-YES-05 T-YES-06 T-YES-07 T-YES-08]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// TestRequirementFaults checks that planted faults are found, since a check that finds none proves nothing.
func TestRequirementFaults(t *testing.T) {
	here := func(ids ...string) map[string][]place {
		m := map[string][]place{}
		for _, id := range ids {
			m[id] = append(m[id], "here")
		}
		return m
	}
	tests := []struct {
		name, want        string
		tested, explained map[string][]place
	}{
		{"none", "[]", here("one"), here("two")},
		{"neither", "[two has no test that is named after it, and no line in testdata/requirements says why]", here("one"), here()},
		{"both", "[two has a test, here, and here says why it has none]", here("one", "two"), here("two")},
		{"a test of nothing", "[here: there is no three]", here("one", "three"), here("two")},
		{"a reason for nothing", "[here: there is no three]", here("one"), here("two", "three")},
		{"a reason twice", "[two is explained twice: [here here]]", here("one"), here("two", "two")},
	}
	for _, test := range tests {
		problems := append(compareRequirements([]string{"one", "two"}, test.tested, test.explained), twice(test.explained)...)
		if fmt.Sprint(problems) != test.want {
			t.Errorf("%s: got %v, want %s", test.name, problems, test.want)
		}
	}
}
