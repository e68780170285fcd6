package mcptool

import (
	"fmt"
	"reflect"
	goruntime "runtime"
	"strings"
)

// serviceMethod is an exported method of a service, bound to its receiver.
type serviceMethod struct {
	service   reflect.Type
	name      string
	signature reflect.Type
	bound     reflect.Value // invalid if the receiver is a pointer and the service is a value
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
		methods = append(methods, serviceMethod{
			service:   v.Type(),
			name:      method.Name,
			signature: value.Type(),
			bound:     v.MethodByName(method.Name),
		})
	}
	return methods
}

// methodProblem lists the reasons why a method cannot be a tool, with their fixes.
type methodProblem struct{ reasons, fixes []string }

func (p *methodProblem) add(reason, fix string) {
	if reason != "" {
		p.reasons, p.fixes = append(p.reasons, reason), append(p.fixes, fix)
	}
}

// problem returns why the method cannot be a tool; nil if it can.
func (m *serviceMethod) problem() *methodProblem {
	var p methodProblem
	p.add(paramsProblem(m.signature))
	p.add(resultsProblem(m.signature))
	if !m.bound.IsValid() {
		p.add("its receiver is a pointer and the service is a value", "pass a *"+m.service.String())
	}
	if len(p.reasons) == 0 {
		return nil
	}
	return &p
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

// commonMethods are methods of common interfaces and conventions, by name, whose signatures resemble tools but that are
// not meant as tools.
var commonMethods = map[string]string{
	// lifecycle of a service
	"Close":    "func(context.Context) error",
	"Ping":     "func(context.Context) error",
	"Run":      "func(context.Context) error",
	"Serve":    "func(context.Context) error",
	"Shutdown": "func(context.Context) error",
	// encoding, encoding/json, encoding/gob, database/sql/driver and YAML libraries
	"GobEncode":     "func() ([]uint8, error)",
	"MarshalBinary": "func() ([]uint8, error)",
	"MarshalJSON":   "func() ([]uint8, error)",
	"MarshalText":   "func() ([]uint8, error)",
	"MarshalYAML":   "func() (interface {}, error)",
	"Value":         "func() (driver.Value, error)",
	// log/slog and net/http
	"Enabled":   "func(context.Context, slog.Level) bool",
	"Handle":    "func(context.Context, slog.Record) error",
	"RoundTrip": "func(*http.Request) (*http.Response, error)",
}

// looksLikeTool reports whether the author may have meant the method as a tool: it takes a context, or only the context
// is missing.
func (m *serviceMethod) looksLikeTool() bool {
	t := m.signature
	switch {
	case commonMethods[m.name] == t.String():
		return false
	case takesContext(t):
		return true
	}
	returns := t.NumOut() == 2 && t.Out(0) != errorType && t.Out(1) == errorType
	return returns && (t.NumIn() == 0 || t.NumIn() == 1 && !t.IsVariadic() && isArguments(t.In(0)))
}

// takesContext reports whether a parameter is a context.
func takesContext(t reflect.Type) bool {
	for param := range t.Ins() {
		if param == contextType {
			return true
		}
	}
	return false
}

// isArguments reports whether t can be an argument type. A struct must have exported fields, or no fields at all.
func isArguments(t reflect.Type) bool {
	if reason, _ := checkIn(t); reason != "" {
		return false
	}
	if t = deref(t); t.Kind() != reflect.Struct || t.NumField() == 0 {
		return true
	}
	for field := range t.Fields() {
		if field.IsExported() || field.Anonymous {
			return true
		}
	}
	return false
}

// refuse returns the mistake for a method that looks like a tool but is not one. The author cannot change a promoted
// method of another package.
func (m *serviceMethod) refuse(p *methodProblem) Mistake {
	if from := m.promotedFrom(); from != nil {
		if deref(from).PkgPath() != deref(m.service).PkgPath() {
			p.fixes = nil
		}
		p.add("it is promoted from the embedded "+from.String(), "give that field a name")
	}
	p.fixes = append(p.fixes, fmt.Sprintf("or exclude it with mcptool.ExceptMethods(%q)", m.name))
	return m.mistake(p.reasons, p.fixes)
}

func (m *serviceMethod) mistake(reasons, fixes []string) Mistake {
	return Mistake{Tool: m.name, Type: m.signature.String(), Reason: strings.Join(reasons, ", and "), Fix: strings.Join(fixes, "; ")}
}

// promotedFrom returns the type of the embedded field that the method is promoted from; nil if the service declares it
// itself. An embedded field may have a method of that name even then, but only the wrapper of a promoted method has no
// source file of the author.
func (m *serviceMethod) promotedFrom() reflect.Type {
	t := deref(m.service)
	if t.Kind() != reflect.Struct {
		return nil
	}
	method, ok := t.MethodByName(m.name)
	if !ok {
		method, _ = reflect.PointerTo(t).MethodByName(m.name)
	}
	code := method.Func.Pointer()
	if file, _ := goruntime.FuncForPC(code).FileLine(code); file != "<autogenerated>" {
		return nil
	}
	for field := range t.Fields() {
		if !field.Anonymous {
			continue
		}
		addressable := field.Type
		if k := addressable.Kind(); k != reflect.Pointer && k != reflect.Interface {
			addressable = reflect.PointerTo(addressable)
		}
		if _, ok := addressable.MethodByName(m.name); ok {
			return field.Type
		}
	}
	return nil
}
