package private

import "encoding/json"

// Form is a form of package reflectschema that a person fills in.
type Form interface {
	// Schema returns the form as compact JSON Schema, in the rich or the plain subset that clients support.
	Schema(rich bool) (json.RawMessage, error)
}
