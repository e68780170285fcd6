package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// revisions are one with sessions, and one without.
var revisions = []string{"2025-11-25", modern}

// modern is the first revision without sessions.
const modern = "2026-07-28"

// bearer sends an access token with each request.
type bearer string

func (b bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(request)
}

// user is a person at a client of the official Go SDK.
type user struct {
	*mcp.ClientSession
	updates  chan string   // URIs of updated resources
	lists    chan struct{} // changes of the list of resources
	agreed   chan []string // URIs of subscriptions, in revisions that acknowledge them
	progress chan string   // messages
	// answers is called with the questions of tools.
	answers func(ctx context.Context, question *mcp.ElicitParams) (*mcp.ElicitResult, error)
}

// connect connects a person of an organization in a revision. With manual the client returns questions in the result of
// a call, in revisions that have them there.
func (p *process) connect(t *testing.T, person, organization, revision string, manual bool) *user {
	t.Helper()
	u := &user{
		updates: make(chan string, 100), lists: make(chan struct{}, 100),
		agreed: make(chan []string, 100), progress: make(chan string, 100),
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "newuser", Version: "1.0.0"}, &mcp.ClientOptions{
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: manual},
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			u.updates <- r.Params.URI
		},
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { u.lists <- struct{}{} },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			u.progress <- r.Params.Message
		},
		ElicitationHandler: func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return u.answers(ctx, r.Params)
		},
	})
	client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			if params, ok := r.GetParams().(*mcp.SubscriptionsAcknowledgedParams); ok {
				u.agreed <- params.Notifications.ResourceSubscriptions
			}
			return next(ctx, method, r)
		}
	})
	transport := &mcp.StreamableClientTransport{Endpoint: p.url(), HTTPClient: &http.Client{Transport: bearer(p.token(person, organization))}}
	session, err := client.Connect(context.WithoutCancel(t.Context()), transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatalf("%s of %s in %s: %v\n%s", person, organization, revision, err, &p.log)
	}
	if got := session.InitializeResult().ProtocolVersion; got != revision {
		t.Fatalf("got revision %s, want %s", got, revision)
	}
	u.ClientSession = session
	p.users = append(p.users, u)
	if revision >= modern {
		next(t, u.agreed) // to changes of the list
	}
	return u
}

// read returns the title of a ticket, or the error.
func (u *user) read(t *testing.T, id int) string {
	t.Helper()
	result, err := u.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: ticketURI(id)})
	if err != nil {
		return err.Error()
	}
	return result.Contents[0].Text
}

// subscribe subscribes to a ticket, and returns the reason if the server does not agree.
func (u *user) subscribe(t *testing.T, id int) string {
	t.Helper()
	if err := u.Subscribe(t.Context(), &mcp.SubscribeParams{URI: ticketURI(id)}); err != nil {
		return err.Error()
	}
	if u.InitializeResult().ProtocolVersion < modern {
		return ""
	}
	if agreed := next(t, u.agreed); !slices.Equal(agreed, []string{ticketURI(id)}) {
		return fmt.Sprintf("not found in the acknowledgement of %q", agreed)
	}
	return ""
}

// call calls a tool, and returns the text of its result, or the error.
func (u *user) call(t *testing.T, tool string, arguments map[string]any) string {
	t.Helper()
	params := &mcp.CallToolParams{Name: tool, Arguments: arguments}
	params.SetProgressToken("1")
	result, err := u.CallTool(t.Context(), params)
	if err != nil {
		return err.Error()
	}
	return text(result)
}

// text returns the texts of a result.
func text(result *mcp.CallToolResult) string {
	var all []string
	for _, content := range result.Content {
		if content, ok := content.(*mcp.TextContent); ok {
			all = append(all, content.Text)
		}
	}
	return strings.Join(all, "\n")
}

// yes fills in the form of a question with yes, as its schema requires.
func yes(t *testing.T, question *mcp.ElicitParams) *mcp.ElicitResult {
	t.Helper()
	data, err := json.Marshal(question.RequestedSchema)
	if err != nil {
		t.Error(err)
	}
	var schema struct {
		Properties map[string]struct{ Type string }
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Error(err)
	}
	content := map[string]any{}
	for name, property := range schema.Properties {
		if property.Type == "boolean" {
			content[name] = true
		}
	}
	return &mcp.ElicitResult{Action: "accept", Content: content}
}

// next returns the next value of a channel.
func next[T any](t *testing.T, from chan T) T {
	t.Helper()
	select {
	case got := <-from:
		return got
	case <-time.After(patience):
		t.Fatalf("nothing arrived within %v", patience)
		panic("unreachable")
	}
}

// want checks that a text contains another one.
func want(t *testing.T, what, got, part string) {
	t.Helper()
	if !strings.Contains(strings.ToLower(got), part) {
		t.Errorf("%s: got %q, want %q in it", what, got, part)
	}
}
