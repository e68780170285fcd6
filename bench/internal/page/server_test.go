package page_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/page"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/stdio"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// serverKey is the environment variable that names the server to run over stdio instead of the tests.
const serverKey = "BENCH_PAGE_SERVER"

// patient is how long tests wait for what normally comes much sooner.
const patient = 2 * time.Minute

func TestMain(m *testing.M) {
	switch name := os.Getenv(serverKey); name {
	case "":
		os.Exit(m.Run())
	case "shop":
		srv, err := newShop()
		if err == nil {
			err = stdio.Serve(context.Background(), srv)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	default:
		serveHostile(name)
	}
}

// child returns the target of a server that this binary serves over stdio.
func child(name string) client.Target {
	return client.Target{Command: []string{os.Args[0]}, Env: []string{serverKey + "=" + name, "GORACE=atexit_sleep_ms=0"}}
}

type addIn struct {
	A int `json:"a"`
	B int `json:"b,omitempty"`
}

type addOut struct {
	Sum int `json:"sum"`
}

type pet struct {
	Name string `json:"name"`
}

type noteIn struct {
	_  struct{} `mcp:"uri=notes://{id}" doc:"A note"`
	ID string   `json:"id"`
}

type reviewIn struct {
	_    struct{} `mcp:"name=review" doc:"Reviews a program"`
	Lang string   `json:"lang" jsonschema:"enum=go,enum=rust"`
	Text string   `json:"text,omitempty"`
}

// newShop returns a server with a tool, prompt or resource for each feature.
func newShop() (*runtime.Server, error) {
	registry := new(mcptool.Registry)
	var errs []error
	add := func(item mcptool.Item, err error) {
		if err == nil {
			err = registry.Add(item)
		}
		errs = append(errs, err)
	}
	addTool(add, "add", func(_ context.Context, in addIn) (addOut, error) { return addOut{in.A + in.B}, nil })
	addTool(add, "fail", func(context.Context, struct{}) (addOut, error) { return addOut{}, errors.New("no pets today") })
	addTool(add, "say", func(context.Context, struct{}) ([]mcptool.Content, error) {
		return []mcptool.Content{mcptool.Text{Text: "hello"}, mcptool.Image{Data: []byte{1, 2}, MIMEType: "image/png"}}, nil
	})
	addTool(add, "ask", func(ctx context.Context, _ struct{}) (pet, error) { return mcptool.Elicit[pet](ctx, "Which pet?") })
	addTool(add, "visit", func(ctx context.Context, _ struct{}) (addOut, error) {
		return addOut{1}, mcptool.ElicitURL(ctx, "https://pay.example/1", "Pay there")
	})
	addTool(add, "report", func(ctx context.Context, in addIn) (addOut, error) {
		mcptool.Progress(ctx, float64(in.A), 3, "one")
		mcptool.Logger(ctx).InfoContext(ctx, "between", slog.Int("a", in.A))
		return addOut{2}, nil
	})
	addTool(add, "wait", func(ctx context.Context, _ struct{}) (addOut, error) {
		mcptool.Progress(ctx, 1, 0, "begun")
		<-ctx.Done()
		return addOut{}, ctx.Err()
	})
	addTool(add, "work", func(ctx context.Context, in addIn) (addOut, error) {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
		return addOut{in.A + in.B}, ctx.Err()
	}, mcptool.Task(mcptool.TaskSupportOptional))
	addTool(add, "large", func(_ context.Context, in addIn) (string, error) { return strings.Repeat("x", in.A), nil })
	addTool(add, "grow", func(context.Context, struct{}) (addOut, error) {
		grown, err := mcptool.New(func(context.Context, struct{}) (addOut, error) { return addOut{}, nil }, mcptool.Name("grown"), mcptool.Description("Is new"))
		if err == nil {
			err = registry.Add(grown)
		}
		return addOut{}, err
	})
	addTool(add, "crash", func(context.Context, struct{}) (addOut, error) {
		fmt.Fprintln(os.Stderr, "panic: the shop is on fire")
		os.Exit(3)
		return addOut{}, nil
	})
	note, err := mcptool.NewResource(func(_ context.Context, in noteIn) (string, error) { return "note " + in.ID, nil },
		mcptool.Complete("id", func(_ context.Context, typed string, _ noteIn) ([]string, error) {
			return []string{typed + "7", typed + "8"}, nil
		}))
	add(note, err)
	today, err := mcptool.NewResource(func(context.Context, struct{}) (string, error) { return "sunny", nil }, mcptool.URI("days:///today"), mcptool.Description("Today"))
	add(today, err)
	review, err := mcptool.NewPrompt(func(_ context.Context, in reviewIn) (string, error) {
		return "Review this " + in.Lang + ": " + in.Text, nil
	})
	add(review, err)
	return &runtime.Server{
		Logger: slog.New(slog.DiscardHandler), ClientLog: runtime.ClientLogAll,
		Name: "petshop", Title: "The <shop>", Version: "1.2.3", Instructions: "Be kind.", Tools: registry, Tasks: tasks.New(nil),
		Limits: runtime.Limits{Tasks: runtime.TaskLimits{PollInterval: 10 * time.Millisecond, Delay: time.Millisecond}},
	}, errors.Join(errs...)
}

func addTool[In, Out any](add func(mcptool.Item, error), name string, fn func(context.Context, In) (Out, error), opts ...mcptool.ToolOption) {
	tool, err := mcptool.New(fn, append(opts, mcptool.Name(name), mcptool.Description("Does "+name))...)
	add(tool, err)
}

// serveShop serves newShop over HTTP.
func serveShop(t *testing.T) client.Target {
	t.Helper()
	srv, err := newShop()
	if err != nil {
		t.Fatal(err)
	}
	handler, err := streamhttp.NewHandler(srv)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	return client.Target{URL: web.URL}
}

// everywhere runs a test with a page of newShop, in both eras over both transports.
func everywhere(t *testing.T, test func(t *testing.T, b *browser)) {
	t.Helper()
	for _, era := range []client.Era{client.Modern, client.Legacy} {
		t.Run("stdio "+string(era), func(t *testing.T) {
			t.Parallel()
			test(t, open(t, child("shop"), era, page.Options{}))
		})
		t.Run("http "+string(era), func(t *testing.T) {
			t.Parallel()
			test(t, open(t, serveShop(t), era, page.Options{}))
		})
	}
}

// serveHostile serves tools with hand-written messages over stdio.
func serveHostile(name string) {
	var mu sync.Mutex
	send := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Printf(format+"\n", args...)
	}
	if name == "noisy" {
		send("Welcome <b>")
	}
	in := json.NewDecoder(os.Stdin)
	for {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name      string
				Arguments struct{ Bytes int }
			}
		}
		if in.Decode(&m) != nil {
			return
		}
		result := map[string]string{
			"initialize":     `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{},"prompts":{},"resources":{}},"serverInfo":{"name":"<script>alert(1)</script>` + "\u202e" + `","version":"<b>"},"instructions":"</script><img src=x onerror=alert(1)>"}`,
			"tools/list":     strings.ReplaceAll(hostileTools, "\n", ""),
			"prompts/list":   `{"prompts":[{"name":"</textarea><script>alert(2)</script>","description":"\u202egpj.exe"}]}`,
			"resources/list": `{"resources":[{"uri":"javascript:alert(3)","name":"<svg onload=alert(3)>"}]}`,
		}[m.Method]
		switch {
		case m.ID == nil:
		case m.Method == "tools/call" && name == "silent":
		case m.Method == "tools/call" && m.Params.Name == "chatty":
			go func() {
				for i := 0; ; i++ {
					send(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"line %d <script>"}}`, i)
				}
			}()
		case m.Method == "tools/call" && m.Params.Name == "huge":
			send(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}`, m.ID, strings.Repeat("<b>", m.Params.Arguments.Bytes/3+1))
		case m.Method == "tools/call" && m.Params.Name == "die":
			os.Exit(9)
		case m.Method == "tools/call" && m.Params.Name == "vague":
			for _, method := range []string{"progress", "message", "tasks/status", "cancelled"} {
				send(`{"jsonrpc":"2.0","method":"notifications/%s"}`, method)
				send(`{"jsonrpc":"2.0","method":"notifications/%s","params":{}}`, method)
			}
			send(`{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, m.ID)
		case m.Method == "tools/call" && m.Params.Name == "lure":
			send(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"mode":"url","url":"javascript:alert(1)","message":"<b>click</b>","elicitationId":"1"}}`)
			var answer struct{ Result json.RawMessage }
			if in.Decode(&answer) != nil {
				return
			}
			text, _ := json.Marshal(string(answer.Result))
			send(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}]}}`, m.ID, text)
		case m.Method == "tools/call":
			send(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"<script>alert(4)</script>\u202e"}],"structuredContent":{"</script>":"<!--"}}}`, m.ID)
		case result != "":
			send(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
		default:
			send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"<i>unknown</i>"}}`, m.ID)
		}
	}
}

const hostileTools = `{"tools":[
{"name":"\u202enoitcnuf","title":"<script>alert(0)</script>","description":"</style><script>alert(0)</script>","inputSchema":{"type":"object","properties":{"</script>":{"type":"string","default":"<b>"}}}},
{"name":"chatty","inputSchema":{"type":"object"}},
{"name":"huge","inputSchema":{"type":"object"}},
{"name":"die","inputSchema":{"type":"object"}},
{"name":"lure","inputSchema":{"type":"object"}},
{"name":7,"description":["x"],"inputSchema":12345678901234567890,"tokens":"mine","findings":"<b>"},
{"name":"-rf","inputSchema":{"type":"object","properties":{"b":{"type":"string"},"a":{"maximum":12345678901234567890}}}}
]}`
