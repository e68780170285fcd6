package page

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// A Question is an unanswered question of the server.
type Question struct {
	N       int             `json:"n"` // the number of the question in its call
	Message string          `json:"message"`
	Mode    string          `json:"mode"` // "form" or "url"
	URL     string          `json:"url"`
	Schema  json.RawMessage `json:"schema"`

	answer client.ElicitResult // set when the call does not have the question any more
}

// elicit asks the user a question of the server. ctx has the call, except over stdio in the legacy era, where the
// question belongs to the newest call that runs.
func (s *session) elicit(ctx context.Context, q client.Elicitation) (client.ElicitResult, error) {
	p := s.page
	p.mu.Lock()
	defer p.mu.Unlock()
	c := callOf(ctx)
	if c == nil {
		calls := p.runningLocked(s)
		if len(calls) == 0 {
			return client.ElicitResult{Action: "decline"}, nil
		}
		c = calls[len(calls)-1]
	}
	if q.Mode == "url" && !isWeb(q.URL) {
		c.logLocked(Log{Level: "error", Logger: "bench", Text: cut(fmt.Sprintf("the question %q was declined: its URL %q is not one of http or https", q.Message, q.URL)), Time: time.Now()})
		return client.ElicitResult{Action: "decline"}, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)() //nolint:contextcheck // the question also ends with the call
	// A call asks one question at a time.
	if err := p.awaitLocked(ctx, func() bool { return c.State == running && c.Question == nil }); err != nil {
		return client.ElicitResult{}, err
	}
	c.questions++
	asked := &Question{N: c.questions, Message: q.Message, Mode: q.Mode, URL: q.URL, Schema: q.Schema}
	c.askLocked(asked)
	err := p.awaitLocked(ctx, func() bool { return c.Question != asked })
	if err != nil {
		c.askLocked(nil)
	}
	return asked.answer, err // if the call has ended, there is none, and the client cancels the question
}

// askLocked sets the question of the call; nil means none.
func (c *call) askLocked(q *Question) { c.Question, c.change = q, c.page.changeLocked() }

func isWeb(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// An answer is the body of a request that answers a question.
type answer struct {
	client.ElicitResult

	N int `json:"n"` // the number of the question; 0 means the current one
}

// answer answers the question of a call.
func (p *Page) answer(r *http.Request, a *answer) (any, error) {
	var members map[string]json.RawMessage
	switch {
	case !slices.Contains([]string{"accept", "decline", "cancel"}, a.Action):
		return nil, fmt.Errorf("action is %q; it is accept, decline or cancel", a.Action)
	case a.Action == "accept" && json.Unmarshal([]byte(cmp.Or(string(a.Content), "null")), &members) != nil:
		return nil, errors.New("content is not an object")
	case a.Action != "accept" || members == nil:
		a.Content = nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c, err := p.findLocked(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	if c.Question == nil || a.N != 0 && a.N != c.Question.N {
		return nil, &statusError{http.StatusConflict, "this question is not asked, or was answered already"}
	}
	c.Question.answer = a.ElicitResult
	c.answers = append(c.answers, a.ElicitResult)
	c.askLocked(nil)
	return c.viewLocked(maxResult), nil
}
