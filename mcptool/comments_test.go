package mcptool_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema/doccomment"
)

type generatedComments [][2]string

var _ = doccomment.Register(generatedComments{
	{"#commentedFunc", "Of a func."},
	{"#commentedGeneric", "Of a generic func."},
	{"#commentedService.Value", "Of a method."},
	{"#commentedService.Pointer", "Of a method with a pointer receiver."},
	{"#commentedBox.Open", "Of a method of a generic type."},
	{"#commentedTag", "Unused."},
	{"#TestFuncComments", "Unused."},
})

type taggedIn struct {
	_ struct{} `doc:"Of the tag."`
}

func commentedFunc(context.Context, struct{}) (string, error)      { return "", nil }
func commentedGeneric[T any](context.Context, struct{}) (T, error) { return *new(T), nil }
func commentedTag(context.Context, taggedIn) (string, error)       { return "", nil }

type commentedService struct{} //nolint:recvcheck // the comments of both are found

func (commentedService) Value(context.Context, struct{}) (string, error)    { return "", nil }
func (*commentedService) Pointer(context.Context, struct{}) (string, error) { return "", nil }

type commentedBox[T any] struct{}

func (*commentedBox[T]) Open(context.Context, struct{}) (string, error) { return "", nil }

// TestFuncComments: the description of a tool is the comment of its func, unless an option or a tag sets one.
func TestFuncComments(t *testing.T) {
	t.Parallel()
	must := func(tool *mcptool.Tool, err error) *mcptool.Tool {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return tool
	}
	literal := func(context.Context, struct{}) (string, error) { return "", nil }
	for _, test := range []struct {
		tool         *mcptool.Tool
		want, reason string
	}{
		{must(mcptool.New(commentedFunc)), "Of a func.", "a func"},
		{must(mcptool.New(commentedGeneric[string])), "Of a generic func.", "an instance has the comment of the generic func"},
		{must(mcptool.New(commentedService{}.Value)), "Of a method.", "a method value"},
		{must(mcptool.New(new(commentedService).Pointer)), "Of a method with a pointer receiver.", "a method value"},
		{must(mcptool.New(new(commentedBox[string]).Open)), "Of a method of a generic type.", "a method value"},
		{must(mcptool.New(literal, mcptool.Name("literal"))), "", "a literal has no comment, and not the one of the func that contains it"},
		{must(mcptool.New(commentedTag)), "Of the tag.", "the tag takes precedence"},
		{must(mcptool.New(commentedFunc, mcptool.Description("Of the option."))), "Of the option.", "the option takes precedence"},
	} {
		if got := test.tool.Info().Description; got != test.want {
			t.Errorf("%s: got %q, want %q; %s", test.tool.Info().Name, got, test.want, test.reason)
		}
	}
	for _, service := range []any{new(commentedService), new(commentedBox[string])} {
		tools, err := mcptool.NewService(service)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools {
			if tool.Info().Description == "" {
				t.Errorf("%s of a service has no description", tool.Info().Name)
			}
		}
	}
	prompt, err := mcptool.NewPrompt(commentedFunc)
	if err != nil || prompt.Info().Description != "Of a func." {
		t.Errorf("got the prompt %v, %v", prompt.Info(), err)
	}
	resource, err := mcptool.NewResource(commentedFunc, mcptool.URI("test://commented"))
	if err != nil || resource.Info().Description != "Of a func." {
		t.Errorf("got the resource %v, %v", resource.Info(), err)
	}
}

func lateFunc(context.Context, struct{}) (string, error) { return "", nil }

type lateService struct{}

func (lateService) Late(context.Context, struct{}) (string, error) { return "", nil }

// TestFuncCommentsLate: registering comments after their funcs became tools is an error, as the descriptions would lack
// them.
func TestFuncCommentsLate(t *testing.T) {
	t.Parallel()
	if _, err := mcptool.New(lateFunc); err != nil {
		t.Fatal(err)
	}
	if _, err := mcptool.NewService(lateService{}); err != nil {
		t.Fatal(err)
	}
	doccomment.Register(generatedComments{{"#lateFunc", ""}, {"#lateService", "Unused."}}) // no description lacks one
	for name, want := range map[string]string{"lateFunc": "mcptool_test.lateFunc: ", "lateService.Late": "mcptool_test.lateService.Late: "} {
		func() {
			defer func() {
				err, _ := recover().(error)
				if want += "its comments are registered after its first use"; err == nil || !strings.HasPrefix(err.Error(), want) {
					t.Errorf("%s: got the panic %v, want %s", name, err, want)
				}
			}()
			doccomment.Register(generatedComments{{"#" + name, "Late."}})
		}()
	}
}
