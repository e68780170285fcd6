package mcptool

import (
	"reflect"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// Funcs about schemas that are not public.
var (
	schemas = private.Take[private.Schemas[*reflectschema.Type, *reflectschema.Schema]]()
	checks  = private.Take[private.Checks[*reflectschema.Type, *reflectschema.Schema, reflect.Value]]()
)

// What servers need of tools and authors do not: it is in no public API, so that it can change.
var (
	_ = private.Provide(private.Calls[*Tool, *Result, Middleware]{
		Append:   (*Tool).appendCall,
		Wrap:     (*Tool).wrapped,
		Truncate: (*Tool).truncate,
	})
	_ = private.Provide(private.Headers[*Tool]{
		Of: func(t *Tool) []private.ParamHeader { return t.headers },
	})
)
