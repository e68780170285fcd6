package runtime

import (
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// Functions of other packages that are not in their APIs.
var (
	internals = mcptool.Internal(private.Key{})
	schemas   = reflectschema.Internal(private.Key{})
)
