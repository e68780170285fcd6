package jsondoc_test

import (
	"slices"
	"testing"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// TestKeywordTable checks that the rows are consistent.
func TestKeywordTable(t *testing.T) {
	t.Parallel()
	var rows []jsondoc.Keyword
	jsondoc.NamesOf(func(k jsondoc.Keyword) bool {
		rows = append(rows, k)
		return false
	})
	places := map[int]string{}
	for _, k := range rows {
		if known, ok := jsondoc.KeywordNamed(k.Name); k.Role == 0 || !ok || known.Role != k.Role {
			t.Errorf("%s has no role, or is there twice", k.Name)
		}
		if near, ok := jsondoc.KeywordNamed(k.Beside); k.Beside != "" && (!ok || near.About != k.About) {
			t.Errorf("%s is about other values than %q", k.Name, k.Beside)
		}
		if asserts := k.Role == jsondoc.Assertion || k.Role == jsondoc.Applicator || k.Role == jsondoc.Reference; asserts && k.About == 0 {
			t.Errorf("%s refuses values of no type", k.Name)
		}
		if k.IsBound() && (k.About == jsondoc.AnyType || k.About == 0) {
			t.Errorf("%s bounds values of any type", k.Name)
		}
		if holds := k.Holds != 0; holds != (k.Role == jsondoc.Applicator || k.Role == jsondoc.Definitions) && k.Name != "contentSchema" {
			t.Errorf("%s holds schemas: %t, of a role %d", k.Name, holds, k.Role)
		}
		if (k.Inside != jsondoc.Whole || k.Adds || k.Closes) && k.Role != jsondoc.Applicator {
			t.Errorf("%s says something of schemas that it does not apply", k.Name)
		}
		if l := k.Limit; l != nil && (l.Absent != 0 && k.Beside == "" || l.Open && l.Of != "" || !slices.ContainsFunc(jsondoc.LimitsOf(l.Of, l.Least), func(same jsondoc.Keyword) bool { return same.Name == k.Name })) {
			t.Errorf("the limit of %s is %+v", k.Name, l)
		}
		if k.Reading != 0 && places[k.Reading] != "" {
			t.Errorf("%s and %s have one place", k.Name, places[k.Reading])
		}
		places[k.Reading] = k.Name
	}
	if len(rows) < 60 {
		t.Errorf("there are %d rows", len(rows))
	}
}
