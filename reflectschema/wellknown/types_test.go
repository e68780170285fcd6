package wellknown_test

import (
	"bufio"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/lint"
	"github.com/mcptool-go/mcptool/reflectschema/wellknown"
)

func init() {
	wellknown.Register()
}

// TestDocumented checks that the comment of Register lists exactly the types that have a schema.
func TestDocumented(t *testing.T) {
	t.Parallel()
	f, err := os.Open("types.go")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	row := regexp.MustCompile(`^//\t(\S+)\s+v[\d.]+\s+(.+)$`)
	var listed []string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		m := row.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		for name := range strings.SplitSeq(m[2], ", ") {
			listed = append(listed, m[1]+"."+name)
		}
	}
	for _, name := range wellknown.Names() {
		if !slices.Contains(listed, name) {
			t.Errorf("the comment does not list %s", name)
		}
	}
	for _, name := range listed {
		if !slices.Contains(wellknown.Names(), name) {
			t.Errorf("the comment lists %s, which has no schema", name)
		}
	}
}

// TestSchemas checks that the schemas are valid, and that no client refuses them. Gemini refuses the formats that
// time.Time and []byte also need.
func TestSchemas(t *testing.T) {
	t.Parallel()
	for name, schema := range wellknown.Schemas() {
		parsed, err := reflectschema.ParseSchema([]byte(`{"type":"object","properties":{"v":` + schema + `},"required":["v"],"additionalProperties":false}`))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, p := range slices.DeleteFunc(lint.Profiles(), func(p lint.Profile) bool { return p == lint.ProfileGemini }) {
			for _, f := range lint.Schema(parsed, reflectschema.DirectionInput, p) {
				if f.Rule.Severity == lint.SeverityRefused {
					t.Errorf("%s: %v", name, f)
				}
			}
		}
	}
}

// TestAgain calls Register a second time.
func TestAgain(t *testing.T) {
	t.Parallel()
	wellknown.Register()
}
