package streamhttp

import (
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/runtime"
)

// transport has what package runtime shares with transports only.
var transport = runtime.Internal(private.Key{})
