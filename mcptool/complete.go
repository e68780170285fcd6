package mcptool

import (
	"context"
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// Complete suggests values for a field of In, named by its JSON name: the func gets the text that the user has typed so
// far, and the other arguments as far as they are known. In must be the In of the prompt or resource; arguments that
// are missing or do not fit have their defaults or are zero. The func returns the best suggestions first; at most 100
// of them are sent. By default the values of an enum or a boolean are suggested; Complete replaces them.
//
//	mcptool.Complete("city", func(ctx context.Context, prefix string, in TripIn) ([]string, error) {
//		return cities.In(in.Country, prefix), nil
//	})
//
// Clients send a request with each key that the user types, so the func must be quick. It may run for 5 seconds, and
// each caller may request 20 completions per second of one prompt or resource, or 100 at once. Suggestions must not
// reveal anything that the caller may not see: [Scopes] and [VisibleIf] apply, and [Caller] identifies the caller.
//
// It is a mistake if the name is not the name of a field, if the func has another In, or if a field has two funcs.
//
// https://modelcontextprotocol.io/specification/draft/server/utilities/completion
func Complete[In any](field string, fn func(ctx context.Context, prefix string, in In) ([]string, error)) interface {
	PromptOption
	ResourceOption
} {
	c := completer{field: field, in: reflect.TypeFor[In](), isNil: fn == nil}
	c.run = func(ctx context.Context, prefix string, input *reflectschema.Type, others [][]byte) ([]string, error) {
		return fn(ctx, prefix, fitting[In](input, others))
	}
	return textOption(func(d *definition) { d.completers = append(slices.Clip(d.completers), c) })
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
