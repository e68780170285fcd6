package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"runtime/debug"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/private"
)

// Runner returns the runner of a *Prompt or *Resource, and a *Tool itself.
//
// The arguments of a prompt's runner are params.arguments of prompts/get, an object of strings. Call appends nothing for
// it, and Rendered reads the rest. The name of a resource's runner is the URI or template, and its arguments are an
// object with the variables of the URI. Its context must have the URI ([callctx.Call]). ResourceContents reads the
// result. The InputSchema of either describes the arguments as the func decodes them: numbers, not texts.
func (internals) Runner(item any) *Tool {
	switch item := item.(type) {
	case *Prompt:
		return item.runner
	case *Resource:
		return item.runner
	}
	t, _ := item.(*Tool)
	return t
}

// For package runtime: tools.

// Settings returns the settings of the tool. They are shared: do not modify them.
func (internals) Settings(t *Tool) *settings { return &t.settings }

// IsTool reports whether the runner is a tool, and not of a prompt or resource, and whether it is annotated as read-only.
func (internals) IsTool(runner *Tool) (isTool, readOnly bool) {
	return runner.kind == kindTool, isTrue(runner.annotations.ReadOnlyHint)
}

// VisibleTo reports whether the tool, prompt or resource that the runner runs exists for the caller of a request, as far
// as [VisibleIf] is concerned. The condition gets info with the name of this tool or prompt. If info.Resource is "", the
// condition of a resource gets its URI or template; otherwise info.Resource must be the URI that the request names.
// If the condition panics, err is a [*PanicError], and the item does not exist.
func (internals) VisibleTo(ctx context.Context, runner *Tool, info CallInfo) (visible bool, err error) {
	if runner.settings.VisibleIf == nil {
		return true, nil
	}
	defer func() {
		if v := recover(); v != nil { // visible is false
			err = &PanicError{Tool: runner.settings.Name, Value: v, Stack: debug.Stack()}
		}
	}()
	return runner.settings.VisibleIf(ctx, info.about(runner)), nil
}

// MetaFor returns the _meta of the tool for a client that supports the extensions for which supported returns true:
// the Meta of its [Info] and the members that those extensions have added. Nil means that there are none.
func (internals) MetaFor(t *Tool, supported func(*ClientExtension) bool) map[string]any {
	joined := t.settings.Meta
	for _, a := range t.settings.Attachments {
		if len(a.Meta) > 0 && supported(a.Extension) {
			joined, _ = joinMeta(joined, a.Meta)
		}
	}
	return joined
}

// SupportedBy reports whether a client that has declared these capabilities, a JSON object or nil, supports the
// extension. If its Supports panics, SupportedBy returns false.
func (internals) SupportedBy(e *ClientExtension, capabilities json.RawMessage) (supported bool) {
	settings, declared := extensionIn(capabilities, e.ID)
	if !declared || e.Supports == nil {
		return declared
	}
	defer func() { _ = recover() }()         // then supported is false
	return e.Supports(bytes.Clone(settings)) // the capabilities may be in a buffer that is reused
}

// Wrap returns the tool with middleware around its own; the first is outermost. It must be called only once for each
// tool. The tool itself does not change. If middleware panics or returns no Handler, calls of the new tool return that
// error.
func (internals) Wrap(t *Tool, middleware ...Middleware) *Tool {
	wrapped, err := t.wrap(ofServer, middleware)
	if err != nil {
		wrapped = t.withHandler(ofServer, func(context.Context, json.RawMessage) (*Result, error) { return nil, err })
	}
	return wrapped
}

// For package runtime and mcptooltest: the context of a call.

// WithHost returns a context for one call that uses the services of h.
func (internals) WithHost(ctx context.Context, h host) context.Context {
	call := callctx.Of(ctx)
	call.Host = h
	return &callctx.Context{Context: ctx, Call: call}
}

// For package mcptoolvet.

// OutputType is [OutputType] for a type that is not a type argument.
func (internals) OutputType(t reflect.Type) ToolOption { return outputType(t) }

// Check returns the mistakes that New, NewPrompt or NewResource would report, depending on the type of the options. The
// func has a name, "" for a literal, and an argument and a result type.
func (internals) Check(name string, in, out reflect.Type, opts any) (mistakes []Mistake) {
	f := authorFunc{name: name, in: in, out: out, bind: func(*codec) invoke { return nil }} // no tool is called
	switch opts := opts.(type) {
	case []ToolOption:
		_, mistakes = define(f, opts, nil)
	case []PromptOption:
		_, mistakes = definePrompt(f, opts, nil)
	case []ResourceOption:
		_, mistakes = defineResource(f, opts, nil)
	}
	return distinct(mistakes)
}

// CheckService returns the mistakes that NewService would report for a service with these methods. Unbound[i] reports
// whether the type lacks method i because its receiver is a pointer.
func (internals) CheckService(service reflect.Type, names []string, signatures []reflect.Type, unbound []bool, opts []ToolOption) []Mistake {
	methods := make([]serviceMethod, len(names))
	for i := range names {
		methods[i] = serviceMethod{service: service, name: names[i], signature: signatures[i], unbound: unbound[i]}
	}
	_, mistakes := toolsOf(service, methods, opts, nil)
	return distinct(mistakes)
}

// Rendered returns what is in the rest that Call has returned for a runner, a completer or a lister.
func (internals) Rendered(rest *Result) rendered { return renderedIn(rest) }

// For package runtime: resources.

// FindResource is [Registry.LookupResource] for a read: it also returns the URI in normal form and the arguments of the
// runner, appended to dst.
func (internals) FindResource(r *Registry, uri string, dst []byte) (found *Resource, normal string, args []byte, ok bool) {
	return r.findResource(uri, dst)
}

// LookupTemplate returns the resource whose [Resource.URI] is this text, and reports whether there is one.
func (internals) LookupTemplate(r *Registry, text string) (*Resource, bool) {
	res, ok := r.resources.load(&r.mu).byKey[text]
	return res, ok
}

// IsTemplate reports whether the URI of the resource has variables.
func (internals) IsTemplate(r *Resource) bool { return !r.uri.IsLiteral() }

// ResourceContents returns the contents of a resource that was read by a URI, checked and ready to be sent: the contents
// that the func returned, or its result as JSON. Value and rest are the results of Call for the runner.
func (internals) ResourceContents(r *Resource, uri string, value []byte, rest *Result) []ResourceContents {
	return r.contents(uri, value, rest)
}

// For package runtime/internal/wire.

// AppendContent appends a block, as the next element of a list, in a form that clients of the revision support. Types
// that the revision does not support are replaced. The function redact is applied to texts, unless it is nil. If the form
// needs a name, it contains n, the number of the block in its list.
func (internals) AppendContent(dst []byte, block Content, form *private.ContentForm, redact func(string) string, n int) []byte {
	for {
		older := block.older(form.Revision, n)
		if older == nil {
			return block.write(blockWriter{dst, form, redact})
		}
		block = older
	}
}

// ContentTypes returns a zero value of each type of content.
func (internals) ContentTypes() []Content { return contentTypes }

// OlderContent returns the replacement for the nth block of a list for clients of the revision, nil if they support the
// block.
func (internals) OlderContent(block Content, revision string, n int) Content {
	return block.older(revision, n)
}

// AppendLink appends a link in its form in a list, without the comma before it. The uri is the name of the member for its
// URI.
func (internals) AppendLink(dst []byte, uri string, link *ResourceLink, form *private.ContentForm, redact func(string) string) []byte {
	return link.writeMembers(blockWriter{append(dst, '{'), form, redact}, uri)
}

// AppendIcons appends the member icons.
func (internals) AppendIcons(dst []byte, list []Icon) []byte {
	return blockWriter{dst: dst}.icons(list).dst
}

// CheckIcon returns all mistakes in an icon, nil if clients accept it. Icons of tools and of content are checked when they
// are set; this is for other icons.
func (internals) CheckIcon(icon Icon) error {
	fs := &findings{}
	icon.check(fs)
	return fs.err()
}

// For package mcptooltest: prompts, whose clients send arguments as text.

// ArgumentsOf returns the descriptions of the arguments of a prompt, in the order of the fields of In, for lists of prompts
// as well.
func (internals) ArgumentsOf(p *Prompt) []private.PromptArgument {
	var list []private.PromptArgument
	for _, a := range p.texts {
		list = append(list, a.PromptArgument)
	}
	return list
}

// PromptArguments returns the object for the schema of the runner, given the arguments that a client has sent.
func (internals) PromptArguments(p *Prompt, args []byte) ([]byte, error) {
	return p.texts.object(p.runner.settings.Name, args)
}
