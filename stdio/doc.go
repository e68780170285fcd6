// Package stdio serves tools to a client that started this program and talks
// to it through its standard input and output, one JSON message per line. That
// is how desktop and command line clients run a server of their user's own.
//
//	func main() {
//		mcptool.Register(GetWeather)
//		stdio.Main(nil)
//	}
//
// [Serve] is all there is: it takes the two streams, lets package runtime answer
// what comes in, and returns when the client leaves. [Main] calls it for programs
// that do nothing else.
//
// # Standard output belongs to the client
//
// A stray line on standard output would break the stream, so while Serve runs
// standard output is somewhere else: what fmt.Println, println, a copy of
// os.Stdout made earlier, C code or a child process write there goes to standard
// error, which clients show or keep as a log. For the same reason standard input
// is empty for everyone else, so that a child process cannot eat the client's
// messages. On Unix this is done to the descriptors, and undone when Serve
// returns. On other systems only the variable os.Stdout is pointed at os.Stderr;
// there, copies of it made earlier must not be written to. Neither is done to a
// stream that [In] or [Out] replace.
//
// # The beginning
//
// To a client Serve says nothing until it is asked something. To a person, who
// has started the server in a terminal and would look at a silent program, it
// says on standard error what this is, how to try it and how to add it to a
// client.
//
// # The end
//
// A session ends with the end of input, the end of Serve's context, an
// interrupt, SIGTERM, SIGHUP, or a client that no longer reads, or no longer answers pings if the
// server sends them ([runtime.Pings]): those find out that a client has gone whose end of the input something
// else holds open. Of a client that was killed, the input ends. Except when it no longer reads or answers,
// what was received is still answered during a grace period, 2 s by default: so
//
//	echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | server
//
// prints an answer. Then calls are cancelled and Serve returns. Only three things
// can outlast it: a tool that ignores its context, a goroutine in a Read of
// standard input, which nothing can end, and one in a write to a standard error that nobody reads. All end with the process.
// A second signal ends that at once, as it would without Serve; one that the process was started to ignore, as
// nohup does with SIGHUP, stays ignored.
//
// # Standard error
//
// A client may leave standard error unread. When the pipe is full, 64 KiB on Linux, a tool that prints there or to
// os.Stdout blocks until the client reads, as does one that logs with a logger of its own. Nothing else does: neither
// other calls, cancellation and the end of the session, nor what logs to the server's Logger or Audit, with
// [mcptool.Logger] say. Their records wait up to a bound, beyond which they are dropped and counted; see
// [runtime.Server]. At the end they are given half a second more.
//
// # Children
//
// A process that a tool starts is given neither of the client's streams. If it was started with the context
// of the call ([os/exec.CommandContext]), it ends with that, and so with the session. If it was not, it may outlive both, and
// keeps nobody waiting: the client sees the end of the output as soon as the server has ended. But it has
// standard error open, if it was given that, or os.Stdout; who reads that to its end waits for the
// child. Give one that is to stay its own streams.
//
// # Lines
//
// A line may be as long as the server's Limits.MaxMessageBytes. A longer one is skipped
// without being held in memory. That, like any line that is no message, is answered
// with an error, and the next line works. Lines may end in \r\n, blank lines and a
// byte order mark at the start are ignored, and the last line needs no line end.
//
// Answers are written whole. Those that are ready together share one write: while
// more lines are there already, the answer to one may wait a millisecond for the next. A
// client that does not read them is not read from either: memory is bounded by what is in
// flight.
//
// # Calls
//
// The goroutine that reads runs quick calls itself, which costs a tenth of handing them
// over. None is known to be quick before it was, and while one takes longer than a
// millisecond or two, another goroutine goes on reading; see
// [runtime.Session.ReceiveFrom]. So a tool may block for as long as it likes.
//
// [mcptool.Logger]: https://pkg.go.dev/github.com/mcptool-go/mcptool/mcptool#Logger
package stdio
