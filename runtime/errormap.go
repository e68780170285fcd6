package runtime

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/connection"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// explain returns the error that answers a call which ends with err. A text for the model is not redacted yet, but the
// message of a protocol error is. Nothing else turns the Go error of a call into a message.
func explain(c *call, err error) (e wireError) {
	if c.target.isTool() {
		e = explainTool(c, err)
	} else {
		e = *explainRequest(c, err)
	}
	if !e.forModel && c.from.redactor != nil {
		e.Message = wire.OneLine(c.from.redactor.Clean(e.Message), c.from.limits.MaxTextBytes)
	}
	return e
}

// explainTool is explain for tools, without redaction:
//
//   - Invalid arguments are explained to the model in a result, or in an error with [Server.ProtocolArgumentErrors].
//   - A missing capability of the client is error -32021 in the revisions that have it.
//   - A result that cannot be sent, a panic and the like are mistakes of the tool's author. The client gets a
//     reference, and the error is logged with it.
//   - A call that has timed out gets the timeout, whatever error it returned.
//   - A call that was stopped from outside gets the reason.
//   - Any other error is one that the tool wants to report, and its text is sent. If [Server.MaskErrors] is set, it is
//     treated like a mistake, unless it is public.
func explainTool(c *call, err error) wireError {
	o := c.from
	// A tool that calls another tool may return its error.
	if bad, ok := errors.AsType[*mcptool.ArgumentError](err); ok && bad.Tool == c.target.name() {
		text := wire.Cut(bad.Error(), o.limits.MaxTextBytes)
		if o.argErrors && !c.version.Has(wire.ArgumentResults) {
			return *invalidParams(wire.JoinLines(text))
		}
		return *toModel(text, observe.OutcomeOK)
	}
	if lacks, ok := errors.AsType[*mcptool.CapabilityError](err); ok && c.version.Has(wire.PerRequest) {
		return *missingCapability(lacks, c.version, o.limits.MaxTextBytes)
	}
	if attrs := defect(err); attrs != nil {
		return *toModel(failedHere+hide(c, attrs), observe.OutcomeOK)
	}
	if limit := c.context.timedOut(); limit != nil {
		return *toModel(limit.Error(), observe.OutcomeOK)
	}
	if isStop(c, err) {
		return *toModel("the call was stopped: "+stopReason(c), observe.OutcomeOK)
	}
	text, isPublic := err.Error(), true
	if o.maskErrors {
		text, isPublic = publicText(err)
	}
	if !isPublic {
		return *toModel(failedHere+hide(c, []slog.Attr{slog.String("error", err.Error())}), observe.OutcomeOK)
	}
	text = wire.Cut(text, o.limits.MaxTextBytes)
	if strings.TrimSpace(text) == "" {
		text = "the tool failed without an error message"
	}
	return *toModel(text, observe.OutcomeOK)
}

// failedHere is the text for an error that the client may not read, followed by a reference.
const failedHere = "the tool failed with an internal error"

// publicText returns the text of an error that clients may read even if errors are masked: of an error that its author
// has made public, or of an error of this module. It reports whether there is one.
func publicText(err error) (text string, ok bool) {
	public := cmp.Or(
		as[*private.PublicError](err), as[*mcptool.ArgumentError](err), as[*private.TimeoutError](err), as[*engine.BusyError](err),
		as[*largeError](err), as[*mcptool.CapabilityError](err), unanswered(err),
	)
	if public == nil {
		return "", false
	}
	return public.Error(), true
}

// as returns the error of type E that err is or wraps; nil if there is none.
func as[E error](err error) error {
	if e, ok := errors.AsType[E](err); ok {
		return e
	}
	return nil
}

// unanswered returns the reason for a missing answer to a request to the client; nil if err has another reason.
func unanswered(err error) error {
	for _, why := range []error{
		mcptool.ErrDeclined, mcptool.ErrDismissed, connection.ErrLate, connection.ErrUnreachable, mcptool.ErrNoAnswer, mcptool.ErrAnswerPending,
	} {
		if errors.Is(err, why) {
			return why
		}
	}
	return as[*mcptool.AskAnswerError](err)
}

// defect returns the log attributes of an error that only the author may see; nil for other errors.
func defect(err error) []slog.Attr {
	bad := cmp.Or(as[*mcptool.OutputError](err), as[*mcptool.PanicError](err), as[*mcptool.AskError](err))
	if bad == nil && errors.Is(err, errGoexit) {
		bad = err
	}
	if bad == nil {
		return nil
	}
	attrs := []slog.Attr{slog.String("error", bad.Error())}
	if panicked, ok := errors.AsType[*mcptool.PanicError](bad); ok {
		attrs = append(attrs, slog.String("stack", string(panicked.Stack)))
	}
	return attrs
}

// hide logs a defect with a new reference, and returns the text with the reference for the client.
func hide(c *call, attrs []slog.Attr) string {
	ref := rand.Text()[:8]
	what := c.target.attr()
	attrs = append(attrs, slog.String("reference", ref), what, slog.String("request_id", string(c.id)))
	c.from.log.LogAttrs(c, slog.LevelError, what.Key+" failed", attrs...)
	return " (reference " + ref + ")"
}

// explainRequest is like explainTool for prompts, resources, completions, lists and custom methods, which answer with
// protocol errors.
func explainRequest(c *call, err error) *wireError {
	if bad, ok := errors.AsType[*mcptool.ArgumentError](err); ok && c.target.tool != nil && bad.Tool == c.target.name() {
		return invalidParams(wire.JoinLines(wire.Cut(bad.Error(), c.from.limits.MaxTextBytes)))
	}
	item := c.target.noun()
	if c.target.row.subject.kind == referenceSubject {
		item = "completion of an argument of the " + item
	}
	attrs, limit := defect(err), c.context.timedOut()
	switch {
	case attrs != nil:
	case limit != nil:
		return internalError(fmt.Sprintf("the %s ran longer than its limit of %s", item, limit.Limit))
	case errors.Is(err, mcptool.ErrResourceNotFound) && c.target.kind == resourceSubject:
		return resourceNotFound(c.given(), c.version)
	default:
		readable, err := explainReadable(c, err)
		if err == nil {
			return readable
		}
		attrs = []slog.Attr{slog.String("error", err.Error())}
	}
	return internalError("the " + item + " failed with an internal error" + hide(c, attrs))
}

// explainReadable returns the protocol error for an error that the client may read. Otherwise it returns the error to
// be logged.
func explainReadable(c *call, err error) (*wireError, error) {
	maxText := c.from.limits.MaxTextBytes
	if chosen, ok := errors.AsType[*Error](err); ok && c.target.method != nil {
		return chosenError(chosen, c.version, maxText)
	}
	marked, why := as[*private.PublicError](err), unanswered(err)
	if marked != nil && why == nil {
		return internalError(authorText(c, err, marked)), nil
	}
	if own := cmp.Or(as[*engine.BusyError](err), as[*largeError](err)); own != nil {
		return internalError(own.Error()), nil
	}
	if lacks, ok := errors.AsType[*mcptool.CapabilityError](err); ok {
		return missingCapability(lacks, c.version, maxText), nil
	}
	if isStop(c, err) {
		return internalError("the request was stopped: " + stopReason(c)), nil
	}
	if why != nil { // after isStop: a client may be unreachable because of the stop
		return invalidRequest(authorText(c, err, cmp.Or(marked, why))), nil
	}
	if masksErrors(c) {
		return nil, err
	}
	return internalError(authorText(c, err, err)), nil
}

// masksErrors reports whether errors of the author are hidden from the client. Errors of custom methods are always
// hidden: the author of a protocol defines its errors, so any other error is unexpected.
func masksErrors(c *call) bool { return c.from.maskErrors || c.target.method != nil }

// authorText returns the text of err for the client. If errors are masked, it returns the text of safe, which err
// wraps.
func authorText(c *call, err, safe error) string {
	if masksErrors(c) {
		err = safe
	}
	if text := wire.OneLine(err.Error(), c.from.limits.MaxTextBytes); text != "" {
		return text
	}
	return "the " + c.target.noun() + " failed without an error message"
}

// isStop reports whether err only means that the call was stopped from outside.
func isStop(c *call, err error) bool {
	stop := c.Err()
	return errors.Is(err, ErrShutdown) || errors.Is(err, ErrDisconnected) || stop != nil && errors.Is(err, stop)
}

// stopReason returns why the call with this context was stopped.
func stopReason(ctx context.Context) string {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, ErrDisconnected):
		if text, ok := publicText(cause); ok { // of a transport with a more precise reason
			return text
		}
		return ErrDisconnected.Error()
	case errors.Is(cause, context.DeadlineExceeded):
		return "it ran out of time"
	case errors.Is(cause, ErrExpired), errors.Is(cause, ErrLeaseLost):
		return cause.Error()
	default:
		return ErrShutdown.Error()
	}
}

// outcomeOf returns the outcome of a call whose tool has returned err, which may be nil.
func outcomeOf(c *call, err error) observe.Outcome {
	if err == nil {
		if c.extras().isError {
			return observe.OutcomeError
		}
		return observe.OutcomeOK
	}
	if c.target.tool == nil {
		return observe.OutcomeError
	}
	if bad, ok := errors.AsType[*mcptool.ArgumentError](err); ok && bad.Tool == c.target.name() {
		return observe.OutcomeInvalidArguments
	}
	if _, ok := errors.AsType[*engine.BusyError](err); ok {
		return observe.OutcomeBusy
	}
	if _, ok := errors.AsType[*largeError](err); ok {
		return observe.OutcomeTooLarge
	}
	switch {
	case defect(err) != nil:
		return observe.OutcomeFailed
	case c.context.timedOut() != nil:
		return observe.OutcomeTimedOut
	case errors.Is(context.Cause(c), ErrCancelled): // a task; cancelled calls are not answered
		return observe.OutcomeCancelled
	case isStop(c, err):
		return observe.OutcomeStopped
	default:
		return observe.OutcomeError
	}
}
