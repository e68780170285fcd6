package stdio_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	goruntime "runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/stdio"
)

// The tools of the servers in these tests.

type echoIn struct {
	_    struct{} `mcp:"name=echo,readOnly" doc:"Say the same"`
	Text string   `json:"text"`
}

func echo(_ context.Context, in echoIn) (mcptool.Text, error) {
	return mcptool.Text{Text: in.Text}, nil
}

type sleepIn struct {
	_        struct{} `mcp:"name=sleep,readOnly" doc:"Take some time"`
	Millis   int      `json:"millis"`
	Stubborn bool     `json:"stubborn" jsonschema:"default=false" doc:"Do not heed cancellation"`
}

func sleep(ctx context.Context, in sleepIn) (mcptool.Text, error) {
	if in.Stubborn {
		ctx = context.WithoutCancel(ctx)
	}
	select {
	case <-time.After(time.Duration(in.Millis) * time.Millisecond):
		return mcptool.Text{Text: "slept"}, nil
	case <-ctx.Done():
		fmt.Fprintln(os.Stderr, "sleep cancelled")
		return mcptool.Text{}, ctx.Err()
	}
}

type printIn struct {
	_ struct{} `mcp:"name=print" doc:"Write to standard output in every way there is"`
}

// captured is os.Stdout before Serve, as saved by a library.
var captured = os.Stdout

func printEverywhere(ctx context.Context, _ printIn) (mcptool.Text, error) {
	fmt.Println("stray Println")
	fmt.Fprintln(captured, "stray captured")
	if err := printWithoutPrint(); err != nil {
		return mcptool.Text{}, err
	}
	println("println goes to standard error by itself")
	for _, out := range []*os.File{os.Stdout, captured} {
		child := shell(ctx, "echo stray child; cat")
		child.Stdin = os.Stdin
		child.Stdout = out
		if err := child.Run(); err != nil {
			return mcptool.Text{}, err
		}
	}
	rest, err := io.ReadAll(os.Stdin)
	return mcptool.Text{Text: fmt.Sprintf("read %q", rest)}, err
}

// shell returns a command that runs script in /bin/sh, independent of PATH and of start-up files named in the
// environment.
func shell(ctx context.Context, script string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", script)
	cmd.Env = []string{"PATH=/usr/bin:/bin"}
	return cmd
}

type childIn struct {
	_      struct{} `mcp:"name=child" doc:"Start a shell that has the program's own streams, and tell its process id"`
	Script string   `json:"script"`
	Wait   bool     `json:"wait,omitempty" doc:"Wait for it, for as long as the call may last"`
}

func child(ctx context.Context, in childIn) (mcptool.Text, error) {
	if !in.Wait {
		ctx = context.WithoutCancel(ctx) // so that the shell outlives the call
	}
	cmd := shell(ctx, in.Script)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return mcptool.Text{}, err
	}
	fmt.Fprintln(os.Stderr, "child", cmd.Process.Pid)
	if in.Wait {
		return mcptool.Text{}, cmd.Wait()
	}
	go cmd.Wait() // so that it does not become a zombie
	return mcptool.Text{Text: strconv.Itoa(cmd.Process.Pid)}, nil
}

type chatterIn struct {
	_ struct{} `mcp:"name=chatter" doc:"Print without end"`
}

func chatter(context.Context, chatterIn) (mcptool.Text, error) {
	for {
		fmt.Println(strings.Repeat("chatter ", 1000))
	}
}

type complainIn struct {
	_ struct{} `mcp:"name=complain" doc:"Write to standard error and tell how that went"`
}

func complain(context.Context, complainIn) (mcptool.Text, error) {
	_, err := fmt.Fprintln(os.Stderr, "a complaint")
	return mcptool.Text{Text: fmt.Sprint(err)}, nil
}

type explodeIn struct {
	_ struct{} `mcp:"name=explode" doc:"Panic, which is logged"`
}

func explode(context.Context, explodeIn) (mcptool.Text, error) { panic("boom") }

type noteIn struct {
	_ struct{} `mcp:"name=note" doc:"Log"`
}

func note(ctx context.Context, _ noteIn) (mcptool.Text, error) {
	mcptool.Logger(ctx).Info("noted")
	return mcptool.Text{Text: "noted"}, nil
}

type againIn struct {
	_ struct{} `mcp:"name=again" doc:"Serve while serving"`
}

func again(ctx context.Context, _ againIn) (mcptool.Text, error) {
	return mcptool.Text{}, stdio.Serve(ctx, nil)
}

type heapIn struct {
	_ struct{} `mcp:"name=heap,readOnly" doc:"The most memory the heap has had, in bytes"`
}

func heap(context.Context, heapIn) (mcptool.Text, error) {
	var stats goruntime.MemStats
	goruntime.ReadMemStats(&stats)
	return mcptool.Text{Text: strconv.FormatUint(stats.HeapSys, 10)}, nil
}

func newRegistry(tb testing.TB) *mcptool.Registry {
	tb.Helper()
	registry := new(mcptool.Registry)
	if err := addTools(registry); err != nil {
		tb.Fatal(err)
	}
	return registry
}

func addTools(registry *mcptool.Registry) error {
	echo, err1 := mcptool.New(echo)
	sleep, err2 := mcptool.New(sleep)
	print, err3 := mcptool.New(printEverywhere)
	again, err4 := mcptool.New(again)
	heap, err5 := mcptool.New(heap)
	complain, err6 := mcptool.New(complain)
	child, err7 := mcptool.New(child)
	chatter, err8 := mcptool.New(chatter)
	explode, err9 := mcptool.New(explode)
	note, err10 := mcptool.New(note)
	if err := errors.Join(err1, err2, err3, err4, err5, err6, err7, err8, err9, err10); err != nil {
		return err
	}
	return registry.Add(echo, sleep, print, again, heap, complain, child, chatter, explode, note)
}

// meta marks a request as one of revision 2026-07-28, which needs no handshake.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// call returns a line with a request that calls a tool.
func call(id int, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,%s}}`+"\n", id, tool, args, meta)
}

func echoCall(id int, text string) string { return call(id, "echo", fmt.Sprintf(`{"text":%q}`, text)) }

// answer is a decoded response.
type answer struct {
	ID     int
	Result struct {
		IsError bool
		Content []struct{ Text string }
		Tools   []struct{ Name string }
	}
	Error struct {
		Code    int
		Message string
	}
}

func (a answer) text() string {
	if len(a.Result.Content) != 1 {
		return fmt.Sprintf("%+v", a)
	}
	return a.Result.Content[0].Text
}

// readAnswer reads one line, which must be a complete response.
func readAnswer(tb testing.TB, r *bufio.Reader) answer {
	tb.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		tb.Fatalf("reading an answer: %q, %v", line, err)
	}
	var a answer
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		tb.Fatalf("%.200q: %v", line, err)
	}
	return a
}

// readAnswers parses out, which must contain only responses.
func readAnswers(tb testing.TB, out string) map[int]answer {
	tb.Helper()
	answers := make(map[int]answer)
	r := bufio.NewReader(strings.NewReader(out))
	for range strings.Count(out, "\n") {
		a := readAnswer(tb, r)
		answers[a.ID] = a
	}
	if rest, _ := io.ReadAll(r); len(rest) > 0 {
		tb.Errorf("incomplete last line: %q", rest)
	}
	return answers
}
