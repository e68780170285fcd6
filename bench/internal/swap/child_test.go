package swap_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// children are the servers that this binary can be.
var children = map[string]func(){
	"server":  runServer,
	"raw":     func() { runRaw(rawAnswer) },
	"dies":    func() { fmt.Fprintln(os.Stderr, "panic: no token"); os.Exit(3) },
	"silent":  func() { time.Sleep(time.Hour) },
	"chatter": func() { fmt.Println("listening on stdout"); runRaw(rawAnswer) },
	"forks":   runForks,
	"front":   runFront,
	"rawhttp": runRawHTTP,
	"sleeper": func() { time.Sleep(time.Hour) },
}

// WaitIn holds the arguments of wait.
type WaitIn struct {
	_  struct{} `mcp:"name=wait,readOnly" doc:"Wait, and return the version"`
	MS int      `json:"ms"`
}

// VersionOut holds the version of the server.
type VersionOut struct {
	Version string `json:"version"`
}

// AskIn holds the arguments of ask.
type AskIn struct {
	_ struct{} `mcp:"name=ask" doc:"Ask the user for a name, and return it with the version"`
}

// AskOut is the result of ask, and the form.
type AskOut struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// Name is the form of ask.
type Name struct {
	Name string `json:"name"`
}

// CrashIn holds the arguments of crash.
type CrashIn struct {
	_ struct{} `mcp:"name=crash" doc:"End the process"`
}

// runServer runs a server of the framework, over HTTP if it gets an address.
func runServer() {
	now := os.Getenv(versionKey)
	reg := new(mcptool.Registry)
	tools := []*mcptool.Tool{}
	add := func(t *mcptool.Tool, err error) {
		if err != nil {
			panic(err)
		}
		tools = append(tools, t)
	}
	add(mcptool.New(func(ctx context.Context, in WaitIn) (VersionOut, error) {
		for i := range in.MS / 10 {
			mcptool.Progress(ctx, float64(i), float64(in.MS)/10, "waiting")
			time.Sleep(10 * time.Millisecond)
		}
		return VersionOut{now}, nil
	}))
	add(mcptool.New(func(ctx context.Context, _ AskIn) (AskOut, error) {
		answer, err := mcptool.Elicit[Name](ctx, "What is your name, asks version "+now+"?")
		return AskOut{answer.Name, now}, err
	}))
	add(mcptool.New(func(context.Context, CrashIn) (VersionOut, error) {
		fmt.Fprintln(os.Stderr, "panic: the wrong wire was cut")
		os.Exit(2)
		return VersionOut{}, nil
	}))
	for _, t := range tools {
		if err := reg.Add(t); err != nil {
			panic(err)
		}
	}
	srv := &runtime.Server{Name: "test", Version: now, Tools: reg}
	addr := os.Getenv(addrKey)
	if addr == "" {
		stdio.Main(srv)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := streamhttp.ListenAndServe(ctx, addr, srv); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A rawMessage is a message as the raw servers read it.
type rawMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name            string          `json:"name"`
		URI             string          `json:"uri"`
		ProtocolVersion string          `json:"protocolVersion"`
		RequestID       json.RawMessage `json:"requestId"`
		Meta            struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
}

// runRaw serves stdio, and keeps all that it reads in the log.
func runRaw(answer func(m rawMessage) string) {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		rawLog(in.Text())
		var m rawMessage
		if err := json.Unmarshal(in.Bytes(), &m); err != nil {
			panic(err)
		}
		if text := answer(m); text != "" {
			fmt.Println(text)
		}
	}
	rawLog("end of stdin")
}

// runRawHTTP serves HTTP without streams, and keeps all that it reads in the log, after the session.
func runRawHTTP() {
	panic(http.ListenAndServe(os.Getenv(addrKey), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			panic(err)
		}
		rawLog(strings.Join([]string{r.Method, r.Header.Get("Mcp-Session-Id"), r.Header.Get("Mcp-Protocol-Version"), r.Header.Get("Authorization"), string(text)}, " "))
		var m rawMessage
		_ = json.Unmarshal(text, &m) // GET and DELETE have no body
		answer := ""
		if r.Method == http.MethodPost {
			answer = rawAnswer(m)
		}
		switch {
		case r.Method == http.MethodGet:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case m.Method == "notifications/slow":
			time.Sleep(time.Hour)
		case m.Params.Name == "flood": // until the client has left
			w.Header().Set("Content-Type", "text/event-stream")
			note := "data: " + `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + strings.Repeat("x", 1<<14) + `"}}` + "\n\n"
			for err == nil {
				_, err = io.WriteString(w, note)
			}
		case answer == "":
			w.WriteHeader(http.StatusAccepted)
		default:
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Mcp-Session-Id", "session-of-"+os.Getenv(versionKey))
			_, _ = io.WriteString(w, answer)
		}
	})))
}

// rawLog appends a line to the log, after the version.
func rawLog(line string) {
	f, err := os.OpenFile(os.Getenv(logKey), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, _ = f.WriteString(os.Getenv(versionKey) + " " + line + "\n")
	_ = f.Close()
}

// rawAnswer returns the answer of a raw server; "" if there is none yet.
func rawAnswer(m rawMessage) string {
	var result string
	switch m.Method {
	case "initialize":
		revision := m.Params.ProtocolVersion
		if r, ok := os.LookupEnv("SWAP_REVISION"); ok {
			revision = r
		}
		result = `{"protocolVersion":"` + revision + `","serverInfo":{"name":"raw","version":"` + os.Getenv(versionKey) + `"},"capabilities":{"logging":{}, "tools":{},"resources":{"subscribe":true}` + os.Getenv("SWAP_CAPABILITY") + `},"instructions":"<b>&"}`
	case "server/discover":
		if _, ok := os.LookupEnv("SWAP_REVISION"); !ok { // it knows the legacy era only
			return `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32601,"message":"unknown method"}}`
		}
		result = `{"supportedVersions":["` + os.Getenv("SWAP_REVISION") + `"],"capabilities":{"tools":{}},"resultType":"complete"}`
	case "tools/call":
		switch m.Params.Name {
		case "never":
			return ""
		case "huge":
			_, _ = os.Stdout.Write(bytes.Repeat([]byte("x"), 65<<20))
			return ""
		case "nan": // which is not JSON
			return `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"content":[],"value":NaN}}`
		case "exit":
			fmt.Fprintln(os.Stderr, "panic: told to")
			os.Exit(4)
		case "ask": // with the same id in all processes
			return `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"` + os.Getenv(versionKey) + `","requestedSchema":{"type":"object","properties":{}},"_meta":{"progressToken":7}}}`
		}
		result = `{"content":[{"type":"text","text":"` + os.Getenv(versionKey) + `"}]}`
	case "subscriptions/listen":
		return `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{},"_meta":{"io.modelcontextprotocol/subscriptionId":` + string(m.ID) + `}}}`
	case "tools/list":
		result = `{"tools":[{"name":"` + os.Getenv(versionKey) + `","inputSchema":{"type":"object"}}]}`
	case "prompts/list":
		return `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32601,"message":"unknown method"}}`
	case "resources/read":
		return `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32002,"message":"` + os.Getenv(versionKey) + ` has no such resource"}}`
	case "":
		if m.Result != nil { // the answer to ask
			return `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + os.Getenv(versionKey) + ` was answered"}}`
		}
		return ""
	default:
		if strings.HasPrefix(m.Method, "notifications/") {
			return ""
		}
		result = `{}`
	}
	return `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + `}`
}

// runForks starts a process that keeps the port, if any, and the pipes.
func runForks() {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childKey+"=sleeper")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if addr := os.Getenv(addrKey); addr != "" {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			panic(err)
		}
		file, err := l.(*net.TCPListener).File()
		if err != nil {
			panic(err)
		}
		cmd.ExtraFiles = []*os.File{file}
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		rawLog(fmt.Sprint("pid ", cmd.Process.Pid))
		_ = http.Serve(l, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { os.Exit(5) }))
		return
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	rawLog(fmt.Sprint("pid ", cmd.Process.Pid))
	runRaw(rawAnswer)
}
