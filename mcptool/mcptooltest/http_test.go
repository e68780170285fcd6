package mcptooltest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

type bookIn struct {
	Region string `json:"region" jsonschema:"x-mcp-header=Region"`
	Seats  *int32 `json:"seats" jsonschema:"x-mcp-header=Seats"`
	When   struct {
		Day string `json:"day" jsonschema:"x-mcp-header=Day"`
	} `json:"when"`
}

type bookOut struct {
	By     string `json:"by"`
	Region string `json:"region"`
	Class  string `json:"class"`
}

// overHTTP returns a server with a tool that asks, a tool with content, a prompt and a resource.
func overHTTP(t *testing.T) (srv *runtime.Server, book, content *mcptool.Tool, prompt *mcptool.Prompt, resource *mcptool.Resource) {
	t.Helper()
	book, err := mcptool.New(func(ctx context.Context, in bookIn) (bookOut, error) {
		mcptool.Progress(ctx, 1, 2, "looking")
		class, err := mcptool.Elicit[struct{ Class string }](ctx, "Which class?")
		if err != nil {
			return bookOut{}, err
		}
		return bookOut{mcptool.Caller(ctx).Principal, in.Region, class.Class}, nil
	}, mcptool.Name("book"), mcptool.Scopes("book"))
	if err != nil {
		t.Fatal(err)
	}
	size := int64(3)
	blocks := []mcptool.Content{
		mcptool.Text{Text: "hello", Annotations: &mcptool.Annotations{Audience: []mcptool.Role{mcptool.RoleUser}}},
		mcptool.Image{Data: []byte("\x89PNG\r\n\x1a\n"), MIMEType: "image/png"},
		mcptool.Audio{Data: []byte("RIFF"), MIMEType: "audio/wav"},
		mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "memo://1", MIMEType: "text/plain", Text: "memo"}},
		mcptool.ResourceLink{URI: "memo://%C3%BC", Name: "ü", Size: &size},
	}
	content, err = mcptool.New(func(context.Context, struct{}) ([]mcptool.Content, error) { return blocks, nil }, mcptool.Name("content"))
	if err != nil {
		t.Fatal(err)
	}
	prompt, err = mcptool.NewPrompt(func(_ context.Context, in struct{ Topic string }) (*mcptool.PromptResult, error) {
		return &mcptool.PromptResult{Description: "a dialog", Messages: []mcptool.Message{
			{Role: mcptool.RoleUser, Content: mcptool.Text{Text: "About " + in.Topic}}, {Role: mcptool.RoleAssistant, Content: mcptool.Text{Text: "Yes"}},
		}}, nil
	}, mcptool.Name("about"))
	if err != nil {
		t.Fatal(err)
	}
	resource, err = mcptool.NewResource(func(_ context.Context, in struct{ ID string }) (string, error) { return "memo " + in.ID, nil }, mcptool.URI("memo://{ID}"), mcptool.Name("memo"))
	if err != nil {
		t.Fatal(err)
	}
	registry := &mcptool.Registry{}
	if err := registry.Add(book, content, prompt, resource); err != nil {
		t.Fatal(err)
	}
	return &runtime.Server{Name: "booking", Version: "1", Tools: registry}, book, content, prompt, resource
}

// TestHTTP calls everything over HTTP and in memory: with answers, progress, headers, scopes and every content type.
func TestHTTP(t *testing.T) {
	t.Parallel()
	srv, book, content, prompt, resource := overHTTP(t)
	client := mcptooltest.HTTP(t, srv, streamhttp.StaticTokens(map[string]streamhttp.Token{
		"s3cret": {Principal: "ada", Scopes: []string{"book"}}, "reads": {Principal: "bob"},
	}))
	client.Header.Set("Authorization", "Bearer s3cret")
	seats := int32(2)
	client.Answers = []any{map[string]string{"Class": "first"}}
	got := mcptooltest.CallAs[bookIn, bookOut](t, client, book, bookIn{Region: "zürich ", Seats: &seats})
	if want := (bookOut{"ada", "zürich ", "first"}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, region := range []string{"", "zürich", " x", "x ", "x\ny", "=?base64?eA==?="} { // some of them must be encoded in a header
		other := &mcptooltest.Client{URL: client.URL, Header: client.Header, Answers: client.Answers}
		if got := mcptooltest.CallAs[bookIn, bookOut](t, other, book, bookIn{Region: region}); got.Region != region {
			t.Errorf("got %q, want %q", got.Region, region)
		}
	}
	report := mcptooltest.ProgressReport{Done: 1, Total: 2, Message: "looking"}
	if reports := client.ProgressReports(); !slices.Equal(reports, []mcptooltest.ProgressReport{report, report}) { // one per run
		t.Errorf("progress: %v", reports)
	}
	if asked := client.Asked(); len(asked) != 1 || asked[0].Message != "Which class?" || asked[0].Capability != "elicitation.form" || !strings.Contains(string(asked[0].Form), "Class") {
		t.Errorf("asked: %+v", asked)
	}
	inMemory := mcptooltest.Call[struct{}, *mcptool.Result](t, content, struct{}{})
	if over := mcptooltest.CallAs[struct{}, *mcptool.Result](t, client, content, struct{}{}); !reflect.DeepEqual(over.Content, inMemory.Content) {
		t.Errorf("content over HTTP: %+v, in memory: %+v", over.Content, inMemory.Content)
	}
	topic := map[string]string{"Topic": "Lisbon"}
	want, _ := new(mcptooltest.Client).Prompt(t.Context(), prompt, topic)
	if got, err := client.Prompt(t.Context(), prompt, topic); err != nil || want == nil || !reflect.DeepEqual(got, want) {
		t.Errorf("prompt over HTTP: %+v, %v, in memory: %+v", got, err, want)
	}
	if got := mcptooltest.ReadAs[string](t, client, resource, "memo://7"); got != "memo 7" {
		t.Errorf("resource: %q", got)
	}

	bob := &mcptooltest.Client{URL: client.URL, Header: http.Header{"authorization": {"Bearer reads"}}}
	if _, err := bob.Call(t.Context(), book, []byte(`{"region":"x"}`)); !errors.Is(err, mcptooltest.ErrHidden) || err.Error() != `book: hidden from the caller: the tool "book" needs an access token with book` {
		t.Errorf("without the scope: %v", err)
	}
	nobody := &mcptooltest.Client{URL: client.URL}
	if _, err := nobody.Call(t.Context(), content, nil); err == nil || !strings.Contains(err.Error(), "requires an access token") {
		t.Errorf("without a token: %v", err)
	}
	if _, err := bob.Read(t.Context(), resource, "other://7"); err == nil || !strings.HasPrefix(err.Error(), "other://7: ") || !strings.Contains(err.Error(), "not found") {
		t.Errorf("another resource: %v", err)
	}
	if got, err := bob.Call(t.Context(), content, nil); err != nil || got.IsError {
		t.Errorf("no arguments: %v, %v", got, err)
	}
	if got, err := bob.Call(t.Context(), content, []byte(`{"x":1}`)); err != nil || !got.IsError {
		t.Errorf("invalid arguments: %v, %v", got, err)
	}
	ada := &mcptooltest.Client{URL: client.URL, Header: client.Header, Answers: client.Answers}
	if got, err := ada.Call(t.Context(), book, []byte(`{"region":"x","seats":null,"when":{"day":"1"}}`)); err != nil || got.IsError {
		t.Errorf("null: %v, %v", got, err)
	}
	lost := &mcptooltest.Client{URL: client.URL + "/other"}
	if _, err := lost.Call(t.Context(), content, nil); err == nil || err.Error() != "content: 404 Not Found: 404 page not found" {
		t.Errorf("another path: %v", err)
	}
}

// TestHTTPElicitSchema asks with a form that a schema describes, over HTTP.
func TestHTTPElicitSchema(t *testing.T) {
	t.Parallel()
	tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (string, error) {
		answer, err := mcptool.ElicitSchema(ctx, "Which class?", json.RawMessage(`{"type":"object","properties":{"class":{"type":"string","enum":["1","2"]},"quiet":{"type":"boolean","default":true}},"required":["class"]}`))
		return string(answer), err
	}, mcptool.Name("book"))
	if err != nil {
		t.Fatal(err)
	}
	registry := &mcptool.Registry{}
	if err := registry.Add(tool); err != nil {
		t.Fatal(err)
	}
	url := mcptooltest.HTTP(t, &runtime.Server{Name: "booking", Version: "1", Tools: registry}).URL
	for want, answer := range map[string]any{
		`{"class":"2","quiet":true}`:           map[string]string{"class": "2"},
		`class: must be one of "1", "2"`:       map[string]string{"class": "3"},
		"class: is required":                   struct{}{},
		"the user declined: Which class?":      mcptooltest.RefusalDecline,
		"the user dismissed the question: Whi": mcptooltest.RefusalDismiss,
	} {
		client := &mcptooltest.Client{URL: url, Answers: []any{answer}}
		result, err := client.Call(t.Context(), tool, nil)
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := result.Content[0].(mcptool.Text); !strings.Contains(text.Text, want) || result.IsError != !strings.HasPrefix(want, "{") {
			t.Errorf("got %q, IsError %v, want %q", text.Text, result.IsError, want)
		}
	}
}

// ending is a TB whose end is controlled by the test.
type ending struct {
	testing.TB

	ctx     context.Context //nolint:containedctx // context of the TB
	cleanup func()
	errors  string
}

func (e *ending) Context() context.Context          { return e.ctx }
func (e *ending) Cleanup(fn func())                 { e.cleanup = fn }
func (e *ending) Errorf(format string, args ...any) { e.errors += fmt.Sprintf(format, args...) }

// TestHTTPEnds checks that the server serves cleanups, which run after the context of the test has ended, and then
// cancels calls at once without a test error.
func TestHTTPEnds(t *testing.T) {
	t.Parallel()
	began := make(chan struct{})
	waits, err := mcptool.New(func(ctx context.Context, in struct{ Wait bool }) (string, error) {
		if in.Wait {
			close(began)
			<-ctx.Done()
		}
		return "done", ctx.Err()
	}, mcptool.Name("waits"))
	if err != nil {
		t.Fatal(err)
	}
	registry := &mcptool.Registry{}
	if err := registry.Add(waits); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	test := &ending{TB: t, ctx: ctx}
	client := mcptooltest.HTTP(test, &runtime.Server{Tools: registry})
	cancelled := make(chan bool, 1)
	go func() {
		waiting := &mcptooltest.Client{URL: client.URL}
		result, err := waiting.Call(t.Context(), waits, []byte(`{"Wait":true}`))
		cancelled <- err != nil || result.IsError
	}()
	<-began
	end()
	time.Sleep(100 * time.Millisecond) // time for the server to end with the context, if it did
	if _, err := client.Call(t.Context(), waits, []byte(`{"Wait":false}`)); err != nil {
		t.Errorf("call in a cleanup: %v", err)
	}
	ended := time.Now()
	test.cleanup()
	if took := time.Since(ended); took > 4*time.Second { // the default of Grace is 5 seconds
		t.Errorf("the end of the test waited %v for a call", took)
	}
	if !<-cancelled {
		t.Error("the call was not cancelled")
	}
	if test.errors != "" {
		t.Errorf("the test failed: %s", test.errors)
	}
}

// TestHTTPGrace checks that an option replaces the grace period.
func TestHTTPGrace(t *testing.T) {
	t.Parallel()
	began := make(chan struct{})
	brief, err := mcptool.New(func(ctx context.Context, _ struct{}) (string, error) {
		close(began)
		time.Sleep(200 * time.Millisecond)
		return "done", ctx.Err()
	}, mcptool.Name("brief"))
	if err != nil {
		t.Fatal(err)
	}
	registry := &mcptool.Registry{}
	if err := registry.Add(brief); err != nil {
		t.Fatal(err)
	}
	test := &ending{TB: t, ctx: t.Context()}
	client := mcptooltest.HTTP(test, &runtime.Server{Tools: registry}, streamhttp.Grace(time.Minute))
	done := make(chan bool, 1)
	go func() {
		result, err := client.Call(t.Context(), brief, nil)
		done <- err == nil && !result.IsError
	}()
	<-began
	test.cleanup()
	if !<-done || test.errors != "" {
		t.Errorf("the call was cancelled, or the test failed: %s", test.errors)
	}
}

// TestHTTPMistakes checks that mistakes are reported as errors of the test.
func TestHTTPMistakes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		srv  *runtime.Server
		opts []streamhttp.ServeOption
		want string
	}{
		{"server", &runtime.Server{Revisions: []string{"2020-01-01"}, Logger: slog.New(slog.DiscardHandler)}, nil, "2020-01-01"},
		{"option", &runtime.Server{Tools: &mcptool.Registry{}}, []streamhttp.ServeOption{streamhttp.AllowOrigins("a")}, "AllowOrigins"},
	} {
		tb := &ending{TB: t, ctx: t.Context()}
		mcptooltest.HTTP(tb, test.srv, test.opts...)
		tb.cleanup()
		if !strings.HasPrefix(tb.errors, "mcptooltest.HTTP: ") || !strings.Contains(tb.errors, test.want) {
			t.Errorf("%s: test error = %q, want %s", test.name, tb.errors, test.want)
		}
	}
}

// TestHTTPExtension checks that the test can call a tool of an extension.
func TestHTTPExtension(t *testing.T) {
	t.Parallel()
	added, err := mcptool.New(func(context.Context, struct{}) (string, error) { return "added", nil }, mcptool.Name("added"))
	if err != nil {
		t.Fatal(err)
	}
	srv := &runtime.Server{Tools: &mcptool.Registry{}, Extensions: []runtime.Extension{{ID: "com.example/added", Tools: []*mcptool.Tool{added}}}}
	client := mcptooltest.HTTP(t, srv)
	tool, ok := srv.Tools.Lookup("added")
	if !ok {
		t.Fatal("the registry of the server lacks the tool of the extension")
	}
	if got := mcptooltest.CallAs[struct{}, string](t, client, tool, struct{}{}); got != "added" {
		t.Errorf("the tool returned %q, want added", got)
	}
}
