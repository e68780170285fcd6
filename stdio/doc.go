// Package stdio serves tools to a client that has started this program and communicates with it over standard input and
// output, one JSON message per line. Desktop and command-line clients run local servers in this way.
//
//	func main() {
//		mcptool.Register(GetWeather)
//		stdio.Main(nil)
//	}
//
// [Serve] takes over the two streams, passes messages to package runtime, and returns when the client disconnects.
// [Main] calls Serve, for programs that only run a server.
//
// # Standard output belongs to the client
//
// Any other line on standard output would break the protocol. So while Serve runs, standard output is redirected to
// standard error, which clients show or log. This applies to fmt.Println, println, copies of os.Stdout made earlier, C
// code and child processes. Standard input is empty for all of these, so that a child process cannot read the client's
// messages. On Unix the file descriptors are redirected, and restored when Serve returns. On other systems only the
// variable os.Stdout is set to os.Stderr; there, do not write to copies of os.Stdout made earlier. A stream that [In]
// or [Out] replaces is not redirected.
//
// # Starting
//
// Serve writes nothing to the client before the first request. If standard input is a terminal, it prints a notice to
// standard error that explains what the program is and how to try it; see [Notice].
//
// # Ending
//
// A session ends when the input ends, when the context of Serve ends, on an interrupt, SIGTERM or SIGHUP, when the
// client has closed the output, or when it does not answer pings, if the server sends them ([runtime.Pings]).
//
// If a client is killed, its end of the input is closed, so the session ends, unless the client has passed that end on
// to another process that is still running.
//
// Messages received before the end are still answered during a grace period, 2 s by default, unless the client has
// closed the output or does not answer. So
//
//	echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | server
//
// prints an answer. After the grace period calls are cancelled and Serve returns. Three kinds of goroutine may continue
// until the process ends: a tool that ignores its context, a Read of standard input, which cannot be interrupted, and a
// Write to standard error if its pipe is full. A second signal ends the process at once, as it would without Serve. A
// signal that was ignored when the process started, such as SIGHUP under nohup, remains ignored.
//
// A client that keeps both streams open but does not read may be paused, for example in a debugger, so Serve waits for
// it. The end of the input still ends the session, but if the server has stopped reading because answers are not read,
// it has to read the earlier messages first.
//
// # Standard error
//
// Some clients do not read standard error. When the pipe is full (64 KiB on Linux), a tool that writes to os.Stderr or
// os.Stdout blocks until the client reads. A logger that writes to [Stderr] does not block for longer than 200 ms, and
// neither do package log and [log/slog.Default], which a server without a Logger uses, unless the program has set
// another output: records wait, and are dropped and counted beyond a limit. At the end Serve waits for at most a second
// until they are written.
//
// # Child processes
//
// A process that a tool starts does not inherit the client's streams. If it was started with the context of the call
// ([os/exec.CommandContext]), it ends with the call, and so with the session. Otherwise it may outlive both; the client
// still detects the end of the output as soon as the server has ended. But a child process that was given os.Stderr or
// os.Stdout keeps standard error open, and a reader of standard error gets EOF only when the child ends. Use other
// streams for a child process that should continue to run.
//
// # Lines
//
// The maximum length of a line is the server's Limits.MaxMessageBytes. A longer line is skipped without being kept in
// memory. Like any line that is not a message, it is answered with a JSON-RPC error, and the next line is processed
// normally. Lines may end in \r\n, blank lines and a byte order mark at the start are ignored, and the last line need
// not have a line end.
//
// Answers that are ready at the same time share one write. While more lines are waiting to be read, an answer may be
// delayed by a millisecond to share a write with the next one. If a client does not read its answers, the server stops
// reading its messages. So memory is bounded by the calls that run and wait (MaxConcurrentCalls and MaxQueuedCalls
// of the server's Limits, and 32 MiB of queued calls), and 1 MiB of short answers.
//
// # Calls
//
// The goroutine that reads messages runs calls of quick tools itself, which costs a tenth of passing them to another
// goroutine. A tool counts as quick if its earlier calls were. When a call takes longer than a millisecond or two,
// another goroutine continues reading. So a tool may block as long as it needs to.
package stdio
