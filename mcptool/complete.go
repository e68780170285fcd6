package mcptool

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema"
)

const (
	// maxCompletions is how many values a completion may have, as the specification demands.
	maxCompletions = 100
	// completionTimeout is how long a completion may take: the user is typing meanwhile.
	completionTimeout = 5 * time.Second
)

// completionRate is how often a caller may request completions of one prompt or resource: more often than a user types.
var completionRate = Rate{Calls: 20, Per: time.Second, Burst: 100}

// completer suggests values for one argument.
type completer struct {
	field string
	in    reflect.Type
	isNil bool
	run   func(ctx context.Context, prefix string, input *reflectschema.Type, others [][]byte) ([]string, error) // others are objects of one member
}

// fitting decodes the arguments that fit their fields, each given as an object of one member; the others stay zero. The
// input is In, or the type that it points to.
func fitting[In any](input *reflectschema.Type, args [][]byte) (in In) {
	v := reflect.ValueOf(&in).Elem()
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	fit := []byte{'{'}
	for _, arg := range args {
		if err := schemas.DecodeLenient(input, arg, v); err == nil && len(arg) > len("{}") {
			fit = append(rawjson.AppendComma(fit), arg[1:len(arg)-1]...)
		}
	}
	_ = schemas.DecodeLenient(input, append(fit, '}'), v) // if it fails, v is zero
	return in
}

// completions are the completers for the arguments of one prompt or resource.
type completions struct {
	owner string
	input *reflectschema.Type
	texts textArguments
	funcs map[string]completer
}

// tool returns the tool that completes the arguments, within the limits of completions; nil if there is nothing to complete.
// Its arguments are the params of completion/complete, and its result is [rendered] values.
func (c completions) tool(runner *Tool) *Tool {
	if len(c.funcs) == 0 && !slices.ContainsFunc(c.texts, func(a textArgument) bool { return a.values != nil }) {
		return nil
	}
	t := *runner
	s := &t.settings
	s.Timeout, s.Rate, s.Concurrent, s.AuditArguments = completionTimeout, completionRate, 0, false
	t.invoke = func(ctx context.Context, args, dst []byte) ([]byte, *Result, error) {
		var params completeParams
		if err := schemas.UnmarshalLenient(args, &params); err != nil {
			return dst, nil, &ArgumentError{Tool: c.owner, Err: err}
		}
		values, err := c.complete(ctx, params.Argument.Name, params.Argument.Value, params.Context.Arguments)
		if err != nil {
			return dst, nil, err
		}
		rest, err := rendered{Values: cut(values), Total: len(values)}.result()
		return dst, rest, err
	}
	return &t
}

// completeParams are the params of completion/complete.
type completeParams struct {
	Argument struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"argument"`
	Context struct {
		Arguments map[string]string `json:"arguments"`
	} `json:"context"`
}

// complete suggests values for an argument; none if the argument is unknown.
func (c completions) complete(ctx context.Context, name, prefix string, others map[string]string) ([]string, error) {
	a := c.texts.find(name)
	if a == nil {
		return nil, nil
	}
	f, ok := c.funcs[name]
	if !ok {
		return rank(a.values, prefix), nil
	}
	var args [][]byte
	for _, other := range c.texts {
		if text, known := others[other.Name]; known && other.Name != name {
			args = append(args, append(c.texts.append([]byte{'{'}, other.Name, text), '}'))
		}
	}
	values, err := f.run(ctx, prefix, c.input, args)
	if err != nil {
		return nil, authorError(err)
	}
	return values, nil
}

// rank returns the values that contain the typed text, ignoring case; those that begin with it come first.
func rank(values []string, typed string) []string {
	typed = strings.ToLower(typed)
	var first, rest []string
	for _, v := range values {
		switch folded := strings.ToLower(v); {
		case strings.HasPrefix(folded, typed):
			first = append(first, v)
		case strings.Contains(folded, typed):
			rest = append(rest, v)
		}
	}
	return append(first, rest...)
}

// cut returns a copy of the first maxCompletions of the values.
func cut(values []string) (first []string) {
	for _, v := range values[:min(len(values), maxCompletions)] {
		first = append(first, strings.ToValidUTF8(v, "\ufffd"))
	}
	return first
}
