package reflectschema_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// TestSharedDefinitions checks that a type whose schema would be too large has definitions, deterministically, and that
// values are decoded and encoded as before.
func TestSharedDefinitions(t *testing.T) {
	t.Parallel()
	for _, direction := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput} {
		typ := compile[k8sCluster](t, direction)
		raw := typ.Schema().JSON()
		if len(raw) > 20_000 {
			t.Errorf("schema of %d bytes", len(raw))
		}
		for _, want := range []string{
			`"main":{"description":"The pod that matters","$ref":"#/$defs/k8sPod"}`,
			`"containers":{"type":"array","items":{"$ref":"#/$defs/k8sContainer"},"minItems":1}`,
			`"k8sPod":{"type":"object"`,
		} {
			if direction == reflectschema.DirectionInput && strings.Count(string(raw), want) != 1 {
				t.Errorf("want %s once in %s", want, raw)
			}
		}
		for _, once := range []string{"k8sCluster", "k8sAffinity\":{", "k8sVolume\":{"} {
			if strings.Contains(string(raw), once) {
				t.Errorf("%s is used once, but has a definition", once)
			}
		}
		if _, err := reflectschema.ParseSchema(raw); err != nil {
			t.Error(err)
		}
		if err := typ.Agrees(typ.Schema()); err != nil {
			t.Errorf("the schema disagrees with its own type: %v", err)
		}
		if legacy := string(typ.Schema().Legacy()); legacy != string(raw) {
			t.Error("Legacy differs from JSON")
		}
	}
	first := compile[k8sCluster](t, reflectschema.DirectionInput).Schema().JSON()
	again, err := reflectschema.Compile(reflect.TypeFor[*k8sCluster](), reflectschema.DirectionInput) // not from the cache
	if err != nil || string(again.Schema().JSON()) != string(first) {
		t.Errorf("the second document differs: %v", err)
	}
}

// TestSharedDefinitionsDecode decodes values of a type with shared definitions.
func TestSharedDefinitionsDecode(t *testing.T) {
	t.Parallel()
	const pod = `{"metadata":{"name":"p"},"containers":[{"name":"c","env":[{"name":"E","valueFrom":{"secretKeyRef":{"key":"k"}}}]}]}`
	got, err := decode[k8sCluster](t, `{"metadata":{"name":"c"},"main":`+pod+`,"deployments":[{"metadata":{"name":"d"},"template":`+pod+`}]}`)
	if err != nil {
		t.Fatal(err)
	}
	source := got.Deployments[0].Template.Containers[0].Env[0].ValueFrom
	if got.Main.Meta.Namespace != "default" || *source.Secret != (k8sKeyRef{Name: "main", Key: "k"}) {
		t.Errorf("decoded %+v, %+v without the defaults", got.Main.Meta, source.Secret)
	}
	_, err = decode[k8sCluster](t, strings.Replace(`{"metadata":{"name":"c"},"main":`+pod+`}`, `"key":"k"`, `"kye":"k"`, 1))
	if err == nil || !strings.Contains(err.Error(), `main.containers[0].env[0].valueFrom.secretKeyRef.kye: is not a known property; did you mean "key"?`) {
		t.Errorf("misspelled name in a nested struct: got error %v", err)
	}
}

// Types with unions that double with each level.
type (
	s0 struct {
		Target Target    `json:"target"`
		Next   *s0       `json:"next,omitempty"`
		Count  keyMonth  `json:"count,string"`
		Pair   [2]string `json:"pair"`
	}
	s1 struct{ A, B []s0 }
	s2 struct{ A, B map[string]s1 }
	s3 struct{ A, B, C *s2 }
	s4 struct {
		A, B s3
		C, D []s3
	}
	s5 struct{ A, B, C []s4 }
)

// TestSharedDefinitionsAgree is TestAgreement for types with shared definitions.
func TestSharedDefinitionsAgree(t *testing.T) {
	t.Parallel()
	goType := reflect.TypeFor[d12]()
	fit, refused := 0, 0
	for _, direction := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput} {
		typ := compile[d12](t, direction)
		if n := len(typ.Schema().JSON()); n > 5000 {
			t.Errorf("schema of %d bytes", n)
		}
		g := generator{rand.New(rand.NewPCG(1, 9)), direction}
		for seed := range 50 {
			v := reflect.New(goType).Elem()
			g.fill(v, 12, true)
			data := agrees(t, seed, typ, v)
			for range 10 {
				if decodesIfFits(t, seed, typ, goType, g.mutate(data)) {
					fit++
				} else {
					refused++
				}
			}
		}
	}
	if fit < 20 || refused < 100 {
		t.Errorf("%d mutants fit and %d do not", fit, refused)
	}
}

// TestSharedDefinitionsSamples checks that samples of a schema with shared definitions are decoded exactly if they fit.
func TestSharedDefinitionsSamples(t *testing.T) {
	t.Parallel()
	for _, goType := range []reflect.Type{reflect.TypeFor[k8sCluster](), reflect.TypeFor[s5]()} {
		typ, err := reflectschema.Compile(goType, reflectschema.DirectionInput)
		if err != nil {
			t.Fatal(err)
		}
		if samples.Example(typ.Schema()) == nil {
			t.Errorf("%s: no example", goType)
		}
		fit, misfit := 0, 0
		for _, s := range samples.Of(typ.Schema()) {
			err := typ.Decode(s.JSON, reflect.New(goType).Elem())
			if checked := typ.Schema().Check(s.JSON) == nil; checked != s.Fits || (err == nil) != s.Fits {
				t.Fatalf("%s: %s: fits %v, checked %v, decoded: %v", goType, s.JSON, s.Fits, checked, err)
			}
			if s.Fits {
				fit++
			} else {
				misfit++
			}
		}
		if fit < 20 || misfit < 20 {
			t.Errorf("%s: %d samples fit, %d do not", goType, fit, misfit)
		}
	}
}

// longText is a description of 3000 bytes.
var longText = strings.Repeat("text", 750)

// A describedPart has a long description and few subschemas.
type describedPart struct {
	Name string       `json:"name"`
	Tiny describedTip `json:"tiny,omitzero"`
}

func (describedPart) JSONSchemaExtend(s *jsonschema.Schema) { s.Description = longText }

type describedTip struct {
	X int `json:"x,omitempty" jsonschema:"default=3,maximum=9"`
}

type (
	describedTen     struct{ A, B, C, D, E, F, G, H, I, J describedPart }
	describedFifteen struct {
		describedTen
		K, L, M, N, O describedPart
		Tip           describedTip
	}
	describedOnce struct {
		A [][]describedPart `json:"a" jsonschema:"maxItems=3"`
		B string            `json:"b" jsonschema:"default=three"`
	}
	describedWrong struct {
		describedFifteen
		Wrong int `jsonschema:"maximum=3,default=4"`
	}
)

// TestSharedDefinitionsBytes checks that the size in bytes, including descriptions, is decisive, and not the number of
// schemas.
func TestSharedDefinitionsBytes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		goType reflect.Type
		defs   string
		reason string
	}{
		{"30 kB", reflect.TypeFor[describedTen](), "", "below 40 kB"},
		{"45 kB", reflect.TypeFor[describedFifteen](), "describedPart", "a definition of describedTip would save less than 500 bytes"},
		{"no repetition", reflect.TypeFor[describedLarge](), "", "a definition would save nothing"},
	} {
		typ, err := reflectschema.Compile(tt.goType, reflectschema.DirectionInput)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var doc struct {
			Defs map[string]json.RawMessage `json:"$defs"`
		}
		if err := json.Unmarshal(typ.Schema().JSON(), &doc); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got := strings.Join(slices.Sorted(maps.Keys(doc.Defs)), " "); got != tt.defs {
			t.Errorf("%s: definitions = %q, want %q: %s", tt.name, got, tt.defs, tt.reason)
		}
	}
}

// A describedLarge has a schema of more than 40 kB, without repeated types.
type describedLarge struct {
	describedOnce
	Long describedLong `json:"long"`
}

type describedLong struct{ A string }

func (describedLong) JSONSchemaExtend(s *jsonschema.Schema) {
	s.Description = strings.Repeat(longText, 20)
}

// TestSharedDefinitionsMistakes checks that a mistake is reported once although the document is built twice, and that
// tags are checked in a large document without shared definitions.
func TestSharedDefinitionsMistakes(t *testing.T) {
	t.Parallel()
	_, err := reflectschema.CompileFor[describedWrong](reflectschema.DirectionInput)
	if found := reflectschema.TypeMistakes(err); len(found) != 1 || found[0].Field != "Wrong" {
		t.Errorf("mistakes = %v, want one in Wrong", err)
	}
	type large struct {
		describedLarge
		Wrong int `jsonschema:"maximum=3,default=4"`
	}
	_, err = reflectschema.CompileFor[large](reflectschema.DirectionInput)
	if found := reflectschema.TypeMistakes(err); len(found) != 1 || found[0].Field != "Wrong" {
		t.Errorf("mistakes = %v, want one in Wrong", err)
	}
}
