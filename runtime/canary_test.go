package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
)

const (
	// canary is a text with a secret and with characters that hide or move text. It must not be sent unchanged.
	canary = "the SECRET\x1b[2J\u202e\u0085\U000e0041\u200b\u200e ends"
	// modernRequest begins the params of a request of a client with all capabilities.
	modernRequest = `"_meta":{"progressToken":7,"io.modelcontextprotocol/logLevel":"debug","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + allCapabilities + `}`
	// allCapabilities are the capabilities of that client.
	allCapabilities = `{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`
)

// harmful matches the forbidden parts of the canary, raw or as JSON escapes.
var harmful = regexp.MustCompile(`SECRET|\x1b|\\u001b|\x{202e}|\\u202e|\x{85}|\\u0085|\x{e0041}|\x{200b}|\x{200e}`)

// canarySeat is a form with choices.
type canarySeat struct {
	Class string `json:"class"`
}

// canaryValue is the value of a log attribute that contains a text.
type canaryValue struct {
	Text  string
	Inner map[string][]any
}

// canaries are the ways in which a tool can send a text.
var canaries = map[string]func(ctx context.Context, text string) (*mcptool.Result, error){
	"content": func(_ context.Context, text string) (*mcptool.Result, error) {
		return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: text}}}, nil
	},
	"link": func(_ context.Context, text string) (*mcptool.Result, error) {
		return &mcptool.Result{Content: []mcptool.Content{mcptool.ResourceLink{URI: "x://y", Name: text, Title: text, Description: text}}}, nil
	},
	"error":  func(_ context.Context, text string) (*mcptool.Result, error) { return nil, errors.New(text) },
	"public": func(_ context.Context, text string) (*mcptool.Result, error) { return nil, mcptool.Errorf("%s", text) },
	"progress": func(ctx context.Context, text string) (*mcptool.Result, error) {
		mcptool.Progress(ctx, 1, 2, text)
		return &mcptool.Result{}, nil
	},
	"log":             canaryLog(func(l *slog.Logger, text string) { l.Info(text) }),
	"log of a string": canaryLog(func(l *slog.Logger, text string) { l.Info("", "a", text) }),
	"log of an error": canaryLog(func(l *slog.Logger, text string) { l.Info("", "a", errors.New(text)) }),
	"log of a key":    canaryLog(func(l *slog.Logger, text string) { l.Info("", text, 1) }),
	"log of a group":  canaryLog(func(l *slog.Logger, text string) { l.WithGroup(text).Info("", slog.Group(text, "a", text)) }),
	"log of a struct": canaryLog(func(l *slog.Logger, text string) { l.Info("", "a", canaryValue{Text: text}) }),
	"log of a map":    canaryLog(func(l *slog.Logger, text string) { l.Info("", "a", map[string]string{text: text}) }),
	"log of a nested value": canaryLog(func(l *slog.Logger, text string) {
		l.Info("", "a", canaryValue{Inner: map[string][]any{text: {text, 1}}})
	}),
	"log of escaped JSON": canaryLog(func(l *slog.Logger, text string) {
		l.Info("", "a", json.RawMessage(`"`+strings.ReplaceAll(escaped(text), "S", `\u0053`)+`"`))
	}),
	"log of a bad value": canaryLog(func(l *slog.Logger, text string) { l.Info("", "a", canaryError(text)) }),
	"confirm": func(ctx context.Context, text string) (*mcptool.Result, error) {
		return nil, mcptool.Confirm(ctx, text)
	},
	"page": func(ctx context.Context, text string) (*mcptool.Result, error) {
		return nil, mcptool.ElicitURL(ctx, "https://example.com", text)
	},
	"choices": func(ctx context.Context, text string) (*mcptool.Result, error) {
		_, err := mcptool.Elicit[canarySeat](ctx, "Which?", mcptool.Choices("class", []string{"a"}, []string{text}))
		return nil, err
	},
	"sample": func(ctx context.Context, text string) (*mcptool.Result, error) {
		return nil, mcptool.AskAll(ctx, mcptool.SamplePart(new(mcptool.SampleResult), mcptool.SampleRequest{MaxTokens: 9, SystemPrompt: text, Messages: []mcptool.Message{{Role: "user", Content: mcptool.Text{Text: text}}}}))
	},
}

// canaryError panics with its text.
type canaryError string

func (p canaryError) Error() string { panic(string(p)) }

// canaryLog returns a func that logs to the client.
func canaryLog(log func(l *slog.Logger, text string)) func(context.Context, string) (*mcptool.Result, error) {
	return func(ctx context.Context, text string) (*mcptool.Result, error) {
		log(mcptool.Logger(ctx), text)
		return &mcptool.Result{}, nil
	}
}

// escaped returns text as a JSON string without its quotes.
func escaped(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		return err.Error()
	}
	return strings.Trim(string(raw), `"`)
}

// canaryServer returns a server whose tools, prompts, resources and completions send the canary.
func canaryServer(t *testing.T) *runtime.Server {
	t.Helper()
	srv := taskServer(t)
	srv.ClientLog = runtime.ClientLogAll
	srv.Redact = func(text string) string { return strings.ReplaceAll(text, "SECRET", "***") }
	for name, say := range canaries {
		for _, support := range []mcptool.TaskSupport{private.TaskForbidden, mcptool.TaskSupportRequired} {
			made := tool(t, strings.ReplaceAll(name, " ", "_")+map[bool]string{true: "_task"}[support == mcptool.TaskSupportRequired],
				func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) { return say(ctx, canary) }, mcptool.Task(support))
			if err := srv.Tools.Add(made); err != nil {
				t.Fatal(err)
			}
		}
	}
	made, err := mcptool.New(func(context.Context, textID) (string, error) { return "", nil }, mcptool.Name("ask_first"), mcptool.AskFirst("Delete {id}?"), mcptool.AuditArguments(true))
	if err := errors.Join(err, srv.Tools.Add(made)); err != nil {
		t.Fatal(err)
	}
	addPrompt(t, srv, "p", func(context.Context, noArguments) (*mcptool.PromptResult, error) {
		return &mcptool.PromptResult{Description: canary, Messages: []mcptool.Message{{Role: mcptool.RoleUser, Content: mcptool.Text{Text: canary}}}}, nil
	})
	addPrompt(t, srv, "fails", func(context.Context, noArguments) (string, error) { return "", mcptool.Errorf("%s", canary) })
	addResource(t, srv, "x://{id}", func(context.Context, textID) (string, error) { return "SECRET ***", nil },
		mcptool.ListWith(func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
			return []mcptool.ResourceLink{{URI: "x://a", Name: canary, Title: canary, Description: canary}}, "", nil
		}),
		mcptool.Complete("id", func(context.Context, string, textID) ([]string, error) { return []string{canary}, nil }))
	return srv
}

// TestCanary: neither the secret nor harmful characters of a text are sent, in any revision.
func TestCanary(t *testing.T) {
	t.Parallel()
	type request struct{ name, method, params string }
	requests := []request{
		{"ask first", "tools/call", `"name":"ask_first","arguments":{"id":"` + strings.ReplaceAll(escaped(canary), "E", `\u0045`) + `"},`},
		{"prompt", "prompts/get", `"name":"p",`},
		{"error of a prompt", "prompts/get", `"name":"fails",`},
		{"contents", "resources/read", `"uri":"x://a",`},
		{"list", "resources/list", ``},
		{"completion", "completion/complete", `"ref":{"type":"ref/resource","uri":"x://{id}"},"argument":{"name":"id","value":""},`},
	}
	for name := range canaries {
		name = strings.ReplaceAll(name, " ", "_")
		requests = append(requests, request{name, "tools/call", `"name":"` + name + `",`}, request{name + "_task", "tools/call", `"name":"` + name + `_task",`})
	}
	for _, revision := range []string{"2025-06-18", "2025-11-25", modernRevision} {
		for _, r := range requests {
			t.Run("T-SEC-04 "+r.name+" "+revision, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { canaryRequest(t, revision, r.method, r.params) })
			})
		}
	}
}

// canaryRequest sends a request and declines client requests.
func canaryRequest(t *testing.T, revision, method, params string) {
	t.Helper()
	srv := canaryServer(t)
	audits := new(journal)
	srv.Observer = audit.New(slog.New(slog.NewJSONHandler(audits, nil)))
	w := open(t, srv)
	if revision == modernRevision {
		params += modernRequest
	} else {
		w.send(legacy(`"init"`, "initialize", `"protocolVersion":"`+revision+`","capabilities":`+allCapabilities+`,"clientInfo":{"name":"tester","version":"1"}`))
		w.next()
		w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		params += `"_meta":{"progressToken":7}`
		if strings.Contains(params, "_task") && revision == "2025-11-25" {
			params += `,"task":{}`
		}
	}
	w.send(legacy("1", method, params))
	sent := canaryAnswers(w)
	if found := regexp.MustCompile(`"taskId":"([^"]*)"`).FindStringSubmatch(sent); found != nil {
		request := `"taskId":"` + found[1] + `",`
		if revision == modernRevision {
			w.send(legacy("2", "tasks/get", request+modernRequest))
		} else {
			w.send(legacy("2", "tasks/result", request+`"_meta":{}`))
		}
		sent += canaryAnswers(w)
	}
	synctest.Wait()
	all := sent + audits.String()
	lacks := strings.Contains(params, `"page`) && revision == "2025-06-18" ||
		regexp.MustCompile(`"(log|progress)[a-zA-Z_]*_task"`).MatchString(params) && revision == modernRevision
	switch {
	case harmful.MatchString(all):
		t.Errorf("sent %q in %s", harmful.FindString(all), all)
	case !strings.Contains(sent, "***") && !lacks:
		t.Errorf("the redacted text was not sent: %s", sent)
	case strings.Contains(params, "ask_first") && !strings.Contains(audits.String(), "***"):
		t.Errorf("the audit log lacks the argument: %s", audits)
	}
}

// canaryAnswers returns all messages until the server is idle.
func canaryAnswers(w *wire) (sent string) {
	w.t.Helper()
	asked := regexp.MustCompile(`"id":([0-9]+),"method":"(elicitation|sampling)`)
	for synctest.Wait(); len(w.out) > 0; synctest.Wait() {
		msg := <-w.out
		sent += fmt.Sprintln(msg)
		if id := asked.FindStringSubmatch(msg); id != nil {
			w.send(`{"jsonrpc":"2.0","id":` + id[1] + `,"result":{"action":"decline","role":"user","model":"m","content":{}}}`)
		}
	}
	return sent
}
