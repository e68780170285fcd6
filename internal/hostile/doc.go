// Package hostile has tests alone: of hostile clients, over both transports, which send messages that are too large, too
// deep or malformed and arguments that are costly to check, and of careless authors, whose tools panic.
//
// The messages are a table (messages_test.go). All of them are sent, one after the other, to a server with default limits,
// over stdio and HTTP, in sessions of revision 2025-11-25 and as requests of 2026-07-28. The table has the
// expected answer to each, and the limits of its cost: processor time, and the bytes that the process allocates from the
// first byte sent to the last byte of the answer, those of the client included. After each message the server answers a
// normal call, has released all memory and goroutines, and has logged no more than the stack of a panic.
//
// The clients are written by hand, and not that of bench/client: they send bytes that no client would send, share a process
// and a synctest bubble with the server, and the module of bench imports this one.
//
// Clients that are slow, disconnect or come in large numbers (scenes_test.go), or use up shared resources
// (crowds_test.go), are funcs with the same limits. Each runs in a bubble of testing/synctest, which would not end if a
// goroutine were left.
//
// A principal that loads the server while another makes quick calls (fair_test.go) does so over real sockets, for seconds,
// or for the duration of the flag -fair.
//
// Schemas that are costly to check, and those that a tool is refused for, are in schemas_test.go.
//
// Methods, middleware and loggers of an author panic as well (callbacks_test.go).
//
// The figures are printed by
//
//	go test -v -run 'Messages|Scenes' ./internal/hostile
//
// No server can contain faults after which the Go runtime exits: stack overflows, concurrent map writes, exhausted memory,
// and a panic in a goroutine that a tool has started itself.
package hostile
