package mcptool

import "github.com/mcptool-go/mcptool/reflectschema"

// Types describes Go types in the arguments and results of this tool, prompt or resource, with
// [reflectschema.WithUnion], [reflectschema.WithEnum], [reflectschema.WithTypeSchema] and [reflectschema.WithTypeCodec].
// They take precedence over the registrations of the program ([reflectschema.Union] and so on), so two tools can give
// one type different members or values, and no declaration has to be initialized before the tool. If Types is given more
// than once, the options add up; two for one type are a mistake if they differ. By default only the registrations of the
// program apply.
//
// The registrations of the program apply to the types of [Elicit], [Sample] and [Once], which any tool may use, and to a
// Structured in a [Result] whose type differs from [OutputType].
func Types(opts ...reflectschema.TypeOption) Option {
	return option(func(d *definition) { d.typeOptions = append(d.typeOptions, opts...) })
}
