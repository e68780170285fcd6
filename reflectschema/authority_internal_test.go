package reflectschema

import (
	"errors"
	"strings"
	"testing"
)

// TestAuthorityPanics breaks the library on purpose: a panic of it is an answer
// like any other, and says nothing of its cause.
func TestAuthorityPanics(t *testing.T) {
	t.Parallel()
	broken := &authority{} // without a schema
	for _, size := range []int{1, wholeSize + 1} {
		err := broken.check(strictValue{map[string]any{}, size})
		invalid := (*InvalidError)(nil)
		if !errors.As(err, &invalid) || invalid.Error() != "cannot be checked against its schema" {
			t.Errorf("check = %v", err)
		}
	}
	if _, err := compileAuthority([]byte(`{"$id":"x"}`), nil); err == nil || !strings.Contains(err.Error(), "cannot be compiled") {
		t.Errorf("compileAuthority without a dialect: %v", err)
	}
}

// TestUnusableSchema checks a document that derivation would never make: the
// error is plain, for it is not the value's fault.
func TestUnusableSchema(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ raw, want string }{
		{`{"type":"strin"}`, `schema: type: must be one of "array", `},
		{`{"$ref":"https://example.com/"}`, `schema: points outside the document: "https://example.com/"`},
		{`{"pattern":"("}`, `schema: pattern: must have the format regex`},
		{`{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}`, `schema: cannot be used: duplicate anchor "x"`},
		{`{"a":1,"a":2}`, `schema: `},
	} {
		err := newSchema([]byte(tt.raw)).Judge([]byte(`1`))
		invalid, schemaErr := (*InvalidError)(nil), (*SchemaError)(nil)
		if errors.As(err, &invalid) || !errors.As(err, &schemaErr) || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: Check:\n got %v\nwant %s", tt.raw, err, tt.want)
		}
	}
}
