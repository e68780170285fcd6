package main

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcptool-go/mcptool/integrations/jwtauth/jwtauthtest"
)

// story is a day at the helpdesk. Its checks run one after the other, and use what those before them have left.
type story struct {
	*process
	ada    map[string]*user // of acme, by revision
	bob    map[string]*user // of acme
	spy    map[string]*user // ada in her other organization, globex: the same sub
	asking *user            // ada of acme in the modern revision, who answers questions by hand

	open           *mcp.CallToolResult // a question to asking
	report, export string              // ids of tasks of ada of acme
	refund         string              // the same
}

// TestNewUser uses the helpdesk as the guides describe, in four processes, and expects the results that they promise.
func TestNewUser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts four servers and waits for timeouts")
	}
	s := &story{process: &process{issuer: jwtauthtest.NewIssuer(t), dir: t.TempDir()}}
	t.Cleanup(func() {
		for _, u := range s.users {
			_ = u.Close() // without the server
		}
		if s.instance != nil {
			s.instance.Kill()
		}
		if t.Failed() {
			t.Logf("the log of the helpdesk:\n%s", &s.log)
		}
	})
	for _, check := range []struct {
		expect string
		run    func(t *testing.T)
	}{
		{"a person with tokens of two organizations connects as two callers", s.connectAll},
		{"a token without an organization gets status 401", s.noOrganization},
		{"a caller of an organization without an account is refused with the reason", s.noAccount},
		{"a caller reads and lists the tickets of its tenant, and no others", s.read},
		{"a session does not exist for another tenant of the same person", s.session},
		{"a subscription to a ticket of another tenant is refused", s.refusedSubscription},
		{"an update reaches the subscribers of its tenant, and no others", s.update},
		{"a change of the list of a tenant reaches its callers, and no others", s.listChange},
		{"a user may think for longer than the timeout of the tool, and others call it meanwhile", s.think},
		{"a refusal has the question in its text, although errors are masked", s.decline},
		{"a question is continued by its caller, not by another tenant of the same person or another person", s.continuation},
		{"a task exists for its caller, not for another tenant of the same person or another person", s.tasks},
		{"SIGTERM: new calls get status 503, running ones and questions about tasks are answered", s.terminate},
		{"restart: sessions of older revisions continue, and the log reports it", s.resume},
		{"restart: clients of each revision subscribe again and are notified", s.subscribeAgain},
		{"restart: a question from before it is answered after it", s.answerAfterRestart},
		{"restart: the result of a task from before it is kept", s.reportAfterRestart},
		{"restart: a durable task from before it ends in the next process", s.exportAfterRestart},
		{"restart: a durable task still waits for its user, and ends with the answer", s.refundAfterRestart},
		{"a question that is not answered in time ends the call", s.unanswered},
		{"a late answer is refused", s.tooLate},
		{"SIGTERM: a call that waits for its user ends with the reason", s.waiting},
		{"other keys: an old session id gets status 404, and the log names the setting", s.otherKeys},
		{"each record of the audit log has the principal and the tenant", s.audit},
	} {
		t.Run(check.expect, check.run)
	}
}

// connectAll starts the first process.
func (s *story) connectAll(t *testing.T) {
	t.Helper()
	s.start(t, "-report", "3s")
	s.ada, s.bob, s.spy = map[string]*user{}, map[string]*user{}, map[string]*user{}
	for _, revision := range revisions {
		s.ada[revision] = s.connect(t, "ada", "acme", revision, false)
		s.bob[revision] = s.connect(t, "bob", "acme", revision, false)
		s.spy[revision] = s.connect(t, "ada", "globex", revision, false)
	}
	s.asking = s.connect(t, "ada", "acme", modern, true)
}

func (s *story) noOrganization(t *testing.T) {
	t.Helper()
	_, err := s.get(t, s.token("ada", ""), "any")
	if err == nil {
		t.Fatal("the token is accepted")
	}
	want(t, "tasks/get", err.Error(), "401")
	reason, _ := s.log.find(t, "access token refused")["reason"].(string)
	want(t, "the reason in the log", reason, "org_id")
}

func (s *story) noAccount(t *testing.T) {
	t.Helper()
	for _, revision := range revisions {
		eve := s.connect(t, "eve", "initech", revision, false)
		want(t, "a call", eve.call(t, "rename_ticket", map[string]any{"id": 1, "title": "x"}), "your organization has no account here")
		want(t, "a read", eve.read(t, 1), "your organization has no account here")
	}
}

func (s *story) read(t *testing.T) {
	t.Helper()
	for _, revision := range revisions {
		want(t, "ticket 1 of acme", s.ada[revision].read(t, 1), "a printer is on fire")
		want(t, "ticket 1 of globex", s.spy[revision].read(t, 1), "a secret plan")
		want(t, "a ticket of acme, for globex", s.spy[revision].read(t, 2), "not found")
		want(t, "a ticket of globex, for acme", s.bob[revision].read(t, 3), "not found")
		var uris []string
		for resource, err := range s.spy[revision].Resources(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			uris = append(uris, resource.URI)
		}
		if !slices.Equal(uris, []string{"ticket://1", "ticket://3"}) {
			t.Errorf("the list of globex in %s: %q", revision, uris)
		}
	}
}

// status posts a ping in a session, and returns the status.
func (s *story) status(t *testing.T, token, session string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		t.Fatal(err)
	}
	for header, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + token,
		"MCP-Protocol-Version": revisions[0], "Mcp-Session-Id": session,
	} {
		request.Header.Set(header, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode
}

func (s *story) session(t *testing.T) {
	t.Helper()
	id := s.ada[revisions[0]].ID()
	for _, test := range []struct {
		person, organization string
		status               int
	}{{"ada", "acme", 200}, {"ada", "globex", 404}, {"bob", "acme", 404}} {
		if got := s.status(t, s.token(test.person, test.organization), id); got != test.status {
			t.Errorf("%s of %s: got status %d, want %d", test.person, test.organization, got, test.status)
		}
	}
}

func (s *story) refusedSubscription(t *testing.T) {
	t.Helper()
	for _, revision := range revisions {
		want(t, "a ticket of acme, for globex", s.spy[revision].subscribe(t, 2), "not found")
		want(t, "a ticket that does not exist", s.spy[revision].subscribe(t, 99), "not found")
	}
}

func (s *story) update(t *testing.T) {
	t.Helper()
	for _, revision := range revisions {
		for _, subscription := range []struct {
			*user
			id int
		}{{s.bob[revision], 1}, {s.spy[revision], 1}, {s.spy[revision], 3}} {
			if refused := subscription.subscribe(t, subscription.id); refused != "" {
				t.Fatal(refused)
			}
		}
	}
	s.notify(t, "a printer is out")
}

// notify renames the tickets that are subscribed to. Globex is not notified of ticket 1 of acme, although it has one
// itself: the next update that it gets is about ticket 3.
func (s *story) notify(t *testing.T, title string) {
	t.Helper()
	want(t, "rename", s.ada[modern].call(t, "rename_ticket", map[string]any{"id": 1, "title": title}), "renamed")
	for _, revision := range revisions {
		if got := next(t, s.bob[revision].updates); got != ticketURI(1) {
			t.Errorf("bob in %s is notified of %s", revision, got)
		}
		want(t, "the ticket after the update", s.bob[revision].read(t, 1), title)
	}
	want(t, "rename", s.spy[modern].call(t, "rename_ticket", map[string]any{"id": 3, "title": title}), "renamed")
	for _, revision := range revisions {
		if got := next(t, s.spy[revision].updates); got != ticketURI(3) {
			t.Errorf("globex in %s is notified of %s", revision, got)
		}
	}
}

// listChange closes ticket 4 of acme.
func (s *story) listChange(t *testing.T) {
	t.Helper()
	s.ada[modern].answers = func(_ context.Context, question *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		return yes(t, question), nil
	}
	want(t, "close", s.ada[modern].call(t, "close_ticket", map[string]any{"id": 4}), "closed")
	for _, revision := range revisions {
		next(t, s.bob[revision].lists)
	}
	want(t, "rename", s.spy[modern].call(t, "rename_ticket", map[string]any{"id": 3, "title": "no tea at all"}), "renamed")
	for _, revision := range revisions {
		next(t, s.spy[revision].updates) // sent after any other notification
		if len(s.spy[revision].lists) != 0 {
			t.Errorf("globex is notified in %s", revision)
		}
	}
}

func (s *story) think(t *testing.T) {
	t.Helper()
	for _, revision := range revisions {
		ada, bob := s.ada[revision], s.bob[revision]
		bob.answers = func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "decline"}, nil
		}
		ada.answers = func(_ context.Context, question *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			//nolint:contextcheck // the call of another person
			want(t, "the call of bob meanwhile", bob.call(t, "close_ticket", map[string]any{"id": 1}), "the user declined")
			time.Sleep(1200 * time.Millisecond) // the timeout of the tool is 1 s
			return yes(t, question), nil
		}
		id := map[string]int{revisions[0]: 2, modern: 5}[revision]
		want(t, "close in "+revision, ada.call(t, "close_ticket", map[string]any{"id": id}), "closed")
		want(t, "the ticket after that", ada.read(t, id), "not found")
	}
}

func (s *story) decline(t *testing.T) {
	t.Helper()
	for _, revision := range revisions {
		s.ada[revision].answers = func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "decline"}, nil
		}
		want(t, "close in "+revision, s.ada[revision].call(t, "close_ticket", map[string]any{"id": 1}), "the user declined: close ticket 1, a printer is out?")
	}
}

// ask asks a question in the modern revision and leaves it open.
func (s *story) ask(t *testing.T) *mcp.CallToolResult {
	t.Helper()
	result, err := s.asking.CallTool(t.Context(), &mcp.CallToolParams{Name: "close_ticket", Arguments: map[string]any{"id": 1}})
	if err != nil || !result.NeedsInput() {
		t.Fatalf("the call does not ask: %+v %v", result, err)
	}
	return result
}

// reply calls again with the answer yes, as u.
func (s *story) reply(t *testing.T, u *user, open *mcp.CallToolResult) string {
	t.Helper()
	answers := mcp.InputResponseMap{}
	for key, question := range open.InputRequests {
		answers[key] = yes(t, question.(*mcp.ElicitParams))
	}
	result, err := u.CallTool(t.Context(), &mcp.CallToolParams{
		Name: "close_ticket", Arguments: map[string]any{"id": 1}, InputResponses: answers, RequestState: open.RequestState,
	})
	if err != nil {
		return err.Error()
	}
	return text(result)
}

func (s *story) continuation(t *testing.T) {
	t.Helper()
	s.open = s.ask(t)
	want(t, "ada of globex", s.reply(t, s.spy[modern], s.open), "invalid or expired")
	want(t, "bob of acme", s.reply(t, s.bob[modern], s.open), "invalid or expired")
	want(t, "the ticket of acme", s.ada[modern].read(t, 1), "a printer is out")
	want(t, "the ticket of globex", s.spy[modern].read(t, 1), "a secret plan")
}

func (s *story) tasks(t *testing.T) {
	t.Helper()
	ada := s.token("ada", "acme")
	s.export = s.begin(t, ada, "export_tickets", "{}")
	s.refund = s.begin(t, ada, "refund", `{"cents":500}`)
	state := s.await(t, ada, s.refund, "input_required")
	for _, other := range []string{s.token("ada", "globex"), s.token("bob", "acme")} {
		for _, id := range []string{s.export, s.refund} {
			if state, err := s.get(t, other, id); err == nil {
				t.Errorf("another caller gets %+v", state)
			} else {
				want(t, "tasks/get", err.Error(), "unknown or expired task")
			}
		}
		if err := s.answer(t, other, s.refund, state); err == nil {
			t.Error("another caller may answer")
		}
		if _, err := s.request(t, other, "tasks/cancel", s.export, `"taskId":"`+s.export+`"`); err == nil {
			t.Error("another caller may cancel")
		}
	}
	if state, err := s.get(t, ada, s.export); err != nil || state.Status != "working" {
		t.Errorf("the export after that: %+v %v", state, err)
	}
	s.await(t, ada, s.refund, "input_required")
}

func (s *story) audit(t *testing.T) {
	t.Helper()
	principals := map[any]int{}
	for _, record := range s.audited(t) {
		caller, _ := record["principal"].(string)
		tenant, _ := record["tenant"].(string)
		principals[tenant+" "+strings.TrimPrefix(caller, s.issuer.URL)]++
		if record["tool"] == nil && record["resource"] == nil || record["outcome"] == nil {
			t.Errorf("got %v", record)
		}
	}
	for _, caller := range []string{"acme #ada", "acme #bob", "globex #ada", "initech #eve"} {
		if principals[caller] == 0 {
			t.Errorf("no record of %s in %v", caller, principals)
		}
		delete(principals, caller)
	}
	if len(principals) != 0 {
		t.Errorf("records of others: %v", principals)
	}
}
