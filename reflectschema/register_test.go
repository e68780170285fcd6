package reflectschema_test

import (
	"database/sql"
	"encoding/json"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/reflectschema"
)

type (
	foreignText    string
	foreignInt     int
	foreignByte    uint8
	foreignStruct  struct{ X int }
	foreignPointer *foreignStruct
	foreignList    []int
	describing     string
	foreignOnce    string
	foreignLate    string
	foreignMany    string
)

func (describing) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }

func init() {
	reflectschema.RegisterSchema[foreignOnce](`{"type":"string","minLength":3}`)
}

// registrationPanic returns the mistakes with which a registration panics, without their locations, which are checked;
// "" if it does not panic.
func registrationPanic(t *testing.T, call func()) (text string) {
	t.Helper()
	defer func() {
		switch errs := recover().(type) {
		case nil:
		case reflectschema.TypeErrors:
			mistakes := reflectschema.TypeMistakes(errs)
			for i, err := range mistakes {
				place, reason, ok := strings.Cut(err.Reason, ": ")
				if !ok || !strings.Contains(place, "_test.go:") {
					t.Errorf("%q does not start with the location", err.Reason)
				}
				mistakes[i].Reason = reason
			}
			text = reflectschema.TypeErrorsOf(mistakes).Error()
		default:
			t.Errorf("panic with %v", errs)
		}
	}()
	call()
	return ""
}

// TestRegistrationMistakes checks the error text of every invalid registration.
func TestRegistrationMistakes(t *testing.T) {
	t.Parallel()
	write := func(*foreignStruct) ([]byte, error) { return nil, nil }
	for _, tt := range []struct {
		name string
		call func()
		want []string
	}{
		{"predeclared", func() { reflectschema.RegisterSchema[string](`{"type":"string"}`) }, []string{"string: it is not a defined type, so the schema would also apply to unrelated values; declare a type"}},
		{"pointer", func() { reflectschema.RegisterSchema[*foreignText](`{"type":"string"}`) }, []string{"a pointer is encoded as null or as the value it points to, so its registration would have no effect; register the type that it points at"}},
		{"codec of a defined pointer", func() {
			reflectschema.RegisterCodec(`{"type":"string"}`, func(*foreignPointer) ([]byte, error) { return nil, nil }, func([]byte, *foreignPointer) error { return nil })
		}, []string{"foreignPointer: a pointer is encoded as null or as the value it points to"}},
		{"interface", func() { reflectschema.RegisterSchema[error](`{"type":"string"}`) }, []string{"error: a schema alone does not determine how an interface is written and read; register the types that it holds, list them with reflectschema.RegisterUnion, or use reflectschema.RegisterJSON for results, or reflectschema.RegisterCodec"}},
		{"own method", func() { reflectschema.RegisterSchema[describing](`{"type":"string"}`) }, []string{"it describes itself, by a JSONSchema or JSONSchemaExtend method"}},
		{"not JSON", func() { reflectschema.RegisterSchema[foreignText](`{"type":`) }, []string{"is not valid JSON"}},
		{"not a schema", func() { reflectschema.RegisterSchema[foreignText](`{"type":"text"}`) }, []string{"schema: type:"}},
		{"not an object", func() { reflectschema.RegisterSchema[foreignText](`true`) }, []string{"must be an object, got true"}},
		{"references", func() {
			reflectschema.RegisterSchema[foreignText](`{"type":"string","anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{}},"default":"x"}`)
		}, []string{
			"$defs is not allowed in a schema that is embedded in others; write the schema inline",
			"anyOf[0].$ref is not allowed in a schema",
			"default would have no effect; write default=… in the tag of a field",
		}},
		{"redundant keywords", func() {
			reflectschema.RegisterSchema[foreignText](`{"type":"string","minLenth":3,"minLength":5,"maxLength":2,"examples":[7]}`)
		}, []string{
			`/minLenth: unknown keyword "minLenth", which is similar to minLength: JSON Schema ignores unknown keywords and formats`,
			"/maxLength: no string meets minLength 5 and maxLength 2",
			"/examples: examples 7: must be a string, got the number 7",
		}},
		{"redundant keywords, with functions", func() {
			reflectschema.RegisterCodec(`{"type":"object","propertys":{"x":{"type":"integer","default":"a"}},"requird":["x"]}`, write, func([]byte, *foreignStruct) error { return nil })
		}, []string{`which is similar to properties`, `which is similar to required`}},
		{"values inside", func() {
			reflectschema.RegisterCodec(`{"type":"object","properties":{"x":{"type":"integer","default":"a"}}}`, write, func([]byte, *foreignStruct) error { return nil })
		}, []string{`/properties/x/default: default "a": must be an integer`}},
		{"another type", func() { reflectschema.RegisterSchema[foreignInt](`{"type":"string"}`) }, []string{`foreignInt is of the JSON type "integer", and the schema has the type "string"; write "type":"integer", or use reflectschema.RegisterCodec`}},
		{"out of range", func() { reflectschema.RegisterSchema[foreignByte](`{"type":"integer","maximum":256}`) }, []string{"maximum: reflectschema_test.foreignByte cannot hold 256; stay within 0 and 255"}},
		{"no type", func() { reflectschema.RegisterSchema[foreignText](`{"minLength":1}`) }, []string{"and the schema has no type; write"}},
		{"list of types", func() { reflectschema.RegisterSchema[foreignText](`{"type":["string","null"]}`) }, []string{`foreignText is of the JSON type "string", and the schema has the type ["string","null"]; write "type":"string"`}},
		{"list of one type", func() { reflectschema.RegisterSchema[foreignInt](`{"type":["integer"]}`) }, []string{`and the schema has the type ["integer"]; write "type":"integer"`}},
		{"text methods", func() { reflectschema.RegisterSchema[netip.Addr](`{"type":"object"}`) }, []string{`netip.Addr is of the JSON type "string"`}},
		{"struct", func() { reflectschema.RegisterSchema[foreignStruct](`{"type":"object"}`) }, []string{"a schema alone does not change the encoding of reflectschema_test.foreignStruct"}},
		{"list", func() { reflectschema.RegisterSchema[foreignList](`{"type":"array"}`) }, []string{"with reflectschema.RegisterCodec"}},
		{"refused type", func() { reflectschema.RegisterSchema[url.URL](`{"type":"string"}`) }, []string{"with reflectschema.RegisterCodec"}},
		{"nil func", func() { reflectschema.RegisterCodec(`{"type":"object"}`, write, nil) }, []string{"a function is nil"}},
		{"registered before", func() { reflectschema.RegisterSchema[foreignOnce](`{"type":"string","minLength":4}`) }, []string{"it was registered differently by RegisterSchema at "}},
		{"by another function", func() { reflectschema.RegisterEnum[foreignOnce]("abc") }, []string{"it was registered differently"}},
		{"the same again", func() { reflectschema.RegisterSchema[foreignOnce](`{ "type":"string", "minLength":3 }`) }, nil},
		{"no values", func() { reflectschema.RegisterEnum[foreignText]() }, []string{"it has no values; list them"}},
		{"twice", func() { reflectschema.RegisterEnum[foreignText]("a", "a") }, []string{`the value "a" is listed twice; keep one`}},
		{"enum of a predeclared type", func() { reflectschema.RegisterEnum("a", "b") }, []string{"it is not a defined type"}},
		{"cannot be written", func() { reflectschema.RegisterEnum[Level](1, 7) }, []string{"the value", "cannot be encoded"}},
	} {
		got := registrationPanic(t, tt.call)
		if tt.want == nil && got != "" {
			t.Errorf("%s: panicked: %s", tt.name, got)
		}
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: got\n%s\nwant %q", tt.name, got, want)
			}
		}
	}
}

// TestRegisterEmbedded checks that a registered struct is not silently flattened.
func TestRegisterEmbedded(t *testing.T) {
	t.Parallel()
	type outer struct {
		_ struct{} `doc:"Three structs"`
		Pair2
		sql.NullInt64
		*url.URL
	}
	got := answer(reflect.TypeFor[outer](), reflectschema.DirectionInput)
	for _, want := range []string{
		"the fields of reflectschema_test.Pair2 would become fields of the outer struct",
		`encoding/json writes sql.NullInt64 as an object {"Int64":…,"Valid":…}`,
		"encoding/json writes url.URL as an object of its eleven fields",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %q", got, want)
		}
	}
}

type (
	shaped      interface{ isShaped() }
	shapedCodec struct{ X int }
)

func (shapedCodec) isShaped() {}

func init() {
	reflectschema.RegisterUnion("kind", map[string]shaped{"codec": shapedCodec{}})
	reflectschema.RegisterCodec(`{"type":"object"}`,
		func(*shapedCodec) ([]byte, error) { return []byte("{}"), nil }, func([]byte, *shapedCodec) error { return nil })
}

// TestRegisterMember checks that a union member with registered functions is not dropped.
func TestRegisterMember(t *testing.T) {
	t.Parallel()
	const want = "what is registered for reflectschema_test.shapedCodec, a member of reflectschema_test.shaped, does not include the discriminator"
	if got := answer(reflect.TypeFor[[]shaped](), reflectschema.DirectionInput); !strings.Contains(got, want) {
		t.Errorf("got %s", got)
	}
}

type foreignVariable string

var (
	// It uses the type before the init function below registers it.
	variableAnswer = answer(reflect.TypeFor[struct{ V foreignVariable }](), reflectschema.DirectionInput)
	variablePanic  any
)

func init() {
	defer func() { variablePanic = recover() }()
	reflectschema.RegisterEnum[foreignVariable]("a")
}

// TestRegisterAfterVariables checks the panic of a registration in an init function of a type that a variable of the
// package uses.
func TestRegisterAfterVariables(t *testing.T) {
	t.Parallel()
	if !strings.Contains(variableAnswer, `"V":{"type":"string"}`) {
		t.Errorf("the schema is %s", variableAnswer)
	}
	err, _ := variablePanic.(reflectschema.TypeErrors)
	if len(err) != 1 || !strings.Contains(err[0].Error(), "the variables of a package are initialized before its init functions") {
		t.Errorf("got %v", variablePanic)
	}
}

// TestRegisterLate checks that a registration after the first use is an error, and that concurrent equal registrations
// are allowed.
func TestRegisterLate(t *testing.T) {
	t.Parallel()
	if answer(reflect.TypeFor[map[foreignLate]int](), reflectschema.DirectionInput) == "" {
		t.Fatal("no schema")
	}
	got := registrationPanic(t, func() { reflectschema.RegisterEnum[foreignLate]("a") })
	if !strings.Contains(got, "the type has been compiled already, without it; register it before the first use, in an init function or in main; the variables of a package are initialized before its init functions") {
		t.Errorf("got %q", got)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			reflectschema.RegisterEnum[foreignMany]("a", "b")
			if got := answer(reflect.TypeFor[[]foreignMany](), reflectschema.DirectionInput); !strings.Contains(got, `"enum":["a","b"]`) {
				t.Errorf("schema %s", got)
			}
		})
	}
	wg.Wait()
}

// inChild is the environment variable that marks the child process of a test. Registrations are shared by all tests of
// a process.
const inChild = "REFLECTSCHEMA_TEST_CHILD"

// TestRegisterDuration checks that types with built-in support can be registered.
func TestRegisterDuration(t *testing.T) {
	t.Parallel()
	if os.Getenv(inChild) == "" {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRegisterDuration$")
		child.Env = append(os.Environ(), inChild+"=1")
		if out, err := child.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	reflectschema.RegisterCodec(`{"type":"string","examples":["1h30m"]}`,
		func(d *time.Duration) ([]byte, error) { return json.Marshal(d.String()) },
		func(data []byte, d *time.Duration) (err error) {
			var text string
			if err := json.Unmarshal(data, &text); err != nil {
				return err
			}
			*d, err = time.ParseDuration(text)
			return err
		})
	reflectschema.RegisterSchema[time.Time](`{"type":"string","format":"date-time","description":"UTC"}`)
	type input struct {
		Wait time.Duration `json:"wait" jsonschema:"default=90s,maxLength=9"`
		When *time.Time    `json:"when,omitempty"`
	}
	const schema = `{"type":"object","properties":{"wait":{"type":"string","maxLength":9,"default":"90s","examples":["1h30m"]},` +
		`"when":{"description":"UTC","type":"string","format":"date-time"}},"additionalProperties":false}`
	if got := answer(reflect.TypeFor[input](), reflectschema.DirectionInput); got != schema {
		t.Errorf("got %s", got)
	}
	if got, err := decode[input](t, `{}`); err != nil || got.Wait != 90*time.Second {
		t.Errorf("got %+v, error %v", got, err)
	}
	if got, err := decode[input](t, `{"wait":"1h30m","when":"2026-01-31T09:30:00Z"}`); err != nil || got.Wait != 90*time.Minute || got.When == nil {
		t.Errorf("got %+v, error %v", got, err)
	}
	if _, err := decode[input](t, `{"wait":90}`); err == nil || !strings.Contains(err.Error(), "wait: must be a string, got the number 90") {
		t.Errorf("error is %v", err)
	}
}
