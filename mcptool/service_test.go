package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"time"

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
func (s *arithmetic) Find(id int) (addOut, error)                    { return addOut{id}, nil }
func (s *arithmetic) Since(time.Time) (int, error)                   { return s.base, nil }
func (s *arithmetic) Base() int                                      { return s.base }
func (s *arithmetic) Configure(addIn) error                          { return nil }
func (s *arithmetic) String() string                                 { return "arithmetic" }
func (s *arithmetic) MarshalJSON() ([]byte, error)                   { return nil, nil }
func (s *arithmetic) ServeHTTP(http.ResponseWriter, *http.Request)   {}
func (s *arithmetic) use() func(context.Context, None) (None, error) { return s.hidden }

func TestRegisterService(t *testing.T) {
	service := &arithmetic{base: 100}
	if service.use() == nil {
		t.Fatal("an unexported method cannot be called")
	}
	mcptool.RegisterService(service, mcptool.ReadOnly(true))
	defer removeTools(mcptool.Default)
	if got, want := names(mcptool.Default.Tools()), []string{"add", "quotient"}; !slices.Equal(got, want) {
		t.Fatalf("got the tools %v, want %v", got, want)
	}
	add, _ := mcptool.Default.Lookup("add")
	quotient, _ := mcptool.Default.Lookup("quotient")
	if hint := add.Annotations().ReadOnlyHint; hint == nil || !*hint || quotient.Info().Title != "Divide" {
		t.Errorf("options and tags: got %v, %q", hint, quotient.Info().Title)
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
			t.Errorf("%s: %v", test.tool.Info().Name, err)
			continue
		}
		if got, _ := result.Structured.(json.RawMessage); string(got) != test.want {
			t.Errorf("%s: got %s, want %s", test.tool.Info().Name, got, test.want)
		}
	}
	if _, err := quotient.Call(t.Context(), []byte(`{"a":1,"b":0}`)); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want the error of the method", err)
	}
	if _, err := add.Call(t.Context(), []byte(`{"a":"x"}`)); !isArgumentError(err) {
		t.Errorf("got %v, want an *ArgumentError", err)
	}
}

type (
	nearTools    struct{} //nolint:recvcheck // tests this mistake
	noTools      struct{}
	twoPairs     struct{}
	noMethods    struct{}
	badArguments struct{}
	mixed        struct{}
	embeds       struct {
		mixed
		*slog.Logger
	}
)

func (nearTools) NoArguments(context.Context) (addOut, error)       { return addOut{}, nil }
func (nearTools) NoContext(addIn) (addOut, error)                   { return addOut{}, nil }
func (nearTools) Nothing() (*addOut, error)                         { return nil, nil }
func (nearTools) Swapped(addIn, context.Context) error              { return nil }
func (nearTools) Delete(context.Context, int) error                 { return nil }
func (nearTools) Reindex(context.Context) error                     { return nil }
func (nearTools) Three(context.Context, int, int) (int, error)      { return 0, nil }
func (nearTools) TwoOuts(context.Context, addIn) (int, bool, error) { return 0, false, nil }
func (nearTools) Forget(context.Context, addIn)                     {}
func (nearTools) NoError(context.Context, addIn) (addOut, int)      { return addOut{}, 0 }
func (nearTools) Fine(context.Context, addIn) (addOut, error)       { return addOut{}, nil }
func (nearTools) Variadic(context.Context, ...int) (None, error)    { return None{}, nil }
func (*nearTools) Pointer(context.Context, addIn) (addOut, error)   { return addOut{}, nil }
func (*nearTools) Close() error                                     { return nil }

func (*noTools) Sum(int, int) (int, error)                  { return 0, nil }
func (*noTools) Close() error                               { return nil }
func (twoPairs) First(context.Context, None) (None, error)  { return None{}, nil }
func (twoPairs) Second(context.Context, None) (None, error) { return None{}, nil }

func (badArguments) One(context.Context, addIn) (None, error)    { return None{}, nil }
func (badArguments) Two(context.Context, None) (chan int, error) { return nil, nil }

func (mixed) List(context.Context, None) ([]int, error) { return nil, nil }
func (mixed) Delete(context.Context, int) error         { return nil }
func (mixed) Log(context.Context, None) (None, error)   { return None{}, nil }
func (embeds) Log(context.Context, None) (None, error)  { return None{}, nil }
func (embeds) LogAttrs(context.Context, string) error   { return nil }

// nearMistakes are the mistakes of nearTools{}, in the order of its methods.
var nearMistakes = []string{
	`Delete: func(context.Context, int) error: arguments must have names, but int does not define any, and it returns only an error; ` +
		`use a struct with one field per argument; struct{} for no arguments; return (struct{}, error); or exclude it with mcptool.ExceptMethods("Delete")`,
	"Forget: func(context.Context, mcptool_test.addIn): it returns nothing; return (struct{}, error)",
	"NoArguments: func(context.Context) (mcptool_test.addOut, error): it takes no arguments beside the context; take (context.Context, struct{})",
	"NoError: func(context.Context, mcptool_test.addIn) (mcptool_test.addOut, int): its last result is int; make it error",
	"Pointer: func(context.Context, mcptool_test.addIn) (mcptool_test.addOut, error): its receiver is a pointer and the service is a value; pass a *mcptool_test.nearTools",
	"Reindex: func(context.Context) error: it takes no arguments beside the context, and it returns only an error; take (context.Context, struct{}); return (struct{}, error)",
	"Swapped: func(mcptool_test.addIn, context.Context) error: its context.Context is not the first parameter, and it returns only an error; make it the first one",
	"Three: func(context.Context, int, int) (int, error): it takes 3 parameters; put all parameters after the context into one struct",
	"TwoOuts: func(context.Context, mcptool_test.addIn) (int, bool, error): it returns 3 values; put all results before the error into one struct",
	"Variadic: func(context.Context, ...int) (struct {}, error): its last parameter is variadic; take a struct",
}

func TestServiceMistakes(t *testing.T) {
	for _, test := range []struct {
		reason  string
		service any
		opts    []mcptool.ToolOption
		want    []string
	}{
		{"methods that are nearly tools", nearTools{}, nil, nearMistakes},
		{"no tools", &noTools{}, nil, []string{
			"Close: func() error: it takes no parameters, and it returns only an error; take",
			"Sum: func(int, int) (int, error): it takes no context.Context; take (context.Context, In)",
			"*mcptool_test.noTools: no exported method is func(context.Context, In) (Out, error); add one",
		}},
		{"all tools excluded", &twoPairs{}, []mcptool.ToolOption{mcptool.ExceptMethods("First"), mcptool.ExceptMethods("Second")}, []string{
			"*mcptool_test.twoPairs: no exported method is func(context.Context, In) (Out, error), except for First, Second; add one",
		}},
		{"no methods", noMethods{}, nil, []string{"mcptool_test.noMethods: no exported method is"}},
		{"a func", done, nil, []string{"no exported method is func(context.Context, In) (Out, error); add one, or use Register for funcs"}},
		{"nil", nil, nil, []string{"the service is nil"}},
		{"a nil pointer", (*arithmetic)(nil), nil, []string{"the service is nil"}},
		{"one name for two methods", twoPairs{}, []mcptool.ToolOption{mcptool.Name("n")}, []string{
			"the option Name sets the same name for 2 methods: First, Second", "by the method Second has the same name as the one defined at",
		}},
		{"clash of the second method", twoPairs{}, []mcptool.ToolOption{mcptool.Name("n")}, []string{
			"the option Name sets the same name for 2 methods", "by the method First; give one of them another name",
		}},
		{"mistakes of every method", badArguments{}, []mcptool.ToolOption{mcptool.Icons(mcptool.Icon{})}, []string{
			"one: (icons[0].src)", "two: (icons[0].src)", "two: chan int: ",
		}},
		{"exceptions that are not methods", mixed{}, []mcptool.ToolOption{mcptool.ExceptMethods("delete", "hidden")}, []string{
			`mcptool_test.mixed: the option ExceptMethods names "delete", which is not an exported method; write Delete`,
			`mcptool_test.mixed: the option ExceptMethods names "hidden", which is not an exported method; leave it out`,
			"Delete: func(context.Context, int) error: ",
		}},
		{"promoted methods", embeds{Logger: slog.Default()}, nil, []string{
			"DebugContext: func(context.Context, string, ...interface {}): it takes 3 parameters, and it returns nothing; put all parameters after the context into one struct; " +
				`return (struct{}, error); or exclude it with mcptool.ExceptMethods("DebugContext")`,
			"Delete: func(context.Context, int) error: arguments must have names, but int does not define any, and it returns only an error; use a struct",
			"Enabled: ", "ErrorContext: ", "InfoContext: ",
			"LogAttrs: func(context.Context, string) error: arguments must have names, but string does not define any, and it returns only an error; use a struct",
			"WarnContext: ",
		}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			refused := panicOf(t, func() { mcptool.RegisterService(test.service, test.opts...) })
			wantMistakes(t, refused, test.want...)
			if got := names(mcptool.Default.Tools()); len(got) > 0 {
				t.Errorf("tools after a mistake: %v", got)
			}
			tools, err := mcptool.NewService(test.service, test.opts...)
			if len(tools) > 0 {
				t.Errorf("got tools and mistakes: %v", names(slices.Values(tools)))
			}
			wantMistakes(t, registerError(t, nil, err), test.want...)
		})
	}
}

// TestNewService checks that the tools are returned and not registered, with and without excluded methods.
func TestNewService(t *testing.T) {
	t.Parallel()
	nearNames := []string{"Delete", "Forget", "NoArguments", "NoError", "Pointer", "Reindex", "Swapped", "Three", "TwoOuts", "Variadic"}
	for _, test := range []struct {
		reason  string
		service any
		opts    []mcptool.ToolOption
		want    []string
	}{
		{"helper methods are ignored", &arithmetic{}, nil, []string{"add", "quotient"}},
		{"a pointer has all methods", &mixed{}, []mcptool.ToolOption{mcptool.ExceptMethods("Delete")}, []string{"list", "log"}},
		{"a tool is excluded", mixed{}, []mcptool.ToolOption{mcptool.ExceptMethods("Delete", "List")}, []string{"log"}},
		{"a method that would not be a mistake is excluded", &arithmetic{}, []mcptool.ToolOption{mcptool.ExceptMethods("Close", "Divide")}, []string{"add"}},
		{"several exceptions are combined", nearTools{}, []mcptool.ToolOption{mcptool.ExceptMethods(nearNames[:4]...), mcptool.ExceptMethods(), mcptool.ExceptMethods(nearNames[4:]...)}, []string{"fine"}},
		{"promoted methods are tools", embeds{}, []mcptool.ToolOption{mcptool.ExceptMethods("Delete", "DebugContext", "Enabled", "ErrorContext", "InfoContext", "LogAttrs", "WarnContext")}, []string{"list", "log"}},
	} {
		tools, err := mcptool.NewService(test.service, test.opts...)
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
		} else if got := names(slices.Values(tools)); !slices.Equal(got, test.want) {
			t.Errorf("%s: got the tools %v, want %v", test.reason, got, test.want)
		}
	}
	if _, err := mcptool.New(done, mcptool.ExceptMethods("Close")); err == nil {
		t.Error("the option ExceptMethods is accepted for a func")
	} else {
		wantMistakes(t, registerError(t, nil, err), "the option ExceptMethods applies only to a service; pass it to RegisterService or NewService")
	}
	if _, err := mcptool.NewRaw("raw", objectSchema, func(context.Context, json.RawMessage) (*mcptool.Result, error) { return nil, nil },
		mcptool.ExceptMethods("Close")); err == nil {
		t.Error("the option ExceptMethods is accepted for a raw tool")
	}
}

// prompter has a method with the signature of a prompt.
type prompter struct{}

func (prompter) Review(context.Context, None) ([]mcptool.Message, error) { return nil, nil }

func TestServiceWithPrompt(t *testing.T) {
	t.Parallel()
	_, err := mcptool.NewService(prompter{})
	wantMistakes(t, registerError(t, nil, err), "review: []mcptool.Message: only prompts return []mcptool.Message; pass the func to RegisterPrompt or NewPrompt; exclude a method of a service with ExceptMethods")
}

func TestArgumentNamesOfRawSchema(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"type":"object","properties":{"uids[]":{"type":"array"},"":{},"id":{}}}`)
	_, err := mcptool.NewRaw("raw", schema, func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil })
	wantMistakes(t, registerError(t, nil, err), "raw: (uids[]): the Anthropic API", "raw: the Anthropic API")
}

type (
	orders    struct{}
	customers struct{}
)

func (orders) Get(context.Context, None) (None, error)             { return None{}, nil }
func (customers) Get(context.Context, None) (None, error)          { return None{}, nil }
func (customers) Quotient(context.Context, divideIn) (None, error) { return None{}, io.EOF }

func TestNamePrefix(t *testing.T) {
	t.Parallel()
	defineService := func(svc any, opts ...mcptool.ToolOption) mcptool.Tools {
		tools, err := mcptool.NewService(svc, opts...)
		if err != nil {
			t.Fatal(err)
		}
		return tools
	}
	var r mcptool.Registry
	if err := r.Add(defineService(orders{}, mcptool.NamePrefix("")), defineService(customers{}, mcptool.NamePrefix("customers_"))); err != nil {
		t.Fatal(err)
	}
	if got, want := names(r.Tools()), []string{"customers_get", "customers_quotient", "get"}; !slices.Equal(got, want) {
		t.Errorf("got the tools %v, want %v: the prefix also precedes a name in a tag, and an empty one changes nothing", got, want)
	}
	err := r.Add(defineService(orders{}))
	wantMistakes(t, registerError(t, nil, err), "by the method Get; give one of them another name, or all tools of one service a prefix with the option NamePrefix")

	echo := func(_ context.Context, args json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{Structured: args}, nil
	}
	raw, err := mcptool.NewRaw("echo", json.RawMessage(`{"type":"object","required":["a"]}`), echo, mcptool.NamePrefix("x."))
	if err != nil {
		t.Fatal(err)
	}
	_, err = raw.Call(t.Context(), nil)
	if wrong, ok := errors.AsType[*mcptool.ArgumentError](err); !ok || wrong.Tool != "x.echo" || raw.Info().Name != "x.echo" {
		t.Errorf("got the tool %s and the error %v, want both to have the name x.echo", raw.Info().Name, err)
	}
}

func TestNamePrefixMistakes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		opts []mcptool.ToolOption
		want string
	}{
		{"a character that names cannot contain", []mcptool.ToolOption{mcptool.NamePrefix("my/")}, `my/get: the name "my/get" contains '/' (from the func's name and the option NamePrefix)`},
		{"two prefixes", []mcptool.ToolOption{mcptool.NamePrefix("a_"), mcptool.NamePrefix("b_")}, `the option NamePrefix sets "a_", and the option NamePrefix sets "b_"; set it once`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := mcptool.NewService(orders{}, test.opts...)
			wantMistakes(t, registerError(t, nil, err), test.want)
		})
	}
}
