package main

import (
	"context"
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
	names   []string
	tools   []docpage.Tool
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
	return left, contradictory
}

// run makes the calls.
func (r *sampleCalls) run(ctx context.Context) error {
	began := time.Now()
	answered := false
	for i := range r.tools {
		if r.tools[i].Call.Skipped != "" {
			continue
		}
		outcome, err := r.call(ctx, i)
		if err != nil {
			return err
		}
		r.tools[i].Call.Outcome = outcome
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
	for i := range r.tools {
		c := &r.tools[i].Call
		if c.Skipped != "" || c.Outcome.Ending == docpage.NoAnswer {
			continue
		}
		outcome, err := r.call(ctx, i)
		if err != nil {
			return err
		}
		c.Outcome = docpage.Both(c.Outcome, outcome)
	}
	return nil
}

// call calls a tool, in a new session if the last one has come to an end. The error is one that
// ends the command.
func (r *sampleCalls) call(ctx context.Context, i int) (docpage.Outcome, error) {
	r.con.status(fmt.Sprintf("calling %s (%d of %d)", r.names[i], i+1, len(r.names)))
	if r.session == nil {
		session, err := r.cmd.dial(ctx, r.con, client.Options{Bounded: true})
		if err != nil {
			return docpage.Outcome{}, err
		}
		r.session = session
	}
	result, err := r.session.Call(ctx, r.names[i], r.tools[i].Call.Arguments)
	refused := (*client.RPCError)(nil)
	switch {
	case err == nil:
		return docpage.Answered(r.secrets.JSON(result.Raw)), nil
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
