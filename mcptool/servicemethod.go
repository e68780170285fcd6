package mcptool

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// serviceMethod is an exported method of a service, bound to its receiver.
type serviceMethod struct {
	service   reflect.Type
	name      string
	signature reflect.Type
	bound     reflect.Value
	unbound   bool // the receiver is a pointer and the service is a value
}

// methodsOf returns the exported methods of a service, sorted by name. If the service is a value, they include methods
// with pointer receivers.
func methodsOf(svc any) (methods []serviceMethod) {
	v := reflect.ValueOf(svc)
	all := v
	if v.Kind() != reflect.Pointer {
		all = reflect.New(v.Type())
	}
	for method, value := range all.Methods() {
		bound := v.MethodByName(method.Name)
		methods = append(methods, serviceMethod{v.Type(), method.Name, value.Type(), bound, !bound.IsValid()})
	}
	return methods
}

// problem returns the reasons why the method cannot be a tool, and their fixes; none if it can.
func (m *serviceMethod) problem() (reasons, fixes []string) {
	add := func(reason, fix string) {
		if reason != "" {
			reasons, fixes = append(reasons, reason), append(fixes, fix)
		}
	}
	add(paramsProblem(m.signature))
	add(resultsProblem(m.signature))
	if m.unbound {
		add("its receiver is a pointer and the service is a value", "pass a *"+m.service.String())
	}
	return reasons, fixes
}

// paramsProblem returns why a method with these parameters cannot be a tool.
func paramsProblem(t reflect.Type) (reason, fix string) {
	n := t.NumIn()
	switch {
	case n == 0:
		return "it takes no parameters", "take (context.Context, struct{})"
	case t.In(0) != contextType && takesContext(t):
		return "its context.Context is not the first parameter", "make it the first one"
	case t.In(0) != contextType:
		return "it takes no context.Context", "take (context.Context, In)"
	case n == 1:
		return "it takes no arguments beside the context", "take (context.Context, struct{})"
	case n > 2:
		return fmt.Sprintf("it takes %d parameters", n), "put all parameters after the context into one struct"
	case t.IsVariadic():
		return "its last parameter is variadic", "take a struct with a slice in it"
	}
	return checkIn(t.In(1))
}

// resultsProblem returns why a method with these results cannot be a tool. The type Out is checked when the tool is
// defined.
func resultsProblem(t reflect.Type) (reason, fix string) {
	n := t.NumOut()
	switch {
	case n == 0:
		return "it returns nothing", "return (struct{}, error)"
	case t.Out(n-1) != errorType:
		return "its last result is " + t.Out(n-1).String(), "make it error"
	case n == 1:
		return "it returns only an error", "return (struct{}, error)"
	case n > 2:
		return fmt.Sprintf("it returns %d values", n), "put all results before the error into one struct"
	}
	return "", ""
}

// lifecycleMethods are the names of methods func(context.Context) error that are not meant as tools.
var lifecycleMethods = []string{"Close", "Ping", "Run", "Serve", "Shutdown"}

// looksLikeTool reports whether the author probably meant the method as a tool: it takes a context.
func (m *serviceMethod) looksLikeTool() bool {
	if m.signature == reflect.TypeFor[func(context.Context) error]() && slices.Contains(lifecycleMethods, m.name) {
		return false
	}
	return takesContext(m.signature)
}

// takesContext reports whether a parameter is a context.
func takesContext(t reflect.Type) bool { return slices.Contains(slices.Collect(t.Ins()), contextType) }

func (m *serviceMethod) mistake(reasons, fixes []string) Mistake {
	return Mistake{Tool: m.name, Type: m.signature.String(), Reason: strings.Join(reasons, ", and "), Fix: strings.Join(fixes, "; ")}
}
