package mcptool

import (
	"reflect"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// Unexported funcs of package reflectschema.
var (
	schemas = private.Take[private.Schemas[*reflectschema.Type, *reflectschema.Schema]]()
	checks  = private.Take[private.Checks[*reflectschema.Type, *reflectschema.Schema, reflect.Value]]()
)

// Access for servers to parts of tools, prompts and resources that authors do not need. It is not in a public API, so
// that it can change.
var (
	_ = private.Provide(private.Calls[*Tool, *Result, Middleware]{
		Append:   (*Tool).appendCall,
		Injected: func(t *Tool, args []byte) (names []string) { _, names = t.withoutInjected(args); return names },
		IsString: func(t *Tool) bool { return t.output.isString },
		Wrap:     (*Tool).wrapped,
		Truncate: (*Tool).truncate,
	})
	_ = private.Provide(private.Prompts[*Prompt, *Tool, *Result, *PromptResult]{
		Runner:    func(p *Prompt) *Tool { return p.runner },
		Completer: func(p *Prompt) *Tool { return p.completer },
		Result:    func(res *Result) *PromptResult { return renderedIn(res).prompt },
	})
	_ = private.Provide(private.Resources[*Registry, *Resource, *Tool, *Result, Contents, ResourceLink]{
		Runner:    func(r *Resource) *Tool { return r.runner },
		Completer: func(r *Resource) *Tool { return r.completer },
		Lister:    func(r *Resource) *Tool { return r.lister },
		Listed: func(res *Result) ([]ResourceLink, string) {
			held := renderedIn(res)
			return held.links, held.next
		},
		Find:     (*Registry).find,
		Contents: (*Resource).contents,
		Verbatim: func(r *Resource) bool { return r.verbatim },
	})
	_ = private.Provide(private.TextArguments[*Prompt, *Resource, *reflectschema.Schema]{
		Prompt:   func(p *Prompt) *reflectschema.Schema { return p.schema },
		Typed:    func(p *Prompt, args []byte) ([]byte, error) { return p.texts.object(p.runner.name, args) },
		Resource: func(r *Resource) *reflectschema.Schema { return r.schema },
		Variables: func(r *Resource, uri string) ([]byte, bool) {
			normal, ok := uritemplate.Normalize(uri)
			if !ok {
				return nil, false
			}
			return r.variables(nil, normal)
		},
	})
	_ = private.Provide(private.Headers[*Tool]{
		Of: func(t *Tool) []private.ParamHeader { return t.headers },
	})
)
