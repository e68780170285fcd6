// Package hostile has only tests: of hostile clients, over both transports, which send messages that are too large, too
// deep or malformed and arguments that are costly to check, and of careless authors with tools that panic.
//
// The messages are a table (messages_test.go). All of them are sent, one after the other, to a server with default
// limits, over stdio and HTTP, in sessions of revision 2025-11-25 and as requests of 2026-07-28. The table has the
// expected response to each, and the limits of its cost: processor time, and the bytes that the process allocates from
// the first byte sent to the last byte of the response, including the client. After each message the server must answer
// a normal call, have released all memory and goroutines, and have logged no more than the stack of a panic.
//
// The tests do not use internal/measure/client, but their own clients: these send bytes that no regular client would send,
// and share a process and a synctest bubble with the server. Also, internal/measure imports this module.
//
// Clients that are slow, disconnect or come in large numbers (scenes_test.go), or use up shared resources
// (crowds_test.go), are funcs with the same limits. Each runs in a bubble of testing/synctest, which fails if a
// goroutine is left.
//
// A principal that loads the server while another makes quick calls (fair_test.go) does so over real sockets, for some
// seconds, or for the duration of the flag -fair.
//
// Schemas that are costly to check, and those for which a tool is rejected, are in schemas_test.go.
//
// Methods, middleware and loggers of an author also panic (callbacks_test.go).
//
// To print the figures, run
//
//	MCPTOOL_TEST_NIGHTLY=1 go test -v -run 'Messages|Scenes' ./internal/hostile
//
// No server can contain faults that end the Go runtime: stack overflows, concurrent map writes, exhausted memory, and a
// panic in a goroutine started by a tool.
package hostile
