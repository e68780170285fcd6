package mcptool

import (
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// schemas has the functions of package reflectschema that are not in its API.
var schemas = reflectschema.Internal(private.Key{})

// Internal is for other packages of this module; programs cannot call it.
func Internal(private.Key) internals { return internals{} }

// internals has the functions about tools, prompts, resources and content that other packages of this module need and
// programs do not. They are methods to keep them out of the public API, so that they can change.
//
// A prompt or resource has a runner: the tool that a server calls to render or read it, with its scopes and limits. Tools
// of the same kind complete arguments and list resources.
type internals struct{}
