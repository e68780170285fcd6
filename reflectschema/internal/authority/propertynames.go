package authority

import (
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// propertyNames is the keyword of that name. The library's own reports the wrong
// place when a sibling is visited later: its path shares memory with theirs.
type propertyNames struct{ names *jsonschema.Schema }

// Validate implements [jsonschema.SchemaExt].
func (p propertyNames) Validate(ctx *jsonschema.ValidatorContext, v any) {
	obj, ok := v.(map[string]any)
	if !ok {
		return
	}
	for name := range obj {
		err := ctx.Validate(p.names, name, []string{name})
		if verr, ok := err.(*jsonschema.ValidationError); ok { //nolint:errorlint // the library's own, never wrapped
			ctx.AddErrors([]*jsonschema.ValidationError{verr}, &kind.PropertyNames{Property: name})
		}
	}
}
