//go:build unix

package stdio_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/testing/fixture"
	"github.com/mcptool-go/mcptool/internal/testing/syncbuffer"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
	"github.com/mcptool-go/mcptool/stdio"
)

// serverEnv makes the test binary run as a server, for tests of real processes.
const serverEnv = "STDIO_TEST_SERVER"

func TestMain(m *testing.M) {
	switch os.Getenv(serverEnv) {
	case "":
		heed(os.Interrupt, syscall.SIGHUP)
		os.Exit(m.Run())
	case "main":
		addToDefault()
		stdio.Main(nil)
	case "logger":
		addToDefault()
		log := slog.New(slog.NewJSONHandler(stdio.Stderr, nil))
		stdio.Main(&runtime.Server{Logger: log, Observer: audit.New(log)})
	case "quiet":
		addToDefault()
		stdio.Main(nil, stdio.Notice(io.Discard))
	case "twice":
		addToDefault()
		for range 2 {
			if err := stdio.Serve(context.Background(), nil); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			fmt.Println("between and after, standard output is the program's")
		}
	case "parent":
		beParent()
	case "failing":
		stdio.Main(nil, stdio.In(failingReader{}))
	case "mistakes":
		srv := &runtime.Server{Tools: &mcptool.Registry{}}
		for _, mistake := range fixture.Mistakes() {
			mistake.Set(srv)
		}
		stdio.Main(srv)
	}
}

// heed resets signals that this process ignores, for example because of nohup, since child processes would inherit that.
// Notify restores the default action in children; here the signals are received and discarded.
func heed(signals ...os.Signal) {
	for _, s := range signals {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

func addToDefault() {
	if err := addTools(mcptool.Default); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// beParent starts a server that shares its standard output and error, forwards its own input, and waits to be killed.
func beParent() {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serverEnv+"=main")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = io.Copy(in, os.Stdin)
	}
	fmt.Fprintln(os.Stderr, "the parent process was not killed:", err)
	os.Exit(1)
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("cable pulled") }

// process is a server that runs as a child process.
type process struct {
	*exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	lines  *bufio.Reader // of out
	stderr *syncbuffer.Buffer
}

func startProcess(t *testing.T, mode string) *process {
	t.Helper()
	p := newProcess(t, mode)
	p.start(t)
	return p
}

func newProcess(t *testing.T, mode string) *process {
	t.Helper()
	file, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.CommandContext(t.Context(), file), stderr: new(syncbuffer.Buffer)}
	p.Env = append(os.Environ(), serverEnv+"="+mode)
	p.WaitDelay = slack // a child that outlives the server keeps standard error open
	p.Stderr = p.stderr
	if p.in, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if p.out, err = p.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewReader(p.out)
	return p
}

func (p *process) start(t *testing.T) {
	t.Helper()
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
}

func (p *process) write(t *testing.T, lines string) {
	t.Helper()
	if _, err := io.WriteString(p.in, lines); err != nil {
		t.Fatalf("%v; standard error:\n%s", err, p.stderr)
	}
}

// ready waits until the server answers.
func (p *process) ready(t *testing.T) {
	t.Helper()
	p.write(t, echoCall(1000, "ready"))
	if got := readAnswer(t, p.lines).text(); got != "ready" {
		t.Fatalf("echo = %q, want \"ready\"", got)
	}
}

// end waits for the process and checks that it exits with status 0 in time.
func (p *process) end(t *testing.T, within time.Duration) (rest string) {
	t.Helper()
	begin := time.Now()
	defer p.within(time.Minute)()
	out, _ := io.ReadAll(p.lines)
	if err := p.Wait(); err != nil {
		t.Errorf("exit: %v; standard error:\n%s", err, p.stderr)
	}
	if took := time.Since(begin); took > within {
		t.Errorf("exited after %v, want at most %v", took, within)
	}
	return string(out)
}

// within kills the process after d unless stop is called before.
func (p *process) within(d time.Duration) (stop func() bool) {
	return time.AfterFunc(d, func() { _ = p.Process.Kill() }).Stop
}

// answers reads n answers.
func (p *process) answers(t *testing.T, n int) map[int]answer {
	t.Helper()
	answers := make(map[int]answer)
	for range n {
		a := readAnswer(t, p.lines)
		answers[a.ID] = a
	}
	return answers
}

// childID waits until the tool child has printed the process ID of its child.
func (p *process) childID(t *testing.T) (pid int) {
	t.Helper()
	for range 3000 {
		if _, rest, ok := strings.Cut(p.stderr.String(), "child "); ok && strings.Contains(rest, "\n") {
			if _, err := fmt.Sscan(rest, &pid); err != nil {
				t.Fatal(err)
			}
			return pid
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("no process ID of a child; standard error:\n%s", p.stderr)
	return 0
}

// needNullDevice fails if the null device is a regular file, which happens when a program run by root replaces it: a
// server and its children would then read from standard input what other processes wrote to it.
func needNullDevice(t *testing.T) {
	t.Helper()
	info, err := os.Stat(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode()&os.ModeCharDevice == 0 {
		t.Fatalf("%s has mode %v, want a device", os.DevNull, info.Mode())
	}
}

// slack is the extra time allowed on a busy machine.
const slack = 15 * time.Second

func TestProcessAnswersAndEnds(t *testing.T) {
	t.Parallel()
	t.Run("T-STDIO-05 T-LIFE-13", processAnswersAndEnds)
}

func processAnswersAndEnds(t *testing.T) {
	p := startProcess(t, "main")
	p.write(t, echoCall(1, "a")+call(2, "sleep", `{"millis":300}`)+strings.TrimSpace(echoCall(3, "c")))
	p.in.Close()
	answers := readAnswers(t, p.end(t, slack))
	if answers[1].text() != "a" || answers[2].text() != "slept" || answers[3].text() != "c" {
		t.Errorf("answers = %+v", answers)
	}
	if got := p.stderr.String(); got != "" {
		t.Errorf("unexpected standard error: %s", got)
	}
}

func TestProcessCancelsCallsThatOutlastTheGrace(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "main")
	p.write(t, call(1, "sleep", `{"millis":600000}`)+call(2, "sleep", `{"millis":600000,"stubborn":true}`))
	p.in.Close()
	p.end(t, stdio.DefaultGrace+slack)
	if got := p.stderr.String(); !strings.Contains(got, "sleep cancelled") {
		t.Errorf("the call was not cancelled; standard error: %q", got)
	}
}

func TestProcessEndsOnSignals(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run("T-STDIO-06 T-LIFE-13 "+sig.String(), func(t *testing.T) {
			t.Parallel()
			p := startProcess(t, "main")
			p.ready(t)
			p.write(t, call(1, "sleep", `{"millis":500}`)+echoCall(2, "received"))
			if got := readAnswer(t, p.lines); got.ID != 2 {
				t.Fatalf("got answer %+v, want ID 2", got)
			}
			if err := p.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			answers := readAnswers(t, p.end(t, slack)) // its input is still open
			if answers[1].text() != "slept" {
				t.Errorf("answers = %+v", answers)
			}
		})
	}
}

func TestSecondSignalEndsTheProcessAtOnce(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "main")
	p.ready(t)
	p.write(t, call(1, "sleep", `{"millis":600000,"stubborn":true}`)+echoCall(2, "received"))
	readAnswer(t, p.lines)
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }()
	for {
		_ = p.Process.Signal(syscall.SIGTERM)
		select {
		case err := <-ended:
			exit := new(exec.ExitError)
			if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM {
				t.Errorf("exit: %v, want killed by SIGTERM", err)
			}
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// TestIgnoredSignal: a server does not handle signals that were ignored at its start, as for a background job of a
// script (SIGINT) or under nohup (SIGHUP).
func TestIgnoredSignal(t *testing.T) {
	t.Parallel()
	for name, sig := range map[string]syscall.Signal{"INT": syscall.SIGINT, "HUP": syscall.SIGHUP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProcess(t, "main")
			p.Args = []string{"sh", "-c", `trap "" ` + name + `; exec "$0"`, p.Path}
			p.Path = "/bin/sh"
			p.start(t)
			p.ready(t)
			if err := p.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
			p.ready(t)
			if err := p.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			p.end(t, slack)
		})
	}
}

func TestBrokenPipeEndsTheProcess(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "main")
	p.ready(t)
	p.out.Close()
	p.write(t, echoCall(1, "unread"))
	p.end(t, slack) // status 0, not SIGPIPE, with the input still open
}

// TestClosedStandardError: the client closes its end of standard error.
func TestClosedStandardError(t *testing.T) {
	t.Parallel()
	p := newProcess(t, "main")
	p.Stderr = nil
	stderr, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.start(t)
	p.ready(t)
	stderr.Close()
	p.write(t, call(1, "complain", `{}`))
	if got := readAnswer(t, p.lines).text(); !strings.Contains(got, "broken pipe") {
		t.Errorf("error of writing to standard error = %q, want a broken pipe", got)
	}
	p.in.Close()
	p.end(t, slack)
}

// strays is the output of the tool print.
var strays = []string{"stray Println\n", "stray log\n", "stray descriptor\n", "stray device\n", "stray captured\n", "stray child\nstray child\n"}

func TestOnlyMessagesOnStandardOutput(t *testing.T) {
	t.Parallel()
	t.Run("T-STDIO-02 T-STDIO-03", onlyMessagesOnStandardOutput)
}

func onlyMessagesOnStandardOutput(t *testing.T) {
	needNullDevice(t)
	p := startProcess(t, "main")
	p.write(t, call(1, "print", `{}`)+echoCall(2, "b"))
	answers := p.answers(t, 2) // before the grace period, which is short for four processes on a busy machine
	p.in.Close()
	if rest := p.end(t, slack); rest != "" {
		t.Errorf("unexpected output after the answers: %q", rest)
	}
	if got := answers[1].text(); got != `read ""` {
		t.Errorf("answer 1 = %q; the tool must see an empty standard input", got)
	}
	if got := answers[2].text(); got != "b" {
		t.Errorf("answer 2 = %q", got)
	}
	for _, stray := range strays {
		if !strings.Contains(p.stderr.String(), stray) {
			t.Errorf("standard error lacks %q:\n%s", stray, p.stderr)
		}
	}
}

func TestStandardOutputIsGivenBack(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "twice")
	p.write(t, echoCall(1, "a"))
	p.in.Close()
	out := p.end(t, slack)
	line, rest, _ := strings.Cut(out, "\n")
	const between = "between and after, standard output is the program's\n"
	if rest != between+between {
		t.Errorf("output after the answer = %q", rest)
	}
	if got := readAnswers(t, line+"\n")[1].text(); got != "a" {
		t.Errorf("echo = %q, want \"a\"", got)
	}
}

func TestServingStandardStreamsTwiceAtOnce(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "main")
	p.write(t, call(1, "again", `{}`)+echoCall(2, "b"))
	answers := p.answers(t, 2)
	p.in.Close()
	p.end(t, slack)
	if got := answers[1]; !got.Result.IsError || !strings.Contains(got.text(), "another Serve") {
		t.Errorf("answer of the second Serve = %+v", got)
	}
	if got := answers[2].text(); got != "b" {
		t.Errorf("the first Serve then answered %q, want \"b\"", got)
	}
}

// TestHugeLine sends a line of 100 MB and checks the memory use of the server.
func TestHugeLine(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "main")
	heap := func() (bytes int) {
		p.write(t, call(1, "heap", `{}`))
		text := readAnswer(t, p.lines).text()
		if _, err := fmt.Sscan(text, &bytes); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		return bytes
	}
	before := heap()
	chunk := strings.Repeat("x", 1<<20)
	p.write(t, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"`)
	for range 100 {
		p.write(t, chunk)
	}
	p.write(t, `"}}`+"\n")
	if got := readAnswer(t, p.lines); got.Error.Code != -32600 {
		t.Errorf("got answer %+v, want code -32600", got)
	}
	// The limit is 16 MiB, and the buffer is copied when it grows.
	if grew := heap() - before; grew > 64<<20 {
		t.Errorf("the heap grew by %d MB", grew>>20)
	}
	p.in.Close()
	p.end(t, slack)
}

func TestMainReportsAFailure(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "failing")
	defer p.within(time.Minute)()
	err := p.Wait()
	exit := new(exec.ExitError)
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(p.stderr.String(), "cable pulled") {
		t.Errorf("exit: %v; standard error:\n%s", err, p.stderr)
	}
}

// TestMainMistakes checks that Main prints all mistakes in a server, one a line, and exits with status 1.
func TestMainMistakes(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "mistakes")
	defer p.within(time.Minute)()
	err := p.Wait()
	exit := new(exec.ExitError)
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("exit: %v, want status 1", err)
	}
	var want []string
	for _, mistake := range fixture.Mistakes() {
		want = append(want, mistake.Want)
	}
	got := strings.Split(strings.TrimSpace(p.stderr.String()), "\n")
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("standard error (-want +got):\n%s", diff)
	}
}
