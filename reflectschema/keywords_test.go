package reflectschema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/compat"
	"github.com/mcptool-go/mcptool/internal/golden"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/schemacompare"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// A keywordCase is a small type for one keyword of the tag. What follows from the keyword, everywhere, is held against the
// demands below or written down in testdata/keywords.golden: that something says nothing about it is an answer, too.
type keywordCase struct {
	keyword string
	goType  any               // a value of the type of the field; of the whole struct if blank is set
	tag     reflect.StructTag // of the field
	blank   bool
	member  string // what it writes into the schema; the keyword if it is empty, "-" for nothing

	misfit    string // a value that only the keyword refuses, "" if it refuses none
	unsampled string // why no sample breaks it, "" if one does
	slow      string // why the type has no plan, "" if it has one
	agrees    string // why a schema without it agrees, "" if it does not
	uncertain string // why the comparison cannot be certain that it refuses more, "" if it is
}

var keywordCases = []keywordCase{
	{keyword: "title", goType: "", tag: `jsonschema:"title=Name"`},
	{keyword: "description", goType: "", tag: `jsonschema:"description=What it is"`},
	{keyword: "enum", goType: "", tag: `jsonschema:"enum=a,enum=b"`, misfit: `"c"`},
	{keyword: "enumTitle", goType: "", tag: `jsonschema:"enum=a,enumTitle=The first"`, member: "-"},
	{keyword: "const", goType: "", tag: `jsonschema:"const=a"`, misfit: `"c"`},
	{keyword: "default", goType: "", tag: `jsonschema:"default=a"`},
	{keyword: "example", goType: "", tag: `jsonschema:"example=a"`, member: "examples"},
	{keyword: "minimum", goType: 0, tag: `jsonschema:"minimum=3"`, misfit: `2`},
	{keyword: "maximum", goType: 0, tag: `jsonschema:"maximum=3"`, misfit: `4`},
	{keyword: "exclusiveMinimum", goType: 0.5, tag: `jsonschema:"exclusiveMinimum=3"`, misfit: `3`},
	{keyword: "exclusiveMaximum", goType: 0.5, tag: `jsonschema:"exclusiveMaximum=3"`, misfit: `3`},
	{keyword: "multipleOf", goType: 0.5, tag: `jsonschema:"multipleOf=0.5"`, misfit: `0.7`},
	{keyword: "minLength", goType: "", tag: `jsonschema:"minLength=2"`, misfit: `"a"`},
	{keyword: "maxLength", goType: "", tag: `jsonschema:"maxLength=2"`, misfit: `"abc"`},
	{keyword: "pattern", goType: "", tag: `jsonschema:"pattern=^[a-z]+$"`, misfit: `"A"`, uncertain: "whether a text that one pattern leaves out is left out by what else there is, is not worked out"},
	{keyword: "format", goType: "", tag: `jsonschema:"format=date"`, misfit: `"2026-13-01"`},
	{keyword: "minItems", goType: []int{}, tag: `jsonschema:"minItems=2"`, misfit: `[1]`},
	{keyword: "maxItems", goType: []int{}, tag: `jsonschema:"maxItems=2"`, misfit: `[1,2,3]`},
	{keyword: "uniqueItems", goType: []int{}, tag: `jsonschema:"uniqueItems"`, misfit: `[1,1]`},
	{keyword: "minProperties", goType: map[string]int{}, tag: `jsonschema:"minProperties=2"`, misfit: `{"a":1}`},
	{keyword: "maxProperties", goType: map[string]int{}, tag: `jsonschema:"maxProperties=1"`, misfit: `{"a":1,"b":2}`},
	{keyword: "required", goType: new(string), tag: `json:",omitempty" jsonschema:"required"`, member: "-"},
	{keyword: "optional", goType: "", tag: `jsonschema:"optional"`, member: "-"},
	{keyword: "nullable", goType: new(string), tag: `jsonschema:"nullable"`, member: "-"},
	{keyword: "readOnly", goType: "", tag: `jsonschema:"readOnly"`},
	{keyword: "writeOnly", goType: "", tag: `jsonschema:"writeOnly"`},
	{keyword: "deprecated", goType: "", tag: `jsonschema:"deprecated"`},
	{keyword: "additionalProperties", goType: struct {
		_ struct{} `jsonschema:"additionalProperties=true"`
		F string
	}{}, blank: true, member: "-"},
}

// TestKeywordIsComplete: each keyword of the tag reaches everything that reads a schema.
func TestKeywordIsComplete(t *testing.T) {
	t.Parallel()
	names := make([]string, len(keywordCases))
	for i, tt := range keywordCases {
		names[i] = tt.keyword
	}
	if rows := reflectschema.TagKeywords(); !slices.Equal(names, rows) {
		t.Fatalf("the cases are not those of the rows in tagkeys.go:\n got %v\nwant %v", names, rows)
	}
	file := golden.Open(t, "testdata/keywords.golden")
	for _, tt := range keywordCases {
		t.Run(tt.keyword, func(t *testing.T) {
			compiled, err := reflectschema.Compile(tt.structType(), reflectschema.Options{})
			if err != nil {
				t.Fatal(err)
			}
			tt.checkReaders(t, compiled)
			if tt.misfit != "" {
				tt.checkRefusal(t, compiled)
			}
			file.Check(t, tt.keyword, tt.answers(t, compiled))
		})
	}
}

// structType returns the small type.
func (tt keywordCase) structType() reflect.Type {
	if tt.blank {
		return reflect.TypeOf(tt.goType)
	}
	return reflect.StructOf([]reflect.StructField{{Name: "F", Type: reflect.TypeOf(tt.goType), Tag: tt.tag}})
}

// name returns the name of the keyword in the schema, "" if it is not there under one name.
func (tt keywordCase) name() string {
	switch tt.member {
	case "":
		return tt.keyword
	case "-":
		return ""
	}
	return tt.member
}

// checkReaders demands the keyword in the schema, a plan and an example.
func (tt keywordCase) checkReaders(t *testing.T, compiled *reflectschema.Type) {
	t.Helper()
	s := compiled.Schema()
	if property := jsondoc.Parse(s.JSON()).At("/properties/F"); tt.name() != "" && property.Get(tt.name()) == nil {
		t.Errorf("the schema does not have it: %s", s.JSON())
	}
	if has := reflectschema.HasPlan(compiled); has != (tt.slow == "") {
		t.Errorf("has a plan: %t; without: %q (reflectschema/internal/rules has what plans know of schemas)", has, tt.slow)
	}
	if example := s.Example(); len(example) == 0 || s.Judge(example) != nil {
		t.Errorf("the example %q does not fit: %v", example, s.Judge(example))
	}
	misfit := false
	for _, sample := range s.Samples() {
		err := s.Judge(sample.JSON)
		if (err == nil) != sample.Fits {
			t.Errorf("the sample %s fits: %t, %v", sample.JSON, sample.Fits, err)
		}
		if invalid, ok := errors.AsType[*reflectschema.InvalidError](err); ok {
			misfit = misfit || invalid.Violations[0].Keyword == tt.name()
		}
	}
	if want := tt.misfit != "" && tt.unsampled == ""; misfit != want {
		t.Errorf("a sample breaks it: %t; no sample: %q", misfit, tt.unsampled)
	}
}

// checkRefusal demands of a keyword that refuses a value that everything which reads schemas knows it.
func (tt keywordCase) checkRefusal(t *testing.T, compiled *reflectschema.Type) {
	t.Helper()
	misfit := []byte(`{"F":` + tt.misfit + `}`)
	var invalid *reflectschema.InvalidError
	if err := compiled.Decode(misfit, reflect.New(tt.structType()).Elem()); err == nil {
		t.Error("nothing refuses the misfit")
	}
	if !tt.blank {
		loose := reflect.StructOf([]reflect.StructField{{Name: "F", Type: reflect.TypeOf(tt.goType)}})
		value := reflect.New(loose)
		if err := json.Unmarshal(misfit, value.Interface()); err != nil {
			t.Fatal(err)
		}
		if out, err := compiled.AppendEncode(nil, value.Elem().Convert(tt.structType())); err == nil {
			t.Errorf("the misfit is encoded: %s", out)
		}
	}
	if err := compiled.Schema().Check(misfit); !errors.As(err, &invalid) || invalid.Violations[0].Keyword != tt.name() {
		t.Fatalf("%s: %v", misfit, err)
	}
	if words, _, _ := strings.Cut(invalid.Error(), "\n"); strings.ContainsAny(words, "{}") {
		t.Errorf("the words hold a schema: %s", words)
	}
	without := tt.without(compiled.Schema().JSON())
	loose, err := reflectschema.ParseSchema(without)
	if err != nil {
		t.Fatal(err)
	}
	if err := loose.Check(misfit); err != nil {
		t.Errorf("it is not the keyword alone that refuses the misfit: %v", err)
	}
	if err := compiled.Agrees(loose); (err == nil) != (tt.agrees != "") {
		t.Errorf("a schema without it: %v; agrees: %q", err, tt.agrees)
	}
	found := schemacompare.Compare(schemacompare.NewDocument(jsondoc.Parse(without)), schemacompare.NewDocument(jsondoc.Parse(compiled.Schema().JSON())), schemacompare.Options{})
	if len(found) != 1 || (found[0].Doubt == schemacompare.None) != (tt.uncertain == "") {
		t.Errorf("the comparison (internal/schemacompare) finds %d differences, certain or not: %q", len(found), tt.uncertain)
		for _, difference := range found {
			t.Errorf("%s at %v, doubt %v", difference.Keyword, difference.At, difference.Doubt)
		}
	}
}

// without returns a schema without the keyword.
func (tt keywordCase) without(schema []byte) []byte {
	doc := jsondoc.Parse(schema)
	properties := doc.Get("properties")
	return doc.With("properties", properties.With("F", properties.Get("F").Without(tt.name()))).AppendTo(nil)
}

// answers writes down what clients, forms and older revisions make of it.
func (tt keywordCase) answers(t *testing.T, compiled *reflectschema.Type) string {
	t.Helper()
	s := compiled.Schema()
	var b strings.Builder
	fmt.Fprintf(&b, "schema   %s\nexample  %s\n", s.JSON(), s.Example())
	if tt.misfit != "" {
		fmt.Fprintf(&b, "misfit   %s: %v\n", tt.misfit, s.Check([]byte(`{"F":`+tt.misfit+`}`)))
	}
	if name := tt.name(); name != "" {
		old := compat.Tool{Name: "tool", InputSchema: tt.without(s.JSON())}
		for _, change := range compat.Compare([]compat.Tool{old}, []compat.Tool{{Name: "tool", InputSchema: s.JSON()}}) {
			classes := []string{compat.Wording: "wording", compat.Compatible: "compatible", compat.MayBreak: "may break", compat.Breaks: "breaks"}
			fmt.Fprintf(&b, "added    %s: %v\n", classes[change.Class], change)
		}
	}
	legacy := "as it is"
	if string(s.Legacy()) != string(s.JSON()) {
		legacy = string(s.Legacy())
	}
	fmt.Fprintf(&b, "legacy   %s\n", legacy)
	if form, err := compiled.Form(); err != nil {
		fmt.Fprintf(&b, "form     %v\n", err)
	} else {
		rich, err := form.Schema(reflectschema.RichForms)
		fmt.Fprintf(&b, "form     %s %s\n", rich, errText(err))
	}
	for _, p := range reflectschema.Profiles() {
		var about []string
		for _, f := range s.Lint(reflectschema.Input, p) {
			if strings.HasSuffix(f.Pointer, "/"+tt.name()) {
				about = append(about, f.Rule.Severity.String()+": "+f.Rule.Name)
			}
		}
		if about == nil {
			about = []string{"nothing to say"}
		}
		fmt.Fprintf(&b, "%-8s %s\n", p, strings.Join(about, ", "))
	}
	return b.String()
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
