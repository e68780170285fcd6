package reflectschema

import (
	"errors"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/testing/specdata"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
)

// TestSuite runs the required part of the official test suite through parser, authority and report. Formats are
// annotations here, as is the default of 2020-12. Tests are excluded if their schemas need a remote document, as
// nothing is ever loaded, or have a $dynamicRef with several targets, which [ParseSchema] refuses.
func TestSuite(t *testing.T) {
	t.Parallel()
	for _, suite := range []struct {
		dir                   string
		dialect               *jsonschema.Draft
		right, wrong, refused int
	}{
		{"draft2020-12", authority.Draft2020, 1225, 0, 74},
		{"draft7", authority.Draft7, 904, 0, 23},
	} {
		t.Run(suite.dir, func(t *testing.T) {
			t.Parallel()
			var right, wrong, refused int
			for file, groups := range specdata.SuiteFiles(t, suite.dir) {
				for _, group := range groups {
					c := jsonschema.NewCompiler()
					c.DefaultDraft(suite.dialect)
					auth, err := authority.CompileWith(c, group.Schema)
					if err != nil {
						if load := (*jsonschema.LoadURLError)(nil); !errors.As(err, &load) || !errors.Is(load.Err, authority.ErrOutside) {
							t.Errorf("%s: %s: refused for a reason other than a remote document: %v", file, group.Description, err)
						}
						refused += len(group.Tests)
						continue
					}
					if auth.Scoped != "" {
						refused += len(group.Tests)
						continue
					}
					for _, test := range group.Tests {
						v, err := parseStrict(test.Data)
						if err == nil {
							err = (reporter{auth}).check(auth.Root, v, nil)
						}
						if (err == nil) != test.Valid {
							wrong++
							t.Errorf("%s: %s: %s: valid should be %t, got %v", file, group.Description, test.Description, test.Valid, err)
							continue
						}
						if err != nil {
							checkText(t, err)
						}
						right++
					}
				}
			}
			if right != suite.right || wrong != suite.wrong || refused != suite.refused {
				t.Errorf("right, wrong, refused = %d, %d, %d; want %d, %d, %d", right, wrong, refused, suite.right, suite.wrong, suite.refused)
			}
		})
	}
}

// TestSuiteFormats runs the same tests with formats asserted, as for schemas of users. This changes only the results of
// tests of 2020-12 for formats as annotations. Check, which uses the plan's rules first, always agrees with the
// authority.
func TestSuiteFormats(t *testing.T) {
	t.Parallel()
	for _, suite := range []struct {
		dir     string
		dialect *jsonschema.Draft
		differ  int
	}{
		{"draft2020-12", authority.Draft2020, 17},
		{"draft7", authority.Draft7, 0},
	} {
		t.Run(suite.dir, func(t *testing.T) {
			t.Parallel()
			differ := 0
			for file, groups := range specdata.SuiteFiles(t, suite.dir) {
				for _, group := range groups {
					if auth, err := authority.Compile(group.Schema, suite.dialect); err != nil || auth.Scoped != "" {
						continue // TestSuite counts them
					}
					s := newSchemaIn(group.Schema, suite.dialect)
					for _, test := range group.Tests {
						valid := s.Judge(test.Data) == nil
						if (s.Check(test.Data) == nil) != valid {
							t.Errorf("%s: %s: %s: Check and the authority do not agree", file, group.Description, test.Description)
						}
						if valid == test.Valid {
							continue
						}
						differ++
						if valid || !strings.HasSuffix(test.Description, " string is only an annotation by default") {
							t.Errorf("%s: %s: %s: valid should be %t", file, group.Description, test.Description, test.Valid)
						}
					}
				}
			}
			if differ != suite.differ {
				t.Errorf("%d tests differ because formats are asserted, want %d", differ, suite.differ)
			}
		})
	}
}

// checkText checks the guarantees of every error text.
func checkText(t *testing.T, err error) {
	t.Helper()
	invalid := (*InvalidError)(nil)
	if !errors.As(err, &invalid) {
		t.Errorf("got error %T: %v", err, err)
		return
	}
	text := invalid.Error()
	switch n := len(invalid.Violations); {
	case n == 0 || n > codec.MaxViolations || invalid.Total < n:
		t.Errorf("%d violations of %d in %q", n, invalid.Total, text)
	case text == "" || len(text) > maxText:
		t.Errorf("text of %d bytes: %q", len(text), text)
	case text != invalid.Error():
		t.Errorf("the text is not deterministic: %q", text)
	}
	for _, leak := range []string{"urn:", authority.DocumentURL, "json.Number", "map[", "interface", "0x", "%!"} {
		if strings.Contains(text, leak) {
			t.Errorf("text contains %q: %s", leak, text)
		}
	}
}
