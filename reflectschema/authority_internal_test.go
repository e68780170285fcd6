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
	for _, raw := range []string{`{"type":"strin"}`, `{"$ref":"https://example.com/"}`, `{"pattern":"("}`} {
		err := newSchema([]byte(raw)).Check([]byte(`1`))
		if invalid := (*InvalidError)(nil); err == nil || errors.As(err, &invalid) {
			t.Errorf("%s: Check = %v", raw, err)
		}
	}
}
