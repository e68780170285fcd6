package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/docpage"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// secondCallDelay is the delay between the first and the second calls: more than a second, so that output with the
// current time in seconds differs.
const secondCallDelay = 1100 * time.Millisecond

// sampleCalls makes the sample calls of bench docs: each twice, in two sessions, to detect output that varies.
type sampleCalls struct {
	cmd     *docsCmd
	con     *console
	session *client.Client // nil once it has ended
	tools   []docpage.Tool
	prompts []docpage.Prompt
	samples []*sampleCall     // calls to make
	show    func(step string) // shows the progress
}

// A sampleCall is one sample call.
type sampleCall struct {
	name string
	call *docpage.Call
	// ask returns the result as received, understand the outcome to show.
	ask        func(ctx context.Context, c *client.Client) ([]byte, error)
	understand func(result []byte) docpage.Outcome
}

// plan decides which tools to call and with which arguments. It returns the tools left out because they are not annotated
// as read-only, or contradict that.
func (r *sampleCalls) plan(list []client.Tool, choice callChoice) (left []string) {
	r.tools = make([]docpage.Tool, len(list))
	for i := range list {
		reason := choice.reason(&list[i])
		switch reason {
		case notCalledReadOnly, notCalledTwoWays:
			left = append(left, uncalledText(&list[i]))
		}
		entry := r.con.secrets.KnownJSON(list[i].Readable())
		r.tools[i] = docpage.Tool{Entry: entry, Call: docpage.Plan(entry, reason)}
		name, call := list[i].Name, &r.tools[i].Call
		r.add(sampleCall{name: name, call: call, understand: docpage.Answered, ask: func(ctx context.Context, c *client.Client) ([]byte, error) {
			result, err := c.Call(ctx, name, call.Arguments)
			if err != nil {
				return nil, err
			}
			return result.Raw, nil
		}})
	}
	return left
}

// planPrompts decides which prompts to fetch. Prompts have no side effects in the protocol, so all possible ones are
// fetched, like read-only tools. Argument values come from the server's completions.
func (r *sampleCalls) planPrompts(ctx context.Context, list []client.Prompt, choice callChoice) error {
	r.prompts = make([]docpage.Prompt, len(list))
	for i := range list {
		p, name := &r.prompts[i], list[i].Name
		p.Entry = r.con.secrets.KnownJSON(list[i].Readable())
		var arguments map[string]string
		if p.Call.Skipped = choice.promptReason(&list[i]); p.Call.Skipped == "" {
			var err error
			if arguments, p.Call.Skipped, err = r.promptArguments(ctx, &list[i]); err != nil {
				return err
			}
		}
		if len(arguments) > 0 {
			text, err := json.Marshal(arguments)
			if err != nil {
				return err
			}
			p.Call.Arguments = r.con.secrets.KnownJSON(text)
		}
		r.add(sampleCall{name: name, call: &p.Call, understand: docpage.Messages, ask: func(ctx context.Context, c *client.Client) ([]byte, error) {
			result, err := c.GetPrompt(ctx, name, arguments)
			if err != nil {
				return nil, err
			}
			return result.Raw, nil
		}})
	}
	return nil
}

// promptArguments returns a value for each required argument of a prompt: the server's first suggestion. Without one it
// returns the reason to skip the prompt.
func (r *sampleCalls) promptArguments(ctx context.Context, p *client.Prompt) (arguments map[string]string, skip string, err error) {
	arguments = map[string]string{}
	for _, a := range p.Arguments {
		if !a.Required {
			continue
		}
		found, err := suggestions(r.session, client.Reference{Prompt: p.Name}, a.Name, arguments)(ctx, "")
		if err != nil {
			return nil, "", err
		}
		if len(found.Values) == 0 {
			return nil, "Not fetched: it has required arguments, for which the server suggests no values.", nil
		}
		arguments[a.Name] = found.Values[0]
	}
	return arguments, "", nil
}

// add adds a sample unless it is skipped.
func (r *sampleCalls) add(s sampleCall) {
	if s.call.Skipped == "" {
		r.samples = append(r.samples, &s)
	}
}

// run makes the calls.
func (r *sampleCalls) run(ctx context.Context) error {
	began := time.Now()
	answered := false
	var end func()
	r.show, end = r.con.progress(0)
	defer end()
	for i, s := range r.samples {
		outcome, err := r.call(ctx, i, "")
		if err != nil {
			return err
		}
		s.call.Outcome = outcome
		answered = answered || outcome.Ending != docpage.NoAnswer
	}
	if !answered {
		return nil
	}
	r.end()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(secondCallDelay - time.Since(began)):
	}
	for i, s := range r.samples {
		if s.call.Outcome.Ending == docpage.NoAnswer {
			continue
		}
		outcome, err := r.call(ctx, i, " again")
		if err != nil {
			return err
		}
		s.call.Outcome = docpage.Both(s.call.Outcome, outcome)
	}
	return nil
}

// call makes a sample call, in a new session if the last one has ended. again is added to the name in the progress. An
// error ends the command.
func (r *sampleCalls) call(ctx context.Context, i int, again string) (docpage.Outcome, error) {
	s := r.samples[i]
	r.show(fmt.Sprintf("calling %s%s (%d of %d)", s.name, again, i+1, len(r.samples)))
	if r.session == nil {
		session, err := r.cmd.dial(ctx, r.con, client.Options{Bounded: true})
		if err != nil {
			return docpage.Outcome{}, err
		}
		r.session = session
	}
	raw, err := s.ask(ctx, r.session)
	refused, isRefused := errors.AsType[*client.RPCError](err)
	_, isUnreachable := errors.AsType[*client.UnreachableError](err)
	switch {
	case err == nil:
		return s.understand(r.con.secrets.JSON(raw)), nil
	case ctx.Err() != nil:
		return docpage.Outcome{}, ctx.Err()
	case isRefused:
		return docpage.Declined(refused.Code, r.con.secrets.Text(refused.Message)), nil
	case !isUnreachable:
		return docpage.Unanswered(r.con.secrets.Text(err.Error())), nil
	}
	r.end()
	if late := (*client.NoAnswerError)(nil); errors.As(err, &late) {
		return docpage.Unanswered(fmt.Sprintf("It did not answer within %v.", late.After)), nil
	}
	return docpage.Unanswered("The server broke off while it was called."), nil // the error text varies between runs
}

// end ends the session.
func (r *sampleCalls) end() {
	if r.session != nil {
		_ = r.session.Close() // errors on close do not matter
		r.session = nil
	}
}
