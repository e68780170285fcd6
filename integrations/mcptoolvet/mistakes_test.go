package mcptoolvet_test

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/tagcase"
)

// fieldTypes are the Go types that every keyword is tried on.
var fieldTypes = []string{
	"string", "int", "int8", "uint", "float64", "bool", "[]string", "[]float64", "[3]int", "[]Inner", "map[string]int", "map[string]Inner", "time.Time", "time.Duration",
	"*string", "**int", "any", "[]byte", "json.RawMessage", "json.Number", "Inner", "*Inner", "Unit", "Celsius", "Level", "JSON", "netip.Addr", "big.Int", "Box[Unit]", "Known", "[]Known", "*Known",
}

// keywords have a value that fits some type.
var keywords = []string{
	"title=T", "description=D", "enum=1", "enumTitle=One", "const=1", "default=1", "example=1", "minimum=1", "maximum=10", "exclusiveMinimum=1", "exclusiveMaximum=9",
	"multipleOf=2", "minLength=1", "maxLength=5", "pattern=^a", "format=email", "minItems=1", "maxItems=4", "uniqueItems", "contains=1", "contains=1,minContains=1",
	"contains=1,maxContains=2", "minProperties=1", "maxProperties=2", "required", "optional", "dependentRequired=F1", "nullable", "readOnly", "writeOnly", "deprecated",
	"additionalProperties=true", "x-mine=1", "type=string", "minimum=1,default=0", "minLength=9,maxLength=3", "minimum=9,maximum=3",
	"enum=const", "enum=const,default=b", "enum=const,default=c", "enum=const,enum=a", "enum=var,enum=const", "enum=const,enumTitle=A", "enum=const,minLength=2", "const=const",
}

// TestKeywordsTried tests that keywords has every keyword of the jsonschema tag, which are the fields of tagcase.
func TestKeywordsTried(t *testing.T) {
	t.Parallel()
	for field := range reflect.TypeFor[tagcase.Fields]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		tried := regexp.MustCompile(`(^|,)` + name + `($|[=,])`)
		if !slices.ContainsFunc(keywords, tried.MatchString) {
			t.Errorf("TestAgree does not try %s: add it with a value to keywords in integrations/mcptoolvet/mistakes_test.go", name)
		}
	}
}

// values are values of keywords that are wrong for most.
var values = []string{"abc", "-1", "1.5", "1e400", "", "01", "true", "(", "99999999999999999999", "null", "300"}

// toolTags are values of the mcp tag, most of them wrong.
var toolTags = []string{
	"name=n,readonly,tilte=T", "name=n,zzz=1", "name=n,,title=T,=x,", "", "name=n,title,description", "name=n,title=,description= ,task=,askFirst=",
	"name=n,scopes=a:read,b:write,c,rateLimit=100/m,burst=10,title=Hello, world", "name=n,readOnly destructive=false", "name=n,readOnly;title=x,timeout=3s;idempotent",
	"name=n,readOnly=yes,openWorld=", "name=n,title=T,title=T,readOnly,readOnly", `name=n,title=a\\b`, "name=n,readOnly,destructive", "name=a b", "name=,title=x",
	"name=n,timeout=5", "name=n,timeout=-1s", "name=n,rateLimit=x", "name=n,rateLimit=0/s", "name=n,concurrent=0", "name=n,concurrent=x", "name=n,uri=a://b", "name=n,size=3",
	"name=n,task=maybe", "name=n,durable", "name=n,scopes=", "name=n,group=a,group=b c,group=", "name=n,askFirst=Delete {nothing}?", "name=n,askFirst=Delete {A?", "name=" + strings.Repeat("n", 65),
}

// others are declarations and calls, with T for the name of the case.
var others = []struct{ decl, call string }{
	{"type T struct { A string `json:\"a,omitempty\" jsonschma:\"minLength=1\"`; B int `minimum:\"3\"`; C []string `enums:\"a,b\"`; D int `Json:\"d\"` }", "mcptool.New(fn[T, None])"},
	{"type T struct { A string `json:\"a,omitEmpty\"`; B int `json:\"b,omitempty,string,foo\"`; C string `json:\",string\"`; D []int `json:\"d,string\"`; E int `json:\"a\"`; F int `json:\"-,\"` }", "mcptool.New(fn[T, None])"},
	{"type T struct { a int `json:\"a\"`; b string `jsonschema:\"minLength=1\"`; C int `json:\"-\" jsonschema:\"minimum=1\"` }", "mcptool.New(fn[T, None])"},
	{"type T struct { C chan int; F func(); X complex64; U uintptr; E error; I Shape; M map[float64]int; N map[Inner]int; P map[*string]int }", "mcptool.New(fn[T, None])"},
	{"type T struct { C chan int `json:\"c\"`; D struct{ F func() `json:\"f\"` } `json:\"d\"`; L []struct { X int `jsonschema:\"minlength=1\"` } `json:\"l\"` }", "mcptool.New(fn[None, T])"},
	{"type T struct { U url.URL; N net.IPNet; S sql.NullString; M sync.Mutex; V reflect.Value; H net.HardwareAddr }", "mcptool.New(fn[T, None])"},
	{"type T struct { In Inner `json:\"in,omitempty\"`; At time.Time `json:\"at,omitempty\"`; A [2]int `json:\"a,omitempty\"`; P *Inner `json:\"p,omitempty\"`; R string `json:\"r,omitempty\" jsonschema:\"required\"` }", "mcptool.New(fn[None, T])"},
	{"type T struct { _ struct{} `jsonschema:\"minLength=1,additionalProperties=maybe\" doc:\"\"`; _ int `doc:\"D\"`; A int }", "mcptool.New(fn[T, None])"},
	{"type T struct { Next *T `json:\"next\" jsonschema:\"minItems=1\"`; All []T `json:\"all\" jsonschema:\"minItems=3,maxItems=1\"`; By map[string]T `json:\"by\" jsonschema:\"pattern=x\"` }", "mcptool.New(fn[T, None])"},
	{"type T struct { Inner `jsonschema:\"minLength=1\"`; Base `json:\"base\"`; hidden; X int `jsonschema:\"maximun=3\"` }", "mcptool.New(fn[T, None])"},
	{"type T struct { Base; Same; ID2 int `json:\"ID\"` }", "mcptool.New(fn[T, None])"},
	{"type T struct { *hidden; A int }", "mcptool.New(fn[T, None])"},
	{"type T struct { Stamp; Room string }", "mcptool.New(fn[T, None])"},
	{"type T struct { H Half; O OnlyText; K map[OnlyText]int }", "mcptool.New(fn[T, None])"},
	{"type T struct { L []string `json:\"l\" mcp:\"truncat\"`; N int `json:\"n\" mcp:\"truncate\"`; E []int `json:\"e\" jsonschema:\"minItems=2,maxItems=2\" mcp:\"truncate\"`; T []int `json:\"t\" mcp:\"title=x\"` }", "mcptool.New(fn[None, T])"},
	{"type T struct { L []string `json:\"l\" mcp:\"truncate\"` }", "mcptool.New(fn[T, None])"},
	{"type T struct { _ struct{} `mcp:\"title=T\"` }", "mcptool.New(fn[None, *T])"},
	{"type T struct { In struct { _ struct{} `mcp:\"title=T\"`; A int } `json:\"in\"` }", "mcptool.New(fn[T, None])"},
	{"type T int", "mcptool.New(fn[T, None])"},
	{"type T []Inner", "mcptool.New(fn[T, None])"},
	{"type T map[int]string", "mcptool.New(fn[T, None])"},
	{"", "mcptool.New(fn[any, None])"},
	{"", "mcptool.New(fn[**Inner, None])"},
	{"", "mcptool.New(fn[Inner, mcptool.Result])"},
	{"", "mcptool.New(fn[Inner, **Inner])"},
	{"", "mcptool.New(fn[Inner, error])"},
	{"", "mcptool.New(fn[Inner, mcptool.Message])"},
	{"", "mcptool.New(fn[Inner, []mcptool.ResourceContents])"},
	{"", "mcptool.New(fn[Inner, *mcptool.Content])"},
	{"", "mcptool.New(fn[Inner, mcptool.Text], mcptool.OutputType[Inner]())"},
	{"", "mcptool.New(fn[Inner, *mcptool.Result], mcptool.OutputType[map[float64]int]())"},
	{"type T chan int", "mcptool.New(fn[Inner, T])"},
	{"", "mcptool.New(func(context.Context, Inner) (None, error) { return None{}, nil })"},
	{"", `mcptool.New(fn[Inner, None], mcptool.Name("a b"), mcptool.Title(""), mcptool.ReadOnly(true), mcptool.Destructive(true))`},
	{"type T struct { _ struct{} `mcp:\"name=n,title=T,readOnly\"` }", `mcptool.New(fn[T, None], mcptool.Name("m"), mcptool.ReadOnly(false), mcptool.Title("T"))`},
	{"", `mcptool.New(fn[Inner, None], mcptool.Timeout(-time.Second), mcptool.Concurrent(-1), mcptool.Scopes("a b"), mcptool.Group("a b", "c"), mcptool.ExceptMethods("X"))`},
	{"type T struct{ A string }", "mcptool.New(fn[T, None], mcptool.InputSchema(json.RawMessage(`{\"type\":\"object\",\"properties\":{\"b\":{}}}`)))"},
	{"type T struct{ A string }", "mcptool.New(fn[T, None], mcptool.InputSchema(json.RawMessage(`{\"type\":\"object\",\"propertes\":{}}`)), mcptool.OutputSchema(json.RawMessage(`[]`)))"},
	{"", `mcptool.New(fn[Inner, None], mcptool.AskFirst("Delete {nothing}?"), mcptool.Task(mcptool.TaskSupportRequired), mcptool.TaskTTL(-1))`},
	{"type T struct { A []string `json:\"a\"`; B Inner `json:\"b\"`; C map[string]int `json:\"c\"`; D int `json:\"d\" jsonschema:\"minLength=1\"` }", "mcptool.NewPrompt(fn[T, string])"},
	{"", "mcptool.NewPrompt(fn[Inner, int])"},
	{"type T struct { _ struct{} `mcp:\"readOnly,uri=x\"`; A int `json:\"a\"` }", "mcptool.NewPrompt(fn[T, mcptool.Message])"},
	{"type T struct { _ struct{} `mcp:\"uri=a://{id}/{b,size=x,priority=3,audience=me\"`; ID int `json:\"id\"` }", "mcptool.NewResource(fn[T, string])"},
	{"type T struct { _ struct{} `mcp:\"uri=a://{id}/{other},mimeType=x\"`; ID []int `json:\"id\"`; More string `json:\"more\"` }", "mcptool.NewResource(fn[T, []byte])"},
	{"type T struct { ID int `json:\"id\"` }", "mcptool.NewResource(fn[T, Inner])"},
	{"", `mcptool.NewResource(fn[None, chan int], mcptool.URI("a://b"), mcptool.Size(-1), mcptool.Priority(2), mcptool.Audience("me"))`},
	{"type T struct{}\nfunc (T) Fine(context.Context, Inner) (None, error) { panic(0) }\nfunc (T) NoIn(context.Context) error { panic(0) }\nfunc (T) Ping(context.Context) error { panic(0) }\nfunc (*T) Pointer(context.Context, Inner) (None, error) { panic(0) }\nfunc (T) Bad(context.Context, struct { A chan int }) (None, error) { panic(0) }\nfunc (T) Many(context.Context, int, ...string) (int, None, error) { panic(0) }", `mcptool.NewService(T{}, mcptool.ExceptMethods("Fin"))`},
	{"type T struct{}\nfunc (*T) Late(a Inner, ctx context.Context) {}\nfunc (*T) Other() int { return 0 }", "mcptool.NewService(&T{})"},
	{"type T struct{}\nfunc (T) Get(context.Context, Inner) (None, error) { panic(0) }", `mcptool.NewService(T{}, mcptool.NamePrefix("a/"), mcptool.Scopes("a b"), mcptool.Scopes("c"))`},
	{"type T struct { In Inner `json:\"in\"`; L []int `json:\"l\"`; F string `json:\"f\" jsonschema:\"pattern=^a\"`; S string `json:\"s\" jsonschema:\"format=uuid\"` }", "nil, form[T](mcptool.ElicitPart(new(T), `q`))"},
	{"type T struct { _ struct{} `mcp:\"name=n\"`; A string `json:\"a\" jsonschema:\"minimun=1\"` }", "nil, form[T](mcptool.ElicitPart(new(T), `q`))"},
}

// mistakesHead is the part of the program before the cases. It prints the mistakes that registration finds in each case.
const mistakesHead = `package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math/big"
	"net"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/doccomment"
)

type generatedComments [][2]string

var _ = doccomment.Register(generatedComments{
	{"#Known", "Has two registered constants."},
	{"#Known=a", ""},
	{"#Known=b", "The second."},
	{"time#Duration=x", "Not of strings."},
})

func main() {
	results := make([][]mcptool.Mistake, len(calls))
	for i, call := range calls {
		err := call()
		if refused, ok := errors.AsType[*mcptool.RegisterError](err); ok {
			results[i] = refused.Mistakes
			continue
		}
		for _, e := range reflectschema.Internal(private.Key{}).TypeMistakes(err) {
			results[i] = append(results[i], mcptool.Mistake{Type: e.Type, Field: e.Field, Path: e.Path, Tag: e.Tag, Reason: e.Reason, Fix: e.Fix})
		}
	}
	json.NewEncoder(os.Stdout).Encode(results)
}

type (
	None    struct{}
	Inner   struct{ A string }
	Base    struct{ ID string }
	Same    struct{ ID string }
	hidden  struct{ H int }
	Stamp   struct{ time.Time }
	Unit    string
	Known   string
	Celsius float64
	Shape   interface{ Area() float64 }
	Box[T any] struct{ Held T }
	Level   int
	JSON    struct{ x int }
	Half    struct{ x int }
	OnlyText struct{ x int }
)

const (
	KnownA Known = "a"
	KnownB Known = "b"
	KnownC Known = "c" // the file is out of date
	UnitM  Unit  = "m" // not registered
)

func (Level) MarshalText() ([]byte, error)         { return nil, nil }
func (*Level) UnmarshalText([]byte) error          { return nil }
func (JSON) MarshalJSON() ([]byte, error)          { return nil, nil }
func (*JSON) UnmarshalJSON([]byte) error           { return nil }
func (Half) MarshalJSON() ([]byte, error)          { return nil, nil }
func (OnlyText) MarshalText() ([]byte, error)      { return nil, nil }

func fn[In, Out any](context.Context, In) (out Out, err error) { return out, nil }

func form[T any](part mcptool.AskPart) error { return mcptool.AskAll(context.Background(), part) }

var (
	_ sql.NullString
	_ json.Number
	_ big.Int
	_ net.IP
	_ netip.Addr
	_ url.URL
	_ reflect.Value
	_ sync.Mutex
)
`

// mistakesSource returns the source of a program with all cases. Each begins with a comment.
func mistakesSource(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(mistakesHead)
	n := 0
	add := func(decl, call string) {
		n++
		name := fmt.Sprintf("T%d", n)
		rename := regexp.MustCompile(`\bT\b`).ReplaceAllStringFunc
		to := func(string) string { return name }
		result := "_, err := " + rename(call, to) + "\n\treturn err"
		if only, ok := strings.CutPrefix(call, "nil, "); ok {
			result = "return " + rename(only, to)
		}
		// The analyzer knows that all types are the author's own, and registration knows it from a tag.
		if !strings.Contains(decl, "_ struct{}") {
			decl = strings.Replace(decl, "type T struct {", "type T struct { _ struct{} `doc:\"D\"`; ", 1)
		}
		// Replace the name only after type or func, and in a pointer or a receiver, not in a field or a text.
		decl = regexp.MustCompile(`(?m)(type |\*|\[\]|string\]|^func \(\*?)T\b`).ReplaceAllString(decl, "${1}"+name)
		fmt.Fprintf(&b, "\n// Case %d.\n%s\n\nfunc call%d() error {\n\t%s\n}\n", n, decl, n, result)
	}
	fields := func(tag func(i int) string, types ...string) string {
		var s strings.Builder
		s.WriteString("type T struct {\n")
		for i, fieldType := range types {
			fmt.Fprintf(&s, "F%d %s `%s`\n", i, fieldType, tag(i))
		}
		return s.String() + "}"
	}
	both := func(decl string) {
		add(decl, "mcptool.New(fn[T, None])")
		add(decl, "mcptool.New(fn[None, T])")
	}
	for _, k := range keywords {
		both(fields(func(int) string { return `jsonschema:"` + k + `"` }, fieldTypes...))
	}
	for _, k := range keywords {
		name, _, _ := strings.Cut(k, "=")
		wrong := make([]string, len(values))
		for _, fieldType := range []string{"string", "int", "[]float64"} {
			for i := range values {
				wrong[i] = fieldType
			}
			add(fields(func(i int) string { return `jsonschema:"` + name + "=" + values[i] + `"` }, wrong...), "mcptool.New(fn[T, None])")
		}
		add(fields(func(i int) string {
			slips := []string{name[:len(name)-1], strings.ToUpper(name[:1]) + name[1:], name + "s", " " + name, name[1:]}
			return `jsonschema:"` + slips[i] + `=1" doc:"D"`
		}, "string", "int", "string", "int", "[]string"), "mcptool.New(fn[T, None])")
	}
	for _, tag := range toolTags {
		add("type T struct { _ struct{} `mcp:\""+tag+"\"`; A string `json:\"a\"` }", "mcptool.New(fn[T, None])")
	}
	for _, tag := range goldenTags(t) {
		both("type T struct { F " + tag + " }")
	}
	for _, o := range others {
		add(o.decl, o.call)
	}
	b.WriteString("\nvar calls = []func() error{")
	for i := range n {
		fmt.Fprintf(&b, "call%d, ", i+1)
	}
	return b.String() + "}\n"
}

// goldenTags returns the fields in the golden file of package reflectschema, as type and tag, whose types are known here.
func goldenTags(t *testing.T) (fields []string) {
	t.Helper()
	text, err := os.ReadFile("../../reflectschema/testdata/tags.golden")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		field, ok := strings.CutPrefix(strings.TrimSpace(line), "<<< ")
		if ok && !strings.Contains(field, "reflectschema_test.") && strings.Count(field, "`") == 2 {
			fields = append(fields, field)
		}
	}
	return fields
}
