package mcptoolvet_test

import (
	"fmt"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestAPIKnown holds the lists of the analyzer against the packages that it checks: a program has one call for each exported
// func, and the analyzer must report a mistake in it, or nothing where a registered type hides the mistake.
func TestAPIKnown(t *testing.T) {
	t.Parallel()
	const module = "github.com/mcptool-go/mcptool/"
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadTypes}, module+"mcptool", module+"reflectschema")
	if err != nil || packages.PrintErrors(loaded) > 0 || len(loaded) != 2 {
		t.Fatalf("the packages %v do not load: %v", loaded, err)
	}
	var calls []apiCall
	for _, p := range loaded {
		for _, name := range p.Types.Scope().Names() {
			fn, ok := p.Types.Scope().Lookup(name).(*types.Func)
			if ok && fn.Exported() {
				calls = append(calls, callsOf(fn)...)
			}
		}
	}
	dir, err := filepath.Abs("testdata/calls") // which does not exist: the source is in an overlay
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "main.go")
	source := callsSource(calls)
	reports := map[int][]string{}
	for _, d := range diagnostics(t, map[string][]byte{file: []byte(source)}, dir) {
		reports[d.line] = append(reports[d.line], d.text)
	}
	count := map[string]int{}
	for line, text := range strings.Split(source, "\n") {
		i := slices.IndexFunc(calls, func(c apiCall) bool { return c.source == text })
		if i < 0 {
			continue
		}
		count[calls[i].kind]++
		if got := reports[line+1]; (len(got) > 0) != calls[i].reported {
			t.Errorf("%s: reports %q, want a report: %t; %s", text, got, calls[i].reported, calls[i].fix)
		}
	}
	if count[constructorKind] < 6 || count[optionKind] < 35 || count[questionKind] < 5 || count[registrationKind] < 8 {
		t.Errorf("calls by kind: %v: the test no longer finds the funcs", count)
	}
}

// An apiCall is a line of the program.
type apiCall struct {
	kind, source string
	reported     bool   // the analyzer reports something
	fix          string // otherwise
}

const (
	constructorKind  = "constructors"
	optionKind       = "options"
	questionKind     = "questions"
	registrationKind = "registrations of types"
)

// callsOf returns the call of a func if its result decides what the analyzer does with it.
func callsOf(fn *types.Func) []apiCall {
	sig, pkg, name := fn.Signature(), fn.Pkg().Name(), fn.Name()
	if sig.TypeParams().Len() == 2 { // of a func whose arguments and result it registers
		return []apiCall{{
			constructorKind, fmt.Sprintf("func _() { mcptool.%s(fn[None, chan int]) }", name), true,
			"add " + name + " to constructors and checker.call in integrations/mcptoolvet/check.go",
		}}
	}
	if pkg == "reflectschema" && sig.TypeParams().Len() == 1 && strings.HasPrefix(name, "Register") {
		arg := "Of" + name
		return []apiCall{{
			registrationKind, fmt.Sprintf("func init() { %s }", callText(fn, arg)), false, "",
		}, {
			registrationKind, fmt.Sprintf("type %s string; var _, _ = mcptool.New(fn[struct { F %[1]s `jsonschema:\"minItems=1\"` }, None])", arg), false,
			"add " + name + " to the funcs in noteRegistrations in integrations/mcptoolvet/analyzer.go",
		}}
	}
	if sig.Results().Len() == 0 {
		return nil
	}
	last := sig.Results().At(sig.Results().Len() - 1).Type()
	result := types.TypeString(last, func(p *types.Package) string { return p.Name() })
	switch {
	case isOptionOf(fn.Pkg(), last) != "":
		constructor := strings.Replace(isOptionOf(fn.Pkg(), last), "Tool", "", 1)
		return []apiCall{{
			optionKind, fmt.Sprintf("var _, _ = mcptool.New%s(fn[None, chan int], %s)", constructor, callText(fn, "None")), true,
			"add " + name + " to integrations/mcptoolvet/option.go: to optionFuncs if registration checks its arguments and they may be constant, otherwise to unchecked",
		}}
	case result == "error" && strings.Contains(sig.String(), "Ask"): // AskOption or AskPart
		assigned := strings.TrimSuffix(strings.Repeat("_, ", sig.Results().Len()), ", ")
		return []apiCall{{
			questionKind, fmt.Sprintf("func _() { %s = %s }", assigned, callText(fn, "None")), true,
			"add " + name + " to questions in integrations/mcptoolvet/question.go",
		}}
	}
	return nil
}

// isOptionOf returns the kind of items that an option applies to, a part of the name of an interface; "" if a type is none.
func isOptionOf(pkg *types.Package, t types.Type) string {
	for _, kind := range []string{"Tool", "Prompt", "Resource"} {
		if option := pkg.Scope().Lookup(kind + "Option"); option != nil && types.AssignableTo(t, option.Type()) {
			return kind
		}
	}
	return ""
}

// callText returns a call of a func. A type parameter is typeArg, and the arguments are constants or nil.
func callText(fn *types.Func, typeArg string) string {
	sig := fn.Signature()
	short := func(p *types.Package) string { return p.Name() }
	name := fn.Pkg().Name() + "." + fn.Name()
	if sig.TypeParams().Len() > 0 {
		name += "[" + typeArg + "]"
	}
	var args []string
	for i := range sig.Params().Len() {
		if sig.Variadic() && i == sig.Params().Len()-1 {
			break
		}
		t := sig.Params().At(i).Type()
		arg := "nil"
		switch u := t.Underlying().(type) {
		case *types.Struct:
			arg = types.TypeString(t, short) + "{}"
		case *types.Basic:
			arg = map[bool]string{true: `""`, false: "1"}[u.Info()&types.IsString != 0]
			if u.Kind() == types.Bool {
				arg = "true"
			}
		case *types.Slice:
			arg = types.TypeString(t, short) + "(`{}`)"
		}
		args = append(args, arg)
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// callsSource returns the program.
func callsSource(calls []apiCall) string {
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\t\"context\"\n\t\"encoding/json\"\n\n\t\"github.com/mcptool-go/mcptool/mcptool\"\n" +
		"\t\"github.com/mcptool-go/mcptool/reflectschema\"\n)\n\ntype None struct{}\n\nvar _ json.RawMessage\n\n" +
		"func fn[In, Out any](context.Context, In) (out Out, err error) { return out, nil }\n\nfunc main() {}\n\n")
	for _, c := range calls {
		b.WriteString(c.source + "\n")
	}
	return b.String()
}
