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
}

// elicit asks the user a question of the server. ctx has the call, except over stdio in the legacy era, where the
// question belongs to the newest call that runs.
func (s *session) elicit(ctx context.Context, q client.Elicitation) (client.ElicitResult, error) {
	p := s.page
	declined := client.ElicitResult{Action: "decline"}
	c, _ := ctx.Value(callKey{}).(*call)
	p.mu.Lock()
	if c == nil {
		if running := s.runningLocked(); len(running) > 0 {
			c = running[len(running)-1]
		}
	}
	if c != nil && q.Mode == "url" && !isWeb(q.URL) {
		c.logLocked(Log{Level: "error", Logger: "bench", Text: cut(fmt.Sprintf("the question %q was declined: its URL %q is not one of http or https", q.Message, q.URL)), Time: time.Now()})
		p.publishLocked(c.dirty)
		c = nil
	}
	p.mu.Unlock()
	if c == nil {
		return declined, nil
	}
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return declined, ctx.Err()
	case <-c.ctx.Done():
		return declined, c.ctx.Err()
	}
	reply := make(chan client.ElicitResult, 1)
	p.mu.Lock()
	c.questions++
	c.Question, c.reply, c.State = &Question{c.questions, q.Message, q.Mode, q.URL, q.Schema}, reply, asking
	p.publishLocked(c.dirty)
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if c.State == asking {
			c.State = running
		}
		c.Question, c.reply = nil, nil
		p.publishLocked(c.dirty)
	}()
	select {
	case answer := <-reply:
		return answer, nil
	case <-ctx.Done():
		return declined, ctx.Err()
	case <-c.ctx.Done():
		return declined, c.ctx.Err()
	}
}

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
func (c *call) answer(a answer) error {
	var members map[string]json.RawMessage
	switch {
	case !slices.Contains([]string{"accept", "decline", "cancel"}, a.Action):
		return fmt.Errorf("action is %q; it is accept, decline or cancel", a.Action)
	case a.Action == "accept" && json.Unmarshal([]byte(cmp.Or(string(a.Content), "null")), &members) != nil:
		return errors.New("content is not an object")
	case a.Action != "accept" || members == nil:
		a.Content = nil
	}
	c.page.mu.Lock()
	defer c.page.mu.Unlock()
	if c.reply == nil || a.N != 0 && a.N != c.Question.N {
		return &statusError{http.StatusConflict, "this question is not asked, or was answered already"}
	}
	c.reply <- a.ElicitResult // has room for one
	c.reply = nil
	c.answers = append(c.answers, a.ElicitResult)
	return nil
}
