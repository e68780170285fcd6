package lint_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/internal/testing/specdata"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/lint"
)

// directionOf returns a direction to which the rule applies.
func directionOf(t *testing.T, p lint.Profile, rule string) reflectschema.Direction {
	t.Helper()
	for _, r := range p.Rules() {
		if r.Name == rule {
			if r.AppliesTo(reflectschema.DirectionInput) {
				return reflectschema.DirectionInput
			}
			return reflectschema.DirectionOutput
		}
	}
	t.Fatalf("%s has no rule %q", p, rule)
	return 0
}

// broken returns the findings of one rule.
func broken(t *testing.T, document string, d reflectschema.Direction, p lint.Profile, rule string) []lint.Finding {
	t.Helper()
	findings, err := lint.Document([]byte(document), d, p)
	if err != nil {
		t.Fatalf("%.300s: %v", document, err)
	}
	return slices.DeleteFunc(findings, func(f lint.Finding) bool { return f.Rule.Name != rule })
}

// TestLint checks each rule of each profile with a schema that breaks it and a similar one that does not.
func TestLint(t *testing.T) {
	t.Parallel()
	tested := map[string]bool{}
	for _, tt := range lintCases {
		t.Run(tt.profile.String()+"/"+tt.rule, func(t *testing.T) {
			t.Parallel()
			d := directionOf(t, tt.profile, tt.rule)
			findings := broken(t, tt.breaks, d, tt.profile, tt.rule)
			if len(findings) == 0 {
				t.Fatalf("%.300s: no findings: %s", tt.breaks, tt.reason)
			}
			if f := findings[0]; f.Pointer != tt.pointer || f.Path != tt.path || f.Found == "" || f.Profile != tt.profile {
				t.Errorf("%s: found %q at %q, %q; want %q, %q", tt.reason, f.Found, f.Pointer, f.Path, tt.pointer, tt.path)
			}
			if findings := broken(t, tt.nearMiss, d, tt.profile, tt.rule); len(findings) > 0 {
				t.Errorf("%.300s: unexpected findings: %s\n%v", tt.nearMiss, tt.reason, findings)
			}
		})
		tested[tt.profile.String()+"/"+tt.rule] = true
	}
	for _, p := range lint.Profiles() {
		for _, r := range p.Rules() {
			inherited := p == lint.ProfileOpenAIStrict && tested["openai/"+r.Name]
			if !tested[p.String()+"/"+r.Name] && !inherited {
				t.Errorf("no case for rule %s of %s", r.Name, p)
			}
		}
	}
}

// TestLintDirections checks that the profiles of model APIs apply to inputs only.
func TestLintDirections(t *testing.T) {
	t.Parallel()
	const document = `{"type":"array","items":true,"minitems":1,"oneOf":[{}]}`
	for _, p := range lint.Profiles() {
		outputs, err := lint.Document([]byte(document), reflectschema.DirectionOutput, p)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(outputs) > 0, p == lint.ProfileTypeScript2025 || p == lint.ProfileAnyClient; got != want {
			t.Errorf("%s: findings for an output: %t: %v", p, got, outputs)
		}
		inputs, err := lint.Document([]byte(document), reflectschema.DirectionInput, p)
		if err != nil || len(inputs) == 0 {
			t.Errorf("%s: no findings for an input: %v", p, err)
		}
	}
	if list, err := lint.Document([]byte(document), reflectschema.DirectionInput, 0); len(list) != 0 || err != nil {
		t.Errorf("no profile has findings: %v, %v", list, err)
	}
}

// TestLintPaths checks the pointer and path of findings.
func TestLintPaths(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, reason, document, pointer, path string }{
		{"member", "a name", in(`true`), "/properties/a", "a"},
		{"special characters", "quoted, and escaped in the pointer", `{"properties":{"a/b c":true}}`, "/properties/a~1b c", `["a/b c"]`},
		{"definition", "independent of references", `{"$defs":{"t":{"items":{"properties":{"k":true}}}}}`, "/$defs/t/items/properties/k", "$defs.t[].k"},
		{"map", "any name", `{"additionalProperties":{"properties":{"k":true}}}`, "/additionalProperties/properties/k", "*.k"},
		{"alternatives", "the same value", `{"oneOf":[{"not":{"properties":{"k":true}}}]}`, "/oneOf/0/not/properties/k", "k"},
		{"tuple", "one position", `{"prefixItems":[{},{"properties":{"k":true}}]}`, "/prefixItems/1/properties/k", "[1].k"},
		{"contains", "any position", `{"contains":{"properties":{"k":true}}}`, "/contains/properties/k", "[].k"},
		{
			"long", "the ends are kept", strings.Repeat(`{"properties":{"a":`, 20) + "true" + strings.Repeat("}}", 20),
			strings.Repeat("/properties/a", 20), "a.a.a.a.a.a….a.a.a.a.a.a",
		},
	} {
		findings := broken(t, tt.document, reflectschema.DirectionInput, lint.ProfileClaude, "boolean-property")
		if len(findings) != 1 || findings[0].Pointer != tt.pointer || findings[0].Path != tt.path {
			t.Errorf("%s: %v\nwant %s, %s: %s", tt.name, findings, tt.pointer, tt.path, tt.reason)
		}
	}
}

// TestLintErrors checks the errors for invalid documents.
func TestLintErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, document, want, reason string }{
		{"empty", ``, "schema: is not valid JSON", "no value"},
		{"cut short", `{"type":`, "type: is not valid JSON", "incomplete"},
		{"boolean", `true`, "schema: must be an object, got true", "not a schema for arguments"},
		{"list", `[{}]`, "must be an object", "not a schema"},
		{"twice", `{"a":1,"a":2}`, "schema: a: must be given once", "ambiguous"},
		{"too deep", strings.Repeat(`{"not":`, 600) + "{}" + strings.Repeat("}", 600), "at most 512 levels", "the walk follows nesting"},
	} {
		findings, err := lint.Document([]byte(tt.document), reflectschema.DirectionInput, lint.ProfileGemini)
		if err == nil || !strings.Contains(err.Error(), tt.want) || findings != nil {
			t.Errorf("%s: %v, %v, want %q: %s", tt.name, findings, err, tt.want, tt.reason)
		}
	}
}

// TestLintMany checks that the findings of a rule are limited, with a count of the rest.
func TestLintMany(t *testing.T) {
	t.Parallel()
	document := `{"type":"object","properties":{` + many(50, ",", func(i int) string { return fmt.Sprintf(`"p%d":true`, i) }) + `}}`
	findings := broken(t, document, reflectschema.DirectionInput, lint.ProfileClaude, "boolean-property")
	if len(findings) != 20 || findings[0].More != 0 || findings[19].More != 30 {
		t.Fatalf("%d findings, the last one with %d more", len(findings), findings[len(findings)-1].More)
	}
	if text := findings[19].String(); text != "claude (refused): true at p19: Claude Code silently drops all tools of the server; "+
		`write {} for true, and {"not":{}} for false (and 30 more)` {
		t.Error(text)
	}
}

// TestLintAgain checks that findings are deterministic, and the same for a Schema as for its text.
func TestLintAgain(t *testing.T) {
	t.Parallel()
	for _, tt := range lintCases {
		for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput} {
			first, err := lint.Document([]byte(tt.breaks), d, tt.profile)
			if err != nil {
				t.Fatal(err)
			}
			again, _ := lint.Document([]byte(tt.breaks), d, tt.profile)
			if !reflect.DeepEqual(first, again) {
				t.Errorf("%.300s: %v, then %v", tt.breaks, first, again)
			}
			if s, err := reflectschema.ParseSchema([]byte(tt.breaks)); err == nil && !reflect.DeepEqual(lint.Schema(s, d, tt.profile), first) {
				t.Errorf("%.300s: Schema: %v, Document: %v", tt.breaks, lint.Schema(s, d, tt.profile), first)
			}
		}
	}
}

// everyProfile lints a document with all profiles and returns the number of findings.
func everyProfile(document []byte) (int, error) {
	n := 0
	for _, p := range lint.Profiles() {
		findings, err := lint.Document(document, reflectschema.DirectionInput, p)
		if err != nil {
			return 0, err
		}
		n += len(findings)
	}
	findings, err := lint.Document(document, reflectschema.DirectionOutput, lint.ProfileTypeScript2025)
	return n + len(findings), err
}

// TestLintSuite checks that the official suite, which uses every keyword in every place, can be linted.
func TestLintSuite(t *testing.T) {
	t.Parallel()
	dir := specdata.SuiteDir(t)
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", dir, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// The whole file is used as a schema, not only the schemas in it.
		document := []byte(`{"items":` + string(raw) + `,"required":` + string(raw) + `,"properties":` + string(raw) + `}`)
		if n, err := everyProfile(document); err != nil || n == 0 {
			t.Errorf("%s: %d findings, %v", file, n, err)
		}
	}
}

// TestLintLinear checks that linting a large document takes time proportional to decoding it, which is linear. The
// comparison by processor time is independent of the load of the machine; a quadratic step would be some hundred times
// slower.
func TestLintLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("large documents")
	}
	if hang.ProcessorTime() == 0 {
		t.Skip("processor time is not available")
	}
	for _, tt := range []struct {
		name      string
		direction reflectschema.Direction
		profile   lint.Profile
		reason    string
		document  func(n int) string
	}{
		{"properties", reflectschema.DirectionInput, lint.ProfileOpenAIStrict, "each name is searched in required", properties},
		{"required", reflectschema.DirectionInput, lint.ProfileGemini, "each required name is searched in properties", properties},
		{"references", reflectschema.DirectionOutput, lint.ProfileTypeScript2025, "each reference is followed", func(n int) string {
			return `{"type":"object","$defs":{` + many(n, ",", func(i int) string { return fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, n-i) }) + `}}`
		}},
		{"keywords", reflectschema.DirectionInput, lint.ProfileGemini, "each rule searches each keyword", func(n int) string {
			return `{` + many(n, ",", func(i int) string { return fmt.Sprintf(`"k%d":0`, i) }) + `}`
		}},
		{"depth", reflectschema.DirectionInput, lint.ProfileClaude, "each location has a path", func(n int) string {
			one := strings.Repeat(`{"properties":{"a":`, 100) + "true" + strings.Repeat("}}", 100)
			return `{"allOf":[` + many(n/100, ",", func(int) string { return one }) + `]}`
		}},
		{"strange keywords", reflectschema.DirectionInput, lint.ProfileAnyClient, "each keyword is compared with the vocabulary", func(n int) string {
			return `{` + many(n, ",", func(i int) string { return fmt.Sprintf(`"k%d":0`, i) }) + `}`
		}},
		{"enum", reflectschema.DirectionInput, lint.ProfileAnyClient, "each value is checked", func(n int) string {
			return in(`{"type":"string","enum":[` + many(n, ",", func(i int) string { return fmt.Sprintf(`"%d"`, i) }) + `]}`)
		}},
		{"names", reflectschema.DirectionInput, lint.ProfileAnyClient, "names are counted", properties},
		{"patterns", reflectschema.DirectionOutput, lint.ProfileTypeScript2025, "each is parsed", func(n int) string {
			return `{"patternProperties":{` + many(n, ",", func(i int) string { return fmt.Sprintf(`"(?i)((a{%d}))%d":{"pattern":"(?!"}`, i%100, i) }) + `}}`
		}},
	} {
		document := []byte(tt.document(30_000))
		fastest := func(fn func() error) time.Duration {
			best := time.Hour
			for range 3 {
				start := hang.ProcessorTime()
				if err := fn(); err != nil {
					t.Fatal(err)
				}
				best = min(best, hang.ProcessorTime()-start)
			}
			return best
		}
		decode := fastest(func() error { var v any; return json.Unmarshal(document, &v) })
		lint := fastest(func() error { _, err := lint.Document(document, tt.direction, tt.profile); return err })
		if t.Logf("%s: %.1f times decoding", tt.name, float64(lint)/float64(decode)); lint > 50*decode {
			t.Errorf("%s: linting took %v, decoding %v: %s", tt.name, lint, decode, tt.reason)
		}
	}
}

// FuzzLint checks that linting does not panic, and that findings are valid and deterministic.
func FuzzLint(f *testing.F) {
	for _, tt := range lintCases {
		if len(tt.breaks) < 1000 {
			f.Add([]byte(tt.breaks))
			f.Add([]byte(tt.nearMiss))
		}
	}
	for _, strange := range []string{
		`{"type":[],"properties":[],"required":{},"items":3,"enum":{},"$ref":[],"pattern":7,"format":{}}`,
		`{"properties":{"a":null},"$defs":null,"anyOf":{},"description":1,"$schema":{}}`,
		`{"$ref":"#/$ref/~1/0","$id":4,"pattern":"\\","patternProperties":{"\\":0,"(?":1,"[":2}}`,
	} {
		f.Add([]byte(strange))
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, document []byte) {
		defer watch()()
		for _, p := range lint.Profiles() {
			for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput} {
				findings, err := lint.Document(document, d, p)
				if (err != nil) && findings != nil {
					t.Errorf("got findings and an error")
				}
				for _, finding := range findings {
					if finding.Pointer != "" && finding.Pointer[0] != '/' || finding.Found == "" || !finding.Rule.AppliesTo(d) {
						t.Errorf("invalid finding %+v", finding)
					}
				}
				again, _ := lint.Document(document, d, p)
				if len(findings) < 50 && !cmp.Equal(findings, again, cmp.AllowUnexported(lint.Rule{})) {
					t.Errorf("findings differ between runs")
				}
			}
		}
	})
}
