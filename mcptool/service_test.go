package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

type arithmetic struct{ base int }

type divideIn struct {
	_ struct{} `mcp:"name=quotient,title=Divide"`
	A int      `json:"a"`
	B int      `json:"b"`
}

func (s *arithmetic) Add(_ context.Context, in addIn) (addOut, error) {
	return addOut{s.base + in.A + in.B}, nil
}

func (s *arithmetic) Divide(_ context.Context, in *divideIn) (*addOut, error) {
	if in.B == 0 {
		return nil, io.EOF
	}
	return &addOut{in.A / in.B}, nil
}
func (s *arithmetic) Close() error                                   { return nil }
func (s *arithmetic) Shutdown(context.Context) error                 { return nil }
func (s *arithmetic) hidden(context.Context, None) (None, error)     { return None{}, nil }
func (s *arithmetic) Sum(int, int) (int, error)                      { return s.base, nil }
func (s *arithmetic) use() func(context.Context, None) (None, error) { return s.hidden }

func TestRegisterService(t *testing.T) {
	service := &arithmetic{base: 100}
	if service.use() == nil {
		t.Fatal("an unexported method is a method")
	}
	mcptool.RegisterService(service, mcptool.ReadOnly(true))
	defer mcptool.Default.Remove("add", "quotient")
	if got, want := names(mcptool.Default.Tools()), []string{"add", "quotient"}; !slices.Equal(got, want) {
		t.Fatalf("got the tools %v, want %v", got, want)
	}
	add, _ := mcptool.Default.Lookup("add")
	quotient, _ := mcptool.Default.Lookup("quotient")
	if hint := add.Annotations().ReadOnlyHint; hint == nil || !*hint || quotient.Title() != "Divide" {
		t.Errorf("options and tags: got %v, %q", hint, quotient.Title())
	}
	for _, test := range []struct {
		tool       *mcptool.Tool
		args, want string
	}{
		{add, `{"a":1,"b":2}`, `{"sum":103}`},
		{quotient, `{"a":6,"b":2}`, `{"sum":3}`},
	} {
		result, err := test.tool.Call(t.Context(), []byte(test.args))
		if err != nil {
			t.Errorf("%s: %v", test.tool.Name(), err)
			continue
		}
		if got, _ := result.Structured.(json.RawMessage); string(got) != test.want {
			t.Errorf("%s: got %s, want %s", test.tool.Name(), got, test.want)
		}
	}
	if _, err := quotient.Call(t.Context(), []byte(`{"a":1,"b":0}`)); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want the method's own error", err)
	}
	if _, err := add.Call(t.Context(), []byte(`{"a":"x"}`)); !isArgumentError(err) {
		t.Errorf("got %v, want an *ArgumentError", err)
	}
}

type (
	nearTools    struct{}
	noTools      struct{}
	twoPairs     struct{}
	noMethods    struct{}
	badArguments struct{}
)

func (nearTools) NoOut(context.Context, addIn) error             { return nil }
func (nearTools) NoError(context.Context, addIn) (addOut, int)   { return addOut{}, 0 }
func (nearTools) Fine(context.Context, addIn) (addOut, error)    { return addOut{}, nil }
func (nearTools) Variadic(context.Context, ...int) (None, error) { return None{}, nil }

func (*noTools) NoContext(addIn) (addOut, error)            { return addOut{}, nil }
func (*noTools) Swapped(addIn, context.Context) error       { return nil }
func (twoPairs) First(context.Context, None) (None, error)  { return None{}, nil }
func (twoPairs) Second(context.Context, None) (None, error) { return None{}, nil }

func (badArguments) One(context.Context, int) (None, error)      { return None{}, nil }
func (badArguments) Two(context.Context, None) (chan int, error) { return nil, nil }

func TestRegisterServiceMistakes(t *testing.T) {
	for _, test := range []struct {
		reason  string
		service any
		opts    []mcptool.Option
		want    []string
	}{
		{"methods that are nearly tools", nearTools{}, nil, []string{
			"NoError: func(context.Context, mcptool_test.addIn) (mcptool_test.addOut, int): its second result is int; make it error",
			"NoOut: func(context.Context, mcptool_test.addIn) error: it returns one value; a tool returns two, its Out and an error",
			"Variadic: func(context.Context, ...int) (struct {}, error): its last argument is variadic; take a struct",
		}},
		{"no tools at all", &noTools{}, nil, []string{
			"NoContext: func(mcptool_test.addIn) (mcptool_test.addOut, error): it takes one argument; a tool takes two",
			"Swapped: func(mcptool_test.addIn, context.Context) error: its first argument is mcptool_test.addIn; make it context.Context",
			"*mcptool_test.noTools: no exported method is func(context.Context, In) (Out, error); give it one",
		}},
		{"a value where a pointer has the methods", noTools{}, nil, []string{"mcptool_test.noTools: no exported method is func(context.Context, In) (Out, error); *mcptool_test.noTools has more methods: pass a pointer"}},
		{"no methods", noMethods{}, nil, []string{"mcptool_test.noMethods: no exported method is"}},
		{"a func", done, nil, []string{"no exported method is func(context.Context, In) (Out, error); give it one, or use Register for funcs"}},
		{"nil", nil, nil, []string{"the service is nil"}},
		{"a nil pointer", (*arithmetic)(nil), nil, []string{"the service is nil"}},
		{"one name for two", twoPairs{}, []mcptool.Option{mcptool.Name("n")}, []string{
			"the option Name gives 2 methods one name", "n: the tool defined at",
		}},
		{"mistakes of every method", badArguments{}, []mcptool.Option{mcptool.Icons(mcptool.Icon{})}, []string{
			"one: (icons[0].src)", "one: int: arguments are named", "two: (icons[0].src)", "two: chan int: ",
		}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			refused := panicOf(t, func() { mcptool.RegisterService(test.service, test.opts...) })
			wantMistakes(t, refused, test.want...)
			if got := names(mcptool.Default.Tools()); len(got) > 0 {
				t.Errorf("after a mistake the registry holds %v", got)
			}
		})
	}
}
