package mcptool

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/callsite"
	"github.com/mcptool-go/mcptool/internal/comment"
	"github.com/mcptool-go/mcptool/internal/suggest"
)

// RegisterService defines a tool from every exported method of svc with the signature of a tool, func(context.Context,
// In) (Out, error), and adds them to [Default], all or none. It panics with a [*RegisterError] as [Register] does. See
// [NewService], which returns the tools instead, for the rules about methods.
func RegisterService(svc any, opts ...ToolOption) {
	location := callerLocation()
	tools, mistakes := serviceTools(svc, opts, location)
	mustAdd(location, Tools(tools), mistakes)
}

// NewService defines a tool from every exported method of svc with the signature of a tool, func(context.Context, In)
// (Out, error), for a [Registry] of your own. The tools are in the order of the method names. The name of a tool is the
// name of the method in snake case, unless the mcp:"…" tag of its In sets another. The options apply to every tool. If
// methods have pointer receivers, pass a pointer. [NamePrefix] keeps the names of two services apart.
//
// A method with another signature is ignored unless it takes a [context.Context], which is a mistake: correct the method,
// or exclude it with [ExceptMethods]. Methods func(context.Context) error called Close, Ping, Run, Serve or Shutdown are
// always ignored. It is a mistake if no method has the signature of a tool.
//
// Promoted methods of embedded fields are treated like methods of svc itself. To exclude them, give the field a name.
//
// The error is a [*RegisterError] that lists every mistake in every method.
func NewService(svc any, opts ...ToolOption) (Tools, error) {
	location := callerLocation()
	tools, mistakes := serviceTools(svc, opts, location)
	return defined(location, Tools(tools), append(mistakes, clashes(nil, tools)...))
}

// ExceptMethods excludes methods of a service, given by their Go names, from [RegisterService] and [NewService]: they
// are ignored, whatever their signature. By default none are excluded. Several ExceptMethods add up. It is a mistake if
// no exported method has the name, or if the tool is not part of a service.
func ExceptMethods(names ...string) ToolOption {
	return toolOption(func(d *definition) { d.exceptMethods = append(d.exceptMethods, names...) })
}

// serviceTools defines a tool from each method with the signature of a tool. If there are neither tools nor mistakes,
// it returns the reason for every method.
func serviceTools(svc any, opts []ToolOption, location *callsite.Site) (tools []*Tool, mistakes []Mistake) {
	if isNil(svc) {
		return nil, []Mistake{{Reason: "the service is nil", Fix: "pass a value with methods"}}
	}
	return toolsOf(reflect.TypeOf(svc), methodsOf(svc), opts, location)
}

// toolsOf is [serviceTools] for the methods of a type.
func toolsOf(service reflect.Type, methods []serviceMethod, opts []ToolOption, location *callsite.Site) (tools []*Tool, mistakes []Mistake) {
	var common definition
	apply(&common, opts, ToolOption.applyToTool)
	mistakes = unknownExceptions(common.exceptMethods, methods, service)
	var funcs []authorFunc
	var names []string // of funcs
	var others []Mistake
	for _, m := range methods {
		if slices.Contains(common.exceptMethods, m.name) {
			continue
		}
		switch reasons, fixes := m.problem(); {
		case len(reasons) == 0:
			funcs, names = append(funcs, m.erase()), append(names, m.name)
		case m.looksLikeTool():
			fixes = append(fixes, fmt.Sprintf("or exclude it with mcptool.ExceptMethods(%q)", m.name))
			mistakes = append(mistakes, m.mistake(reasons, fixes))
		default:
			others = append(others, m.mistake(reasons, fixes))
		}
	}
	if common.isSet(&common.Name) && len(funcs) > 1 {
		mistakes = append(mistakes, Mistake{
			Reason: fmt.Sprintf("the option Name sets the same name for %d methods: %s", len(funcs), strings.Join(names, ", ")),
			Fix:    "write name=… in the mcp tag of each In, or nothing",
		})
	}
	if len(funcs) == 0 && len(mistakes) == 0 {
		none := Mistake{
			Type:   service.String(),
			Reason: "no exported method is func(context.Context, In) (Out, error)",
			Fix:    "add one, or use Register for funcs",
		}
		if len(common.exceptMethods) > 0 {
			none.Reason += ", except for " + strings.Join(common.exceptMethods, ", ")
		}
		return nil, append(others, none)
	}
	for _, f := range funcs {
		tool, found := define(f, opts, location)
		tool.method = f.name
		tools, mistakes = append(tools, tool), append(mistakes, found...)
	}
	return tools, mistakes
}

// unknownExceptions returns a mistake for each excluded name that no method has.
func unknownExceptions(excepted []string, methods []serviceMethod, service reflect.Type) (mistakes []Mistake) {
	known := make([]string, len(methods))
	for i := range methods {
		known[i] = methods[i].name
	}
	for _, name := range excepted {
		if slices.Contains(known, name) {
			continue
		}
		fix := "leave it out"
		if near := suggest.Nearest(name, known); near != "" {
			fix = "write " + near
		}
		mistakes = append(mistakes, Mistake{
			Type:   service.String(),
			Reason: fmt.Sprintf("the option ExceptMethods names %q, which is not an exported method", name),
			Fix:    fix,
		})
	}
	return mistakes
}

// erase is like the func [erase], for a method known only by reflection.
func (m *serviceMethod) erase() authorFunc {
	method, in, out := m.bound, m.signature.In(1), m.signature.Out(0)
	return authorFunc{
		name:      m.name,
		comment:   comment.OfMember(deref(m.service), m.name),
		ofService: true,
		in:        in,
		out:       out,
		bind: func(c *codec) invoke {
			return func(ctx context.Context, args, dst []byte) ([]byte, *Result, error) {
				arg := reflect.New(in).Elem()
				if err := c.decode(ctx, args, arg); err != nil {
					return dst, nil, err
				}
				results := method.Call([]reflect.Value{reflect.ValueOf(ctx), arg})
				if err, ok := reflect.TypeAssert[error](results[1]); ok && err != nil {
					return dst, nil, authorError(err)
				}
				value := reflect.New(out).Elem() // addressable, for methods with pointer receivers
				value.Set(results[0])
				return c.encode(ctx, args, dst, value)
			}
		},
	}
}
