package mcptooltest

import (
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime"
)

// Functions of other packages that are not in their APIs.
var (
	internals = mcptool.Internal(private.Key{})
	schemas   = reflectschema.Internal(private.Key{})
	transport = runtime.Internal(private.Key{})
)
