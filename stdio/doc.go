// Package stdio serves tools to a client that started this program and communicates with it over standard input and
// output, one JSON message per line. Desktop and command-line clients run the servers of their user in this way.
//
//	func main() {
//		mcptool.Register(GetWeather)
//		stdio.Main(nil)
//	}
//
// [Serve] is the whole API: it takes the two streams, passes messages to package runtime, and returns when the client
// disconnects. [Main] calls it for programs that do nothing else.
//
// # Standard output belongs to the client
//
// A stray line on standard output would break the protocol. So while Serve runs, standard output is redirected: what
// fmt.Println, println, a copy of os.Stdout made earlier, C code or a child process write there goes to standard error,
// which clients show or keep as a log. For the same reason standard input is empty for everything else, so that a child
// process cannot read the client's messages. On Unix the file descriptors are redirected, and restored when Serve returns.
// On other systems only the variable os.Stdout is set to os.Stderr; there, copies of it made earlier must not be written
// to. A stream that [In] or [Out] replace is not redirected.
//
// # Starting
//
// Serve writes nothing to a client before the first request. To a person who has started the server in a terminal it
// prints on standard error what the program is, how to try it and how to add it to a client.
//
// # Ending
//
// A session ends with the end of the input, the end of Serve's context, an interrupt, SIGTERM, SIGHUP, or a client that has
// closed the output, or that no longer answers pings if the server sends them ([runtime.Pings]). Pings detect that a client
// has gone while some other process keeps the input open. If a client is killed, its input ends. Unless the client has
// closed the output or no longer answers, messages received before the end are still answered during a grace period, 2 s by
// default: so
//
//	echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | server
//
// prints an answer. Then calls are cancelled and Serve returns. Only three things can outlast it: a tool that ignores its
// context, a goroutine in a Read of standard input, which cannot be interrupted, and one in a write to a standard error
// that nobody reads. All end with the process. A second signal ends the process at once, as it would without Serve; a
// signal that the process was started to ignore, as nohup does with SIGHUP, stays ignored.
//
// A client that keeps both streams open and does not read is waited for, since it may be paused, in a debugger say. The end
// of its input ends the session, though: on Linux also if messages precede it that the server has stopped reading,
// once a write has waited for the grace period; on other systems those have to be read first.
//
// # Standard error
//
// A client may leave standard error unread. When the pipe is full, 64 KiB on Linux, a tool that prints there or to
// os.Stdout blocks until the client reads, and so does a tool that logs there with a logger of its own. Other calls,
// cancellation and the end of the session do not block, and neither does logging to the server's Logger or Audit, for
// example with [mcptool.Logger]. These records wait up to a limit, beyond which they are dropped and counted; see
// [runtime.Server]. At the end the server waits half a second more for them.
//
// # Child processes
//
// A process that a tool starts inherits neither of the client's streams. If it was started with the context of the call
// ([os/exec.CommandContext]), it ends with the call, and so with the session. Otherwise it may outlive both, and delays
// nobody: the client sees the end of the output as soon as the server has ended. But if it was given standard error, or
// os.Stdout, it keeps standard error open, and a reader of standard error sees its end only when the child ends. Give
// streams of its own to a child that is to keep running.
//
// # Lines
//
// A line may be as long as the server's Limits.MaxMessageBytes. A longer one is skipped without being held in memory. Like
// any line that is not a message, it is answered with an error, and the next line is processed normally. Lines may end in
// \r\n, blank lines and a byte order mark at the start are ignored, and the last line needs no line end.
//
// Each answer is written whole. Answers that are ready at the same time share one write: while more lines are waiting
// already, the answer to one may wait a millisecond for the next. If a client does not read its answers, the server stops
// reading its messages: memory is bounded by the calls in flight and waiting (MaxConcurrentCalls, MaxQueuedCalls and
// MaxQueuedBytes of the server's Limits), and 1 MiB of short answers.
//
// # Calls
//
// The goroutine that reads messages runs quick calls itself, which costs a tenth of passing them to another one. A tool is
// known to be quick only after it has been quick; when a call takes longer than a millisecond or two, another goroutine
// continues reading; see [runtime.Session.ReceiveFrom]. So a tool may block as long as it needs.
//
// [mcptool.Logger]: https://pkg.go.dev/github.com/mcptool-go/mcptool/mcptool#Logger
package stdio
