// Package hostile is what a client should not do, done over both transports: messages that
// are too large, too deep or no messages at all, arguments made to be costly, and beside them the tools of careless authors, which panic. It has nothing but
// tests.
//
// The messages are a table of data (messages_test.go), and all of them are sent, one after the other, to a server with
// default limits, in every way there is: over stdio and over HTTP, in sessions of revisions 2025-06-18 and 2025-11-25 and as
// requests of 2026-07-28. What the table says of each is the answer it gets, and what it may cost: processor time, and bytes
// that the process allocates from the first byte sent to the last byte of the answer, the client's
// own among them. After each the same server answers a normal call, holds no memory and runs no goroutine that it did
// not before, and has written no more to its log than the stack of a panic.
//
// Clients that do something over time, crawl, vanish, come in floods (scenes_test.go) or take all they can get of what is
// shared (crowds_test.go) are funcs, with the same accounts. Each has a bubble of testing/synctest for itself, which would not end if a goroutine were left.
//
// One principal that does its worst beside another's quick calls (fair_test.go) does it over real sockets, for seconds, or
// with -fair for as long as is wanted.
//
// Schemas written by hand, under which checks would take long, and what a tool is refused for when it is made, are in
// schemas_test.go.
//
// What an author lends the server besides tools, methods, middleware, loggers, panics too (callbacks_test.go).
//
// The figures are printed by
//
//	go test -v -run 'Messages|Scenes' ./internal/hostile
//
// What no server can contain is not here, because the Go runtime ends the process: a stack that overflows, a map that
// two goroutines write at once, memory that runs out, and a panic in a goroutine that a tool has started itself.
package hostile
