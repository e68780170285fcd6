package reflectschema

import (
	"github.com/mcptool-go/mcptool/internal/private"
)

// internals has the functions about schemas that other packages of this module need and programs do not. They are methods
// to keep them out of the public API, so that they can change.
//
// Those that decode and encode values are in codec.go, Wrapped, Legacy and LegacyDialect in portable.go, the functions of
// forms in form.go.
type internals struct{}

// Internal is for other packages of this module; programs cannot call it.
func Internal(private.Key) internals { return internals{} }
