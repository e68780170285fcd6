// Package callctx holds the keys under which the context of a call answers what
// package mcptool asks of it, for a server whose calls are contexts themselves.
package callctx

import "context"

type (
	// Host is the key of the call's [mcptool.Host].
	Host struct{}
	// Tool is the key of the [*mcptool.Tool] that runs.
	Tool struct{}
	// MaxJSON is the key of how long the JSON of a result may be, in bytes, as a *int, which takes no memory to return.
	MaxJSON struct{}
)

// MaxJSONIn returns how long the JSON of a result may be, 0 if the context does not say.
func MaxJSONIn(ctx context.Context) int {
	most, _ := ctx.Value(MaxJSON{}).(*int)
	if most == nil {
		return 0
	}
	return *most
}
