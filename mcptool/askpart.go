package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/ask"
	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/replay"
)

// AskPart is one of several requests that [AskAll] sends together, with the destination of its answer. Make it with
// [ElicitPart], [ElicitSchemaPart], [ElicitURLPart], [SamplePart] or [RootsPart]. The zero value is an [*AskError] of
// AskAll.
type AskPart struct {
	request ask.Request
	err     error // why it cannot be sent
	read    func(result json.RawMessage) error
}

// AskAll sends several requests to the client together. With clients from revision 2026-07-28 on, this takes one round
// trip instead of one for each request; older clients get the requests one after the other. If the error is nil, all
// answers are stored at their destinations:
//
//	var who Name
//	var seat Seat
//	err := mcptool.AskAll(ctx, mcptool.ElicitPart(&who, "Who travels?"), mcptool.ElicitPart(&seat, "Which seat?"))
//
// Otherwise the values of the destinations are undefined. If several answers are refusals or cannot be used, the error
// wraps an error for each.
func AskAll(ctx context.Context, parts ...AskPart) error {
	requests, err := requestsOf(parts)
	if err != nil {
		return &AskError{Tool: running(ctx), Err: err}
	}
	results, err := send(ctx, requests)
	if errors.Is(err, replay.ErrChanged) {
		return &AskAnswerError{Err: err}
	}
	if err != nil {
		return err
	}
	size := 0
	for _, result := range results {
		size += len(result)
	}
	leave, err := callctx.Enter(ctx, size, 1)
	defer leave()
	if err != nil {
		return err
	}
	errs := make([]error, len(parts))
	for i, in := range parts {
		if in.request.Kind.Fits(results[i]) {
			errs[i] = in.read(results[i])
		} else {
			errs[i] = &AskAnswerError{Message: in.request.Message, Err: errors.New("the client sent an invalid answer")}
		}
	}
	if len(errs) == 1 {
		return errs[0]
	}
	if err := errors.Join(errs...); err != nil {
		return &private.PublicError{Err: err} // each of them is a refusal or an AskAnswerError
	}
	return nil
}

// requestsOf returns the requests of the parts, or why some cannot be sent.
func requestsOf(parts []AskPart) ([]ask.Request, error) {
	requests := make([]ask.Request, len(parts))
	var errs []error
	for i, in := range parts {
		requests[i] = in.request
		errs = append(errs, in.err)
		if in.read == nil && in.err == nil {
			errs = append(errs, errors.New("a part is empty; make it with ElicitPart, ElicitURLPart, SamplePart or RootsPart"))
		}
	}
	return requests, errors.Join(errs...)
}

// errNoDestination is reported before the request is sent, not when the answer arrives.
var errNoDestination = errors.New("the destination of the answer is nil; pass a pointer to a variable")

// send sends the requests, if the client has declared the capabilities for all of them.
func send(ctx context.Context, requests []ask.Request) ([]json.RawMessage, error) {
	if len(requests) == 0 {
		return nil, nil
	}
	needed := make([]string, len(requests))
	for i := range requests {
		needed[i] = requests[i].Kind.String()
	}
	slices.Sort(needed)
	needed = slices.Compact(needed)
	if err := Require(ctx, needed...); err != nil {
		return nil, err
	}
	client, ok := hostOf(ctx).(asker)
	if !ok {
		return nil, &CapabilityError{Missing: needed}
	}
	return client.Ask(ctx, requests)
}

// AskOption configures one client request.
type AskOption interface{ shape(*AskPart) error }

type askOption func(*AskPart) error

func (o askOption) shape(in *AskPart) error { return o(in) }

func (in *AskPart) apply(opts []AskOption) {
	for _, opt := range opts {
		if opt == nil {
			in.err = errors.Join(in.err, errors.New("an option is nil"))
			continue
		}
		in.err = errors.Join(in.err, opt.shape(in))
	}
}

// Key sets the key that identifies a client request within a call; it must not be empty. By default requests are
// numbered in the order in which they are sent, so a func needs keys to send requests from several goroutines. Clients
// see the key from revision 2026-07-28 on. A client that knows it can answer before it is asked, so do not use a key if
// the answer grants a permission.
func Key(key string) AskOption {
	return askOption(func(in *AskPart) error {
		if key == "" {
			return errors.New("the option Key is empty")
		}
		if !utf8.ValidString(key) {
			return errors.New("the option Key is not UTF-8")
		}
		in.request.Key = key
		return nil
	})
}

// Choices sets the choices for a field of the form, given by its JSON name. Use it for choices that are known only when
// the request is sent. The field is a string, or a slice of strings to allow several choices. The answer has some of the
// values. The titles are displayed to the user in the same order; nil displays the values, as does a title that is empty:
//
//	mcptool.Choices("flight", []string{"LH1", "LH2"}, []string{"At noon", "In the evening"})
func Choices(field string, values, titles []string) AskOption {
	return askOption(func(in *AskPart) error {
		if in.request.Form == nil {
			return errors.New("the option Choices applies only to forms")
		}
		form, err := schemas.WithChoices(in.request.Form, field, values, titles)
		if err != nil {
			return err
		}
		in.request.Form = form
		return nil
	})
}

// readElicited returns the values of the form in an ElicitResult, or the error for a refusal.
func readElicited(message string, result json.RawMessage) (content json.RawMessage, err error) {
	members := ask.Members(result)
	switch string(members["action"]) {
	case `"accept"`:
		return members["content"], nil
	case `"decline"`:
		return nil, refusal(ErrDeclined, message)
	default:
		return nil, refusal(ErrDismissed, message)
	}
}

// refusal returns the error for a user who refused, with the message. The text is public, so that a server that masks
// errors sends it: the client has been sent the message before.
func refusal(err error, message string) error { return Errorf("%w: %s", err, message) }
