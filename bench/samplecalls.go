package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mcptool-go/mcptool/bench/client"
	"github.com/mcptool-go/mcptool/bench/docpage"
	"github.com/mcptool-go/mcptool/bench/redact"
)

// secondCallDelay is how long after the first calls the second ones begin: more than a second, so that
// what shows the time in seconds is noticed.
const secondCallDelay = 1100 * time.Millisecond

// sampleCalls makes the sample calls of bench docs: each twice, the second time in another
// session, so that what is different each time is not shown as if it were not.
type sampleCalls struct {
	cmd     *docsCmd
	con     *console
	session *client.Client // nil once it has come to an end
	secrets *redact.Values
	names   []string // of tools
	tools   []docpage.Tool
	prompts []docpage.Prompt
	samples []*sampleCall // those that are made
}

// A sampleCall is one call.
type sampleCall struct {
	name string
	call *docpage.Call
	// ask returns the result as it came, and understand what is shown of it.
	ask        func(ctx context.Context, c *client.Client) ([]byte, error)
	understand func(result []byte) docpage.Outcome
}

// plan decides which tools are called, and with what. It returns the names of those that are left out because they
// are not annotated as read-only, and the tools that are left out because their entries contradict themselves.
func (r *sampleCalls) plan(list []client.Tool, choice callChoice) (left []string, contradictory []client.Tool) {
	for i := range list {
		reason := choice.reason(&list[i])
		switch reason {
		case notCalledReadOnly:
			left = append(left, list[i].Name)
		case notCalledTwoWays:
			contradictory = append(contradictory, list[i])
		}
		entry := r.secrets.KnownJSON(list[i].Readable())
		r.tools = append(r.tools, docpage.Tool{Entry: entry, Call: docpage.Plan(entry, reason)})
		r.names = append(r.names, list[i].Name)
	}
	for i := range r.tools {
		name, call := r.names[i], &r.tools[i].Call
		r.add(sampleCall{name: name, call: call, understand: docpage.Answered, ask: func(ctx context.Context, c *client.Client) ([]byte, error) {
			result, err := c.Call(ctx, name, call.Arguments)
			if err != nil {
				return nil, err
			}
			return result.Raw, nil
		}})
	}
	return left, contradictory
}

// planPrompts decides which prompts are fetched: the protocol gives them no effects, so all are that can be, like tools
// that are annotated as read-only. Arguments are what the server suggests.
func (r *sampleCalls) planPrompts(ctx context.Context, list []client.Prompt, choice callChoice) error {
	arguments := make([]map[string]string, len(list))
	for i := range list {
		p := docpage.Prompt{Entry: r.secrets.KnownJSON(list[i].Readable())}
		if p.Call.Skipped = choice.promptReason(&list[i]); p.Call.Skipped == "" {
			var err error
			if arguments[i], p.Call.Skipped, err = r.promptArguments(ctx, &list[i]); err != nil {
				return err
			}
		}
		if len(arguments[i]) > 0 {
			text, err := json.Marshal(arguments[i])
			if err != nil {
				return err
			}
			p.Call.Arguments = r.secrets.KnownJSON(text)
		}
		r.prompts = append(r.prompts, p)
	}
	for i := range r.prompts {
		name := list[i].Name
		r.add(sampleCall{name: name, call: &r.prompts[i].Call, understand: docpage.Messages, ask: func(ctx context.Context, c *client.Client) ([]byte, error) {
			result, err := c.GetPrompt(ctx, name, arguments[i])
			if err != nil {
				return nil, err
			}
			return result.Raw, nil
		}})
	}
	return nil
}

// promptArguments returns a value for each required argument of a prompt: the first one that the server suggests. Without
// one the prompt is skipped, for the reason that is returned.
func (r *sampleCalls) promptArguments(ctx context.Context, p *client.Prompt) (arguments map[string]string, skip string, err error) {
	arguments = map[string]string{}
	for _, a := range p.Arguments {
		if !a.Required {
			continue
		}
		suggest := suggestions(r.session, client.Reference{Prompt: p.Name}, a.Name, arguments)
		if suggest == nil {
			return nil, "Not fetched: it has required arguments, for which the server suggests no values.", nil
		}
		found, err := suggest(ctx, "")
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

// add adds a sample, unless it is skipped.
func (r *sampleCalls) add(s sampleCall) {
	if s.call.Skipped == "" {
		r.samples = append(r.samples, &s)
	}
}

// run makes the calls.
func (r *sampleCalls) run(ctx context.Context) error {
	began := time.Now()
	answered := false
	for i, s := range r.samples {
		outcome, err := r.call(ctx, i)
		if err != nil {
			return err
		}
		s.call.Outcome = outcome
		answered = answered || outcome.Ending != docpage.NoAnswer
	}
	defer r.con.status("")
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
		outcome, err := r.call(ctx, i)
		if err != nil {
			return err
		}
		s.call.Outcome = docpage.Both(s.call.Outcome, outcome)
	}
	return nil
}

// call makes a sample call, in a new session if the last one has come to an end. The error is one that
// ends the command.
func (r *sampleCalls) call(ctx context.Context, i int) (docpage.Outcome, error) {
	s := r.samples[i]
	r.con.status(fmt.Sprintf("calling %s (%d of %d)", s.name, i+1, len(r.samples)))
	if r.session == nil {
		session, err := r.cmd.dial(ctx, r.con, client.Options{Bounded: true})
		if err != nil {
			return docpage.Outcome{}, err
		}
		r.session = session
	}
	raw, err := s.ask(ctx, r.session)
	refused := (*client.RPCError)(nil)
	switch {
	case err == nil:
		return s.understand(r.secrets.JSON(raw)), nil
	case ctx.Err() != nil:
		return docpage.Outcome{}, ctx.Err()
	case errors.As(err, &refused):
		return docpage.Declined(refused.Code, r.secrets.Text(refused.Message)), nil
	case asUnreachable(err) == nil:
		return docpage.Unanswered(r.secrets.Text(err.Error())), nil
	}
	r.end()
	if late := (*client.NoAnswerError)(nil); errors.As(err, &late) {
		return docpage.Unanswered(fmt.Sprintf("It did not answer within %v.", late.After)), nil
	}
	return docpage.Unanswered("The server broke off while it was called."), nil // what it says differs from run to run
}

// end ends the session.
func (r *sampleCalls) end() {
	if r.session != nil {
		_ = r.session.Close() // what was to be known is known
		r.session = nil
	}
}
