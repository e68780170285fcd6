package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Elicit asks the user for a T and waits for the answer:
//
//	type Seat struct {
//		Class string `json:"class" jsonschema:"enum=1,enum=2,enumTitle=First,enumTitle=Second,default=2"`
//		Quiet bool   `json:"quiet,omitempty" doc:"In a quiet car"`
//	}
//
//	seat, err := mcptool.Elicit[Seat](ctx, "Which seat?")
//	if err != nil {
//		return Out{}, err
//	}
//
// T is a flat struct whose fields have types that forms support; see [reflectschema.Type.Form]. Tags mean the same as
// on arguments, and the answer is checked and decoded like arguments. Never ask for secrets in a form, such as
// passwords, keys or card numbers: use [ElicitURL] for those.
//
// With clients of revision 2026-07-28 and later the call ends with the request, and the func runs again from the top
// when there is an answer, perhaps in another process. Elicit then returns [ErrAnswerPending] in the first run and the
// answer in the next. A func works the same way with all clients if it returns the error of Elicit, uses [Once] for
// everything that must not happen twice, and sends the same requests whenever the earlier answers are the same. A func
// that undoes something when the user does not answer must do so for every error except ErrAnswerPending: after
// ErrAnswerPending the answer can still arrive. A func that ignores ErrAnswerPending and returns a result has acted without
// the answer, and the call fails. Requests are identified by their order, so send them from one goroutine, or give each
// a [Key].
//
// The error is or wraps [ErrDeclined], [ErrDismissed], [ErrAnswerPending], [ErrNoAnswer], [ErrUnreachable] or
// [ErrRequestChanged]; or it is a [*CapabilityError] if the client does not support the request, as no client does
// before revision 2025-06-18; an [*AskAnswerError] if the answer does not fit T; a [*ClientError] if the client answered
// with an error; an [*AskError] if T cannot be a form; or the error of the context. Other errors mean that the server
// cannot send the request, for example because too many are open. A func may return any of them unchanged.
func Elicit[T any](ctx context.Context, message string, opts ...AskOption) (T, error) {
	var answer, none T
	if err := AskAll(ctx, ElicitPart(&answer, message, opts...)); err != nil {
		return none, err
	}
	return answer, nil
}

// ElicitPart is [Elicit] for [AskAll]: it asks for a T and stores it in *dst. A nil dst is an [*AskError] of AskAll.
func ElicitPart[T any](dst *T, message string, opts ...AskOption) AskPart {
	in := AskPart{question: ClientRequest{Kind: KindForm, Message: message}}
	t := reflect.TypeFor[T]()
	compiled, err := reflectschema.Compile(t, reflectschema.Options{Direction: reflectschema.DirectionInput})
	if err == nil {
		in.question.Form, err = compiled.Form()
	}
	if err != nil {
		in.err = fmt.Errorf("the form %v: %w", t, err)
		return in
	}
	in.apply(opts)
	if dst == nil {
		in.err = errors.Join(in.err, errNoDestination)
	}
	in.read = func(result json.RawMessage) error {
		content, err := readElicited(message, result)
		if err != nil {
			return err
		}
		if err := in.question.Form.Decode(content, reflect.ValueOf(dst).Elem()); err != nil {
			return &AskAnswerError{Message: message, Err: err}
		}
		return nil
	}
	return in
}

// ElicitURL asks the user to visit a page, and returns nil when they agree to. Use it for data that must not pass
// through the client, such as a sign-in, a payment or a secret. Only the page can know whether the user has visited it
// and finished there. The page must also check that its visitor is the user who was asked, because the address may have
// been passed on.
//
// The address is an absolute URL of the scheme https, or http for development, with a host and without credentials. It
// consists of ASCII characters without spaces: other hosts are written in Punycode (xn--…), other characters are
// percent-encoded. Any other address is an [*AskError]. It must not contain anything secret or personal. Clients
// support this from revision 2025-11-25 on, if they declare the capability elicitation.url. The errors are the same as
// for [Elicit].
func ElicitURL(ctx context.Context, address, message string, opts ...AskOption) error {
	return AskAll(ctx, ElicitURLPart(address, message, opts...))
}

// ElicitURLPart is [ElicitURL] for [AskAll].
func ElicitURLPart(address, message string, opts ...AskOption) AskPart {
	in := AskPart{question: ClientRequest{Kind: KindURL, Message: message, URL: address}}
	if !isVisitable(address) {
		in.err = fmt.Errorf("%q is not an address that a user can visit: it needs the scheme https or http and a host, in ASCII, and must not contain credentials", address)
		return in
	}
	in.apply(opts)
	in.read = func(result json.RawMessage) error {
		_, err := readElicited(message, result)
		return err
	}
	return in
}

// isVisitable reports whether an address is a valid http or https URL that displays as the page that it opens.
func isVisitable(address string) bool {
	isOdd := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"<>\\^`{|}", r) } // which RFC 3986 excludes, and url.Parse accepts
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil && !strings.ContainsFunc(address, isOdd)
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
		in.question.Key = key
		return nil
	})
}

// Choices sets the choices for a field of the form, given by its JSON name. Use it for choices that are known only when
// the request is sent. The field is a string, or a slice of strings to allow several choices.
func Choices(field string, choices ...reflectschema.Choice) AskOption {
	return askOption(func(in *AskPart) error {
		if in.question.Form == nil {
			return errors.New("the option Choices applies only to forms")
		}
		form, err := in.question.Form.WithChoices(field, choices...)
		if err != nil {
			return err
		}
		in.question.Form = form
		return nil
	})
}

// yes is the form of [Confirm]. The protocol allows an empty form, but some clients accept one without showing it to
// the user.
type yes struct {
	Yes bool `json:"confirm" jsonschema:"title=Yes"`
}

// Confirm asks the user a yes-or-no question. It returns nil only if the user answers yes, and an error in all other
// cases:
//
//	if err := mcptool.Confirm(ctx, "Delete all 12 files?"); err != nil {
//		return Out{}, err
//	}
//
// If the user answers no, the error is [ErrDeclined]; otherwise the errors and rules are the same as for [Elicit]. The
// option [AskFirst] asks before the tool runs.
func Confirm(ctx context.Context, message string, opts ...AskOption) error {
	answer, err := Elicit[yes](ctx, message, opts...)
	if err == nil && !answer.Yes {
		err = fmt.Errorf("%w: %s", ErrDeclined, message)
	}
	return err
}
