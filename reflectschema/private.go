package reflectschema

import "github.com/mcptool-go/mcptool/internal/private"

// What other packages of the module need of schemas and authors do not: it is in no public API, so that it can change.
var _ = private.Provide(private.Schemas[*Type, *Schema]{
	CallsMethods: (*Type).callsMethods,
	Wrapped:      (*Schema).wrapped,
	Judge:        (*Schema).judge,
})
