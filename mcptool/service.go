package mcptool

import (
	"context"
	"fmt"
	"reflect"
)

// RegisterService defines a tool from every exported method of svc that is of tool
// shape, func(context.Context, In) (Out, error), and adds them to [Default]. Names
// derive from the methods, what else there is to say stands in the mcp:"…" tag of
// each In; the options apply to every tool.
//
// A method that takes a context and one argument but returns something else is
// taken for a tool gone wrong and refused; other methods are left alone. It
// panics with a [*RegisterError] that lists every mistake of every method.
func RegisterService(svc any, opts ...Option) {
	location := callerLocation()
	funcs, mistakes := serviceFuncs(svc)
	var common definition
	if common.apply(opts); common.name.isSet() && len(funcs) > 1 {
		mistakes = append(mistakes, Mistake{
			Reason: fmt.Sprintf("the option Name gives %d methods one name", len(funcs)),
			Fix:    "write name=… in the mcp tag of each In, or nothing",
		})
	}
	mustAdd(location, funcs, mistakes, opts)
}

// serviceFuncs returns the methods of tool shape, and why others that look like one
// are none. If there is no tool at all, every exported method gets its reason.
func serviceFuncs(svc any) (funcs []authorFunc, mistakes []Mistake) {
	if isNil(svc) {
		return nil, []Mistake{{Reason: "the service is nil", Fix: "pass a value with methods"}}
	}
	v := reflect.ValueOf(svc)
	var others []Mistake
	for method, value := range v.Methods() {
		reason, fix := checkMethod(value.Type())
		m := Mistake{Tool: method.Name, Type: value.Type().String(), Reason: reason, Fix: fix}
		switch {
		case reason == "":
			funcs = append(funcs, eraseMethod(method.Name, value))
		case isNearTool(value.Type()):
			mistakes = append(mistakes, m)
		default:
			others = append(others, m)
		}
	}
	if len(funcs) == 0 && len(mistakes) == 0 {
		mistakes = append(others, noTools(v.Type()))
	}
	return funcs, mistakes
}

// noTools words that a service has no method of tool shape.
func noTools(t reflect.Type) Mistake {
	m := Mistake{
		Type:   t.String(),
		Reason: "no exported method is func(context.Context, In) (Out, error)",
		Fix:    "give it one, or use Register for funcs",
	}
	if t.Kind() != reflect.Pointer && reflect.PointerTo(t).NumMethod() > t.NumMethod() {
		m.Fix = fmt.Sprintf("*%s has more methods: pass a pointer", t)
	}
	return m
}

// checkMethod says why a method, its receiver bound, is no tool.
func checkMethod(t reflect.Type) (reason, fix string) {
	switch {
	case t.NumIn() != 2:
		return "it takes " + count(t.NumIn(), "argument"), "a tool takes two, a context.Context and its In"
	case t.In(0) != contextType:
		return fmt.Sprintf("its first argument is %s", t.In(0)), "make it context.Context"
	case t.IsVariadic():
		return "its last argument is variadic", "take a struct with a slice in it"
	case t.NumOut() != 2:
		return "it returns " + count(t.NumOut(), "value"), "a tool returns two, its Out and an error; an Out of struct{} says done"
	case t.Out(1) != errorType:
		return fmt.Sprintf("its second result is %s", t.Out(1)), "make it error"
	}
	return "", ""
}

// count writes a number of things as a person would.
func count(n int, thing string) string {
	switch n {
	case 0:
		return "no " + thing
	case 1:
		return "one " + thing
	default:
		return fmt.Sprintf("%d %ss", n, thing)
	}
}

// isNearTool reports whether a method was meant to be a tool: it takes what one takes.
func isNearTool(t reflect.Type) bool { return t.NumIn() == 2 && t.In(0) == contextType }

// eraseMethod is [erase] for a method known by reflection alone.
func eraseMethod(name string, method reflect.Value) authorFunc {
	in, out := method.Type().In(1), method.Type().Out(0)
	return authorFunc{
		name: name,
		in:   in,
		out:  out,
		call: func(ctx context.Context, c *codec, args, dst []byte) ([]byte, *Result, error) {
			arg := reflect.New(in).Elem()
			if err := c.decode(args, arg); err != nil {
				return dst, nil, err
			}
			results := method.Call([]reflect.Value{reflect.ValueOf(ctx), arg})
			if err, ok := reflect.TypeAssert[error](results[1]); ok && err != nil {
				return dst, nil, authorError(err)
			}
			value := reflect.New(out).Elem() // addressable, for methods on pointers
			value.Set(results[0])
			return c.encode(dst, value)
		},
	}
}
