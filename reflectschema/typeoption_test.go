package reflectschema_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Types that are described only by options, except Mood, which is also registered.
type (
	Signal interface{ isSignal() }
	Ping   struct {
		Host string `json:"host" jsonschema:"minLength=1"`
	}
	Dial struct {
		Number int `json:"number"`
	}
	Mood   string
	Delay  time.Duration
	Report struct {
		Signals []Signal         `json:"signals"`
		Mood    Mood             `json:"grade"`
		Delay   Delay            `json:"delay"`
		Counts  map[Mood]int     `json:"counts"`
		Extra   any              `json:"extra,omitempty"`
		Nested  map[string][]any `json:"nested,omitempty"`
	}
)

func (Ping) isSignal()  {}
func (*Dial) isSignal() {}

var _ = reflectschema.Enum[Mood]("a", "b")

func delayCodec() reflectschema.TypeOption {
	return reflectschema.WithTypeCodec(`{"type":"string","pattern":"^[0-9]+m$"}`,
		func(d *Delay) ([]byte, error) {
			return fmt.Appendf(nil, `"%dm"`, time.Duration(*d)/time.Minute), nil
		},
		func(data []byte, d *Delay) error {
			var minutes int
			if _, err := fmt.Sscanf(string(data), `"%dm"`, &minutes); err != nil {
				return err
			}
			*d = Delay(time.Duration(minutes) * time.Minute)
			return nil
		})
}

// reports returns two types that describe Report differently.
func reports(t *testing.T, direction reflectschema.Direction) (first, second *reflectschema.Type) {
	t.Helper()
	compile := func(opts ...reflectschema.TypeOption) *reflectschema.Type {
		typ, err := reflectschema.CompileFor[Report](reflectschema.Options{Direction: direction, Types: opts})
		if err != nil {
			t.Fatal(err)
		}
		return typ
	}
	first = compile(
		reflectschema.WithUnion("kind", map[string]Signal{"ping": Ping{}, "dial": (*Dial)(nil)}),
		reflectschema.WithEnum[Mood]("good", "bad"), delayCodec())
	second = compile(
		reflectschema.WithUnion("type", map[string]Signal{"icmp": Ping{}}),
		reflectschema.WithTypeSchema[Delay](`{"type":"integer","minimum":0,"maximum":9}`))
	return first, second
}

func TestTypeOptions(t *testing.T) {
	t.Parallel()
	first, second := reports(t, reflectschema.DirectionOutput)
	value := Report{
		Signals: []Signal{Ping{"h"}}, Mood: "good", Delay: Delay(3 * time.Minute), Counts: map[Mood]int{"bad": 1},
		Extra: []Signal{&Dial{7}}, Nested: map[string][]any{"x": {Mood("good"), struct{ D Delay }{Delay(time.Minute)}}},
	}
	const written = `{"signals":[{"kind":"ping","host":"h"}],"grade":"good","delay":"3m","counts":{"bad":1},` +
		`"extra":[{"kind":"dial","number":7}],"nested":{"x":["good",{"D":"1m"}]}}`
	if got, err := first.AppendEncode(nil, reflect.ValueOf(value)); err != nil || string(got) != written {
		t.Errorf("first type: got %s, %v", got, err)
	}
	other := Report{Signals: []Signal{Ping{"h"}}, Mood: "a", Delay: 5, Extra: []Signal{Ping{"i"}}}
	const otherWritten = `{"signals":[{"type":"icmp","host":"h"}],"grade":"a","delay":5,"counts":{},"extra":[{"type":"icmp","host":"i"}]}`
	if got, err := second.AppendEncode(nil, reflect.ValueOf(other)); err != nil || string(got) != otherWritten {
		t.Errorf("second type: got %s, %v", got, err)
	}
	for name, unfit := range map[string]struct {
		typ   *reflectschema.Type
		value Report
	}{
		"a member of the first union":  {second, Report{Signals: []Signal{&Dial{7}}, Mood: "a"}},
		"a dynamic one":                {second, Report{Mood: "a", Extra: []Signal{&Dial{7}}}},
		"a value of the other enum":    {first, Report{Mood: "a"}},
		"beyond the registered schema": {second, Report{Mood: "a", Delay: 10}},
	} {
		if got, err := unfit.typ.AppendEncode(nil, reflect.ValueOf(unfit.value)); err == nil {
			t.Errorf("%s is encoded: %s", name, got)
		}
	}

	first, second = reports(t, reflectschema.DirectionInput)
	var in Report
	if err := first.Decode([]byte(`{"signals":[{"kind":"dial","number":1}],"grade":"bad","delay":"2m","counts":{}}`), reflect.ValueOf(&in).Elem()); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(Report{Signals: []Signal{&Dial{1}}, Mood: "bad", Delay: Delay(2 * time.Minute), Counts: map[Mood]int{}}, in); diff != "" {
		t.Error(diff)
	}
	if err := second.Decode([]byte(`{"signals":[{"kind":"dial","number":1}],"grade":"bad","delay":"2m","counts":{}}`), reflect.ValueOf(&in).Elem()); err == nil {
		t.Error("the second type accepts the JSON of the first")
	}

	// Outside of the options, Mood has only its own registration, also afterwards.
	global, err := reflectschema.CompileFor[Mood](reflectschema.Options{})
	if err != nil || string(global.Schema().JSON()) != `{"type":"string","enum":["a","b"]}` {
		t.Errorf("schema of Mood = %s, %v", global.Schema(), err)
	}
	if _, err := reflectschema.CompileFor[Report](reflectschema.Options{}); err == nil {
		t.Error("the interface is a union outside of the options")
	}
}

// TestTypeOptionsAgree is TestAgreement for a type described by options.
func TestTypeOptionsAgree(t *testing.T) {
	t.Parallel()
	first, second := reports(t, reflectschema.DirectionStored)
	rng := rand.New(rand.NewPCG(1, 2))
	g := generator{rng, reflectschema.DirectionStored}
	fit, refused := 0, 0
	for seed := range 300 {
		typ, v := first, Report{Mood: "good", Delay: Delay(time.Duration(rng.IntN(90)) * time.Minute), Counts: map[Mood]int{"bad": rng.IntN(9)}}
		members := []Signal{Ping{"host"}, &Dial{rng.IntN(9)}}
		if seed%2 == 1 {
			typ, v, members = second, Report{Mood: "b", Delay: Delay(rng.IntN(10)), Counts: map[Mood]int{"a": 1}}, members[:1]
		}
		for range rng.IntN(4) {
			v.Signals = append(v.Signals, members[rng.IntN(len(members))])
		}
		data := agrees(t, seed, typ, reflect.ValueOf(v))
		for range 20 {
			if decodesIfFits(t, seed, typ, reflect.TypeFor[Report](), g.mutate(data)) {
				fit++
			} else {
				refused++
			}
		}
	}
	if fit < 100 || refused < 100 {
		t.Errorf("%d mutants fit and %d do not: want more of both", fit, refused)
	}
}

func TestTypeOptionMistakes(t *testing.T) {
	t.Parallel()
	union := func(name string) reflectschema.TypeOption {
		return reflectschema.WithUnion(name, map[string]Signal{"ping": Ping{}})
	}
	tests := []struct {
		name   string
		opts   []reflectschema.TypeOption
		want   []string // expected in the errors, in this order
		reason string
	}{
		{"same twice", []reflectschema.TypeOption{union("kind"), union("kind")}, nil, "options can be shared and repeated"},
		{"different", []reflectschema.TypeOption{union("kind"), union("type")}, []string{"union at ", "typeoption_test.go:", "registered differently by Union at"}, "neither is more specific"},
		{"all at once", []reflectschema.TypeOption{
			union("kind"), reflectschema.WithEnum[Mood](), reflectschema.WithTypeSchema[Delay](`{"type":"strin"}`),
			reflectschema.WithTypeCodec[Dial](`{}`, nil, nil), reflectschema.WithUnion("", map[string]Signal{}), nil,
		}, []string{"Enum at ", "typeoption_test.go:", "TypeSchema at ", "TypeCodec at ", "the discriminator has no name", "it has no members", "the TypeOption is nil"}, "an author corrects them in one go"},
		{"of a compiled type", []reflectschema.TypeOption{union("kind"), reflectschema.WithTypeSchema[time.Month](`{"type":"integer","minimum":1}`)}, nil, "only registrations for the whole program can be late"},
	}
	if _, err := reflectschema.CompileFor[time.Month](reflectschema.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		_, err := reflectschema.CompileFor[[]Signal](reflectschema.Options{Types: test.opts})
		if (err == nil) != (test.want == nil) {
			t.Errorf("%s: got %v; %s", test.name, err, test.reason)
			continue
		}
		rest := fmt.Sprint(err)
		for _, want := range test.want {
			_, after, ok := strings.Cut(rest, want)
			if !ok {
				t.Errorf("%s: want %q in %q; %s", test.name, want, rest, test.reason)
			}
			rest = after
		}
	}
}

// Two tools take the same type in different forms.
func ExampleWithUnion() {
	for _, members := range []map[string]Target{
		{"disk": Disk{}, "bucket": Bucket{}},
		{"file": Disk{}},
	} {
		opts := reflectschema.Options{Types: []reflectschema.TypeOption{reflectschema.WithUnion("to", members)}}
		compiled, err := reflectschema.CompileFor[BackupIn](opts)
		if err != nil {
			fmt.Println(err)
			return
		}
		var schema struct {
			Properties struct{ Target json.RawMessage }
		}
		if err := json.Unmarshal(compiled.Schema().JSON(), &schema); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(strings.Count(string(schema.Properties.Target), `"const"`), "members")
	}
	// Output:
	// 2 members
	// 1 members
}

// TestTypesClosures: two codecs from the same func are different, although their code is the same.
func TestTypesClosures(t *testing.T) {
	t.Parallel()
	type money struct{ cents int }
	in := func(currency string) reflectschema.TypeOption {
		return reflectschema.WithTypeCodec(`{"type":"string"}`,
			func(m *money) ([]byte, error) { return fmt.Appendf(nil, `"%d %s"`, m.cents, currency), nil },
			func(data []byte, m *money) error {
				_, err := fmt.Sscanf(strings.Trim(string(data), `"`), "%d "+currency, &m.cents)
				return err
			})
	}
	compile := func(types ...reflectschema.TypeOption) error {
		_, err := reflectschema.CompileFor[struct{ M money }](reflectschema.Options{Types: types})
		return err
	}
	euro := in("EUR")
	if err := compile(euro, euro); err != nil {
		t.Error(err)
	}
	if err := compile(euro, in("USD")); err == nil {
		t.Error("got no mistake for two codecs of one type")
	}
}
