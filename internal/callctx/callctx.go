// Package callctx holds the keys under which the context of a call answers what
// package mcptool asks of it, for a server whose calls are contexts themselves.
package callctx

type (
	// Host is the key of the call's [mcptool.Host].
	Host struct{}
	// Tool is the key of the [*mcptool.Tool] that runs.
	Tool struct{}
)
