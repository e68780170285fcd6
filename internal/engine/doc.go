// Package engine has the types that package runtime and the transports of this module share with each other, and not
// with programs. A transport parses messages with runtime.Internal, opens a [Session] for each connection or answers
// messages through an [Endpoint], and implements [Writer], [Conn] or [Source].
package engine
