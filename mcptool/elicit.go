package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/ask"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
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
// T is a flat struct of strings, numbers, booleans and choices of strings. The tags of its fields are those of arguments,
// but the protocol allows few constraints in a form: minLength, maxLength, minimum, maximum, enum, and the formats date,
// date-time, email and uri. An exclusive bound of an integer becomes an inclusive one. Others, such as pattern, are refused.
// The answer is checked and decoded like arguments, with one exception: a field is absent if it is null, or if it is
// optional, cannot be empty and is "" or []. Clients send these for fields that the user left empty. Never ask for secrets
// in a form, such as passwords, keys or card numbers: use [ElicitURL].
//
// The rules for funcs that send requests, and the errors, are in the section "Asking the user" of the package
// documentation. If T cannot be a form, the error is an [*AskError]; if the answer does not fit T, it is an
// [*AskAnswerError]. No client supports forms before revision 2025-06-18.
func Elicit[T any](ctx context.Context, message string, opts ...AskOption) (T, error) {
	var answer, none T
	if err := AskAll(ctx, ElicitPart(&answer, message, opts...)); err != nil {
		return none, err
	}
	return answer, nil
}

// ElicitPart is [Elicit] for [AskAll]: it asks for a T and stores it in *dst. A nil dst is an [*AskError] of AskAll.
func ElicitPart[T any](dst *T, message string, opts ...AskOption) AskPart {
	t := reflect.TypeFor[T]()
	compiled, err := reflectschema.Compile(t, reflectschema.DirectionInput)
	var form private.Form
	if err == nil {
		form, err = schemas.Form(compiled)
	}
	if err != nil {
		err = fmt.Errorf("the form %v: %w", t, err)
	}
	return formPart(reflect.ValueOf(dst), message, form, err, opts)
}

// ElicitSchema is [Elicit] for a form whose fields are known only when the request is sent, for example because
// a database has them. The schema is a JSON object with "type":"object", and "properties" with the fields of the form, which have
// the types and constraints that Elicit documents:
//
//	answer, err := mcptool.ElicitSchema(ctx, "What is new?", json.RawMessage(`{
//		"type": "object",
//		"properties": {
//			"title":    {"type": "string", "minLength": 1},
//			"priority": {"type": "string", "enum": ["low", "high"], "default": "low"},
//			"labels":   {"type": "array", "items": {"type": "string", "enum": ["bug", "docs"]}}
//		},
//		"required": ["title"]
//	}`))
//
// Titles of choices are in oneOf of a string, in anyOf of the items of an array, or in enumNames; each client gets the
// keyword of its revision. The answer is an object that fits the schema, with the fields in the order of the schema.
// It has no other members, and no null. Optional fields that the user left empty have their default, or are absent; but
// clients send "" for a string that was left empty, and a string that may be empty keeps it. Set minLength to avoid this.
//
// If the schema is not valid, or describes more than a form supports, the error is an [*AskError] with every such field,
// and nothing is sent. The schema is parsed in each call. The limits of [reflectschema.ParseSchema] apply to it.
func ElicitSchema(ctx context.Context, message string, schema json.RawMessage, opts ...AskOption) (json.RawMessage, error) {
	var answer json.RawMessage
	if err := AskAll(ctx, ElicitSchemaPart(&answer, message, schema, opts...)); err != nil {
		return nil, err
	}
	return answer, nil
}

// ElicitSchemaPart is [ElicitSchema] for [AskAll]: it stores the answer in *dst. A nil dst is an [*AskError] of AskAll.
func ElicitSchemaPart(dst *json.RawMessage, message string, schema json.RawMessage, opts ...AskOption) AskPart {
	form, err := schemas.SchemaForm(schema)
	if err != nil {
		err = fmt.Errorf("the form: %w", err)
	}
	return formPart(reflect.ValueOf(dst), message, form, err, opts)
}

// formPart returns the request to fill in a form, whose answer is decoded into what dst points to. If err is not nil,
// sending the part fails with it.
func formPart(dst reflect.Value, message string, form private.Form, err error, opts []AskOption) AskPart {
	in := AskPart{request: ask.Request{Kind: ask.KindForm, Message: message, Form: form}, err: err}
	if err != nil {
		return in
	}
	in.apply(opts)
	schema, err := in.request.Form.Schema(true)
	in.err = errors.Join(in.err, err)
	if dst.IsNil() {
		in.err = errors.Join(in.err, errNoDestination)
	}
	in.read = func(result json.RawMessage) error {
		content, err := readElicited(message, result)
		if err != nil {
			return err
		}
		if err := schemas.DecodeForm(in.request.Form, withoutEmpty(schema, content), dst.Elem()); err != nil {
			return &AskAnswerError{Message: message, Err: err}
		}
		return nil
	}
	return in
}

// withoutEmpty returns the content of an answer to a form with this schema, without the optional fields that the user
// left empty. Clients send "" for them, or [] for a choice of several. It means absent where the schema of the field does
// not allow it, as for the arguments of prompts.
func withoutEmpty(schema, content json.RawMessage) json.RawMessage {
	if ask.Members(content) == nil { // Decode reports content that is not an object
		return content
	}
	fields, answer := jsondoc.Parse(schema), jsondoc.Parse(content)
	required := fields.Get("required").Texts()
	var absent []string
	for _, m := range answer.Members {
		empty := ""
		switch {
		case m.Value.Kind == rawjson.String && strings.TrimSpace(m.Value.Text()) == "":
			empty = `""`
		case m.Value.IsArray() && len(m.Value.Items) == 0:
			empty = "[]"
		}
		field := fields.Get("properties").Get(m.Name)
		if empty != "" && field != nil && !slices.Contains(required, m.Name) && refuses(field, empty) {
			absent = append(absent, m.Name)
		}
	}
	return answer.Without(absent...).AppendTo(nil)
}

// ElicitURL asks the user to visit a page, and returns nil when they agree to. Use it for data that must not pass
// through the client, such as a sign-in, a payment or a secret. Only the page can know whether the user has visited it
// and finished there. The page must also check that its visitor is the user who was asked, because the address may have
// been passed on.
//
// The address is an absolute URL of the scheme https, or http for development, with a host and without credentials. It
// consists of ASCII characters without spaces: other hosts are written in Punycode (xn--…), other characters are
// percent-encoded. Any other address is an [*AskError]. It must not contain anything secret or personal. Clients
// support this from revision 2025-11-25 on, if they declare the capability elicitation.url. If the user does not agree,
// the error is [ErrDeclined] or [ErrDismissed].
func ElicitURL(ctx context.Context, address, message string, opts ...AskOption) error {
	return AskAll(ctx, ElicitURLPart(address, message, opts...))
}

// ElicitURLPart is [ElicitURL] for [AskAll].
func ElicitURLPart(address, message string, opts ...AskOption) AskPart {
	in := AskPart{request: ask.Request{Kind: ask.KindURL, Message: message, URL: address}}
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
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil && !strings.ContainsFunc(address, isForeignToURIs)
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
// If the user answers no, the error is [ErrDeclined]. The option [AskFirst] asks before the tool runs.
func Confirm(ctx context.Context, message string, opts ...AskOption) error {
	answer, err := Elicit[yes](ctx, message, opts...)
	if err == nil && !answer.Yes {
		err = refusal(ErrDeclined, message)
	}
	return err
}
