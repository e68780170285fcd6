package reflectschema

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
	"net/netip"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/reflectschema/datetime"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// keywordTable returns the table of keywords as doc.go must contain it.
func keywordTable() (lines []string) {
	for _, k := range tag.Keywords {
		lines = append(lines, tableLine(k.Name+k.Form.String(), k.On.String(), k.Doc))
	}
	x := tag.Extension("x-…")
	return append(lines, tableLine("x-…=TEXT", x.On.String(), x.Doc))
}

func tableLine(cells ...string) string {
	return strings.TrimRight(fmt.Sprintf("//\t%-27s %-30s %s", cells[0], cells[1], strings.Join(cells[2:], " ")), " ")
}

// typeTable returns the table of output types as doc.go must contain it.
func typeTable(t *testing.T) (lines []string) {
	t.Helper()
	for _, row := range []struct {
		words  string
		goType reflect.Type
	}{
		{"bool", reflect.TypeFor[bool]()},
		{"int, int64", reflect.TypeFor[int]()},
		{"int8 … int32", reflect.TypeFor[int8]()},
		{"uint, uint64", reflect.TypeFor[uint]()},
		{"uint8 … uint32", reflect.TypeFor[uint8]()},
		{"float32, float64", reflect.TypeFor[float64]()},
		{"string", reflect.TypeFor[string]()},
		{"[]T", reflect.TypeFor[[]bool]()},
		{"[3]T", reflect.TypeFor[[3]bool]()},
		{"[]byte", reflect.TypeFor[[]byte]()},
		{"map[string]T", reflect.TypeFor[map[string]bool]()},
		{"map[int]T", reflect.TypeFor[map[int]bool]()},
		{"any, json.RawMessage", reflect.TypeFor[any]()},
		{"json.Number", reflect.TypeFor[json.Number]()},
		{"time.Time", reflect.TypeFor[time.Time]()},
		{"time.Duration", reflect.TypeFor[time.Duration]()},
		{"big.Int", reflect.TypeFor[big.Int]()},
		{"datetime.Date", reflect.TypeFor[datetime.Date]()},
		{"datetime.Duration", reflect.TypeFor[datetime.Duration]()},
		{"with text methods", reflect.TypeFor[netip.Addr]()},
	} {
		compiled, err := Compile(row.goType, DirectionOutput)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("//\t%-21s %s", row.words, compiled.Schema().JSON()))
	}
	return lines
}

// TestDoc checks that the tables in doc.go match the code.
func TestDoc(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, lines := range map[string][]string{"keywords": keywordTable(), "types": typeTable(t)} {
		if table := strings.Join(lines, "\n") + "\n"; !strings.Contains(string(doc), table) {
			t.Errorf("doc.go lacks the table of %s:\n%s", name, table)
		}
	}
}

// TestDifferences checks that doc.go lists exactly the differences from encoding/json that have an example, with the
// same text.
func TestDifferences(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "example_differences_test.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Example_") {
			shown = append(shown, strings.TrimSpace(fn.Doc.Text()))
		}
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	_, section, _ := strings.Cut(string(doc), "// # Differences from encoding/json\n")
	section, _, _ = strings.Cut(section, "\n// # ")
	for line := range strings.Lines(section) {
		if item, ok := strings.CutPrefix(line, "//   - "); ok {
			told = append(told, strings.TrimSpace(item))
		}
	}
	if diff := cmp.Diff(shown, told); diff != "" || len(told) < 10 {
		t.Errorf("the differences in doc.go (-examples +doc.go):\n%s", diff)
	}
}
