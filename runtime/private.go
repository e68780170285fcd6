package runtime

import (
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// What only servers need of package mcptool.
var calls = private.Take[private.Calls[*mcptool.Tool, *mcptool.Result, mcptool.Middleware]]()

// Funcs about schemas that are not public.
var schemas = private.Take[private.Schemas[*reflectschema.Type, *reflectschema.Schema]]()

// The arguments of a tool that clients also send as headers.
var headers = private.Take[private.Headers[*mcptool.Tool]]()
