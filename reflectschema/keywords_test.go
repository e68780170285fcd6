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
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/schemacompare"
	"github.com/mcptool-go/mcptool/internal/testing/golden"
	"github.com/mcptool-go/mcptool/internal/testing/tagcase"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/lint"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// A keywordCase is a small type for one keyword of the tag. Everything that depends on the keyword is checked below or
// recorded in testdata/keywords.golden, including that it has no effect.
type keywordCase struct {
	tagcase.Case
	goType reflect.Type      // type of the field, or of the struct if blank is set
	tag    reflect.StructTag // tag of the field
	blank  bool
}

// keywordCases returns a case per keyword. The field is called F.
func keywordCases() (list []keywordCase) {
	fields := reflect.TypeFor[tagcase.Fields]()
	for i, c := range tagcase.Cases {
		f := fields.Field(i)
		json := strings.TrimPrefix(f.Tag.Get("json"), c.Keyword)
		tag := fmt.Sprintf("jsonschema:%q", f.Tag.Get("jsonschema"))
		if json != "" {
			tag = fmt.Sprintf("json:%q %s", json, tag)
		}
		list = append(list, keywordCase{Case: c, goType: f.Type, tag: reflect.StructTag(tag), blank: f.Type.Kind() == reflect.Struct})
	}
	return list
}

// TestKeywordIsComplete: each keyword of the tag is supported everywhere a schema is used.
func TestKeywordIsComplete(t *testing.T) {
	t.Parallel()
	var names, fields []string
	for _, c := range tagcase.Cases {
		names = append(names, c.Keyword)
	}
	for f := range reflect.TypeFor[tagcase.Fields]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields = append(fields, name)
	}
	if rows := reflectschema.TagKeywords(); !slices.Equal(names, rows) || !slices.Equal(fields, rows) {
		t.Fatalf("the cases of internal/testing/tagcase are not those of the rows in internal/tag/keyword.go:\n got %v\n and %v\nwant %v", names, fields, rows)
	}
	file := golden.Open(t, "testdata/keywords.golden")
	for _, tt := range keywordCases() {
		t.Run(tt.Keyword, func(t *testing.T) {
			compiled, err := reflectschema.Compile(tt.structType(), reflectschema.DirectionInput)
			if err != nil {
				t.Fatal(err)
			}
			tt.checkReaders(t, compiled)
			tt.checkRoundTrips(t)
			if tt.Misfit != "" {
				tt.checkRefusal(t, compiled)
			}
			if enough := len(tt.Within) > 0 && len(tt.Beyond) > 0; enough != (tt.Misfit != "") {
				t.Errorf("Within and Beyond must be set exactly if Misfit is: Misfit %q, Within %q, Beyond %q", tt.Misfit, tt.Within, tt.Beyond)
			}
			tt.checkOthers(t, compiled)
			tt.checkMistakes(t)
			file.Check(t, tt.Keyword, tt.answers(t, compiled))
		})
	}
}

// structType returns the type of the case.
func (tt keywordCase) structType() reflect.Type {
	if tt.blank {
		return tt.goType
	}
	return reflect.StructOf([]reflect.StructField{{Name: "F", Type: tt.goType, Tag: tt.tag}})
}

// checkReaders checks that the schema has the keyword, a plan and an example.
func (tt keywordCase) checkReaders(t *testing.T, compiled *reflectschema.Type) {
	t.Helper()
	s := compiled.Schema()
	if property := jsondoc.Parse(s.JSON()).At("/properties/F"); tt.Name() != "" && property.Get(tt.Name()) == nil {
		t.Errorf("the schema lacks the keyword: %s (a keyword whose value is a schema needs a set in internal/tag/keyword.go)", s.JSON())
	}
	if has := reflectschema.HasPlan(compiled); has != (tt.Slow == "") {
		t.Errorf("has a plan: %t; reason for none: %q (plans are built from reflectschema/internal/rules)", has, tt.Slow)
	}
	if example := samples.Example(s); len(example) == 0 || s.Judge(example) != nil {
		t.Errorf("the example %q does not fit: %v", example, s.Judge(example))
	}
	misfit := false
	for _, sample := range samples.Of(s) {
		err := s.Judge(sample.JSON)
		if (err == nil) != sample.Fits {
			t.Errorf("the sample %s fits: %t, %v", sample.JSON, sample.Fits, err)
		}
		if invalid, ok := errors.AsType[*reflectschema.InvalidError](err); ok {
			misfit = misfit || invalid.Violations[0].Keyword == tt.Name()
		}
	}
	if want := tt.Misfit != "" && tt.Unsampled == ""; misfit != want {
		t.Errorf("a sample violates the keyword: %t; reason for none: %q", misfit, tt.Unsampled)
	}
}

// checkRoundTrips checks that the valid samples vary the field, and that each one that the Go type can represent is
// encoded as it was decoded, for arguments and results.
func (tt keywordCase) checkRoundTrips(t *testing.T) {
	t.Helper()
	for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput} {
		compiled, err := reflectschema.Compile(tt.structType(), d)
		if refused := err != nil; refused != (d == reflectschema.DirectionOutput && tt.InputOnly) {
			t.Errorf("direction %v: %v; InputOnly = %t", d, err, tt.InputOnly)
		}
		if err != nil {
			continue
		}
		values := map[string]bool{}
		for _, sample := range samples.Of(compiled.Schema()) {
			value := jsondoc.Parse(sample.JSON).Get("F")
			if !sample.Fits || value == nil {
				continue
			}
			decoded, again := reflect.New(tt.structType()).Elem(), reflect.New(tt.structType()).Elem()
			if err := compiled.Decode(sample.JSON, decoded); err != nil {
				if invalid, ok := errors.AsType[*reflectschema.InvalidError](err); !ok || invalid.Violations[0].Keyword == tt.Name() {
					t.Errorf("%s fits, but cannot be decoded: %v", sample.JSON, err)
				}
				continue // for example a number beyond int64
			}
			values[string(value.AppendTo(nil))] = true
			encoded, err := compiled.AppendEncode(nil, decoded)
			if err != nil {
				t.Errorf("%s is decoded, but cannot be encoded: %v", sample.JSON, err)
				continue
			}
			got, isFloat := jsondoc.Parse(encoded).Get("F"), tt.goType.Kind() == reflect.Float64 // a float is rounded when it is decoded
			if !value.Equal(got) && !isFloat && (got != nil || !value.IsNull()) {
				t.Errorf("%s is encoded as %s", sample.JSON, encoded)
			}
			if err := compiled.Decode(encoded, again); err != nil || !reflect.DeepEqual(decoded.Interface(), again.Interface()) {
				t.Errorf("%s is decoded as %v, encoded as %s, and then decoded as %v, %v", sample.JSON, decoded, encoded, again, err)
			}
		}
		if varied := len(values) > 1; varied != (tt.Unvaried == "") {
			t.Errorf("direction %v: the valid samples have %d values of the field; Unvaried = %q", d, len(values), tt.Unvaried)
		}
	}
}

// checkRefusal checks that everything that uses schemas applies the keyword.
func (tt keywordCase) checkRefusal(t *testing.T, compiled *reflectschema.Type) {
	t.Helper()
	misfit := []byte(`{"F":` + tt.Misfit + `}`)
	var invalid *reflectschema.InvalidError
	if err := compiled.Decode(misfit, reflect.New(tt.structType()).Elem()); err == nil {
		t.Errorf("Misfit %s is accepted", misfit)
	}
	if !tt.blank {
		loose := reflect.StructOf([]reflect.StructField{{Name: "F", Type: tt.goType}})
		value := reflect.New(loose)
		if err := json.Unmarshal(misfit, value.Interface()); err != nil {
			t.Fatal(err)
		}
		if out, err := compiled.AppendEncode(nil, value.Elem().Convert(tt.structType())); err == nil {
			t.Errorf("Misfit is encoded: %s", out)
		}
	}
	if err := compiled.Schema().Check(misfit); !errors.As(err, &invalid) || invalid.Violations[0].Keyword != tt.Name() {
		t.Fatalf("%s: %v", misfit, err)
	}
	if words, _, _ := strings.Cut(invalid.Error(), "\n"); strings.ContainsAny(words, "{}") {
		t.Errorf("the error contains a schema: %s", words)
	}
	without := tt.without(compiled.Schema().JSON())
	loose, err := reflectschema.ParseSchema(without)
	if err != nil {
		t.Fatal(err)
	}
	if err := loose.Check(misfit); err != nil {
		t.Errorf("Misfit is refused also without the keyword: %v", err)
	}
	found := schemacompare.Compare(schemacompare.NewDocument(jsondoc.Parse(without)), schemacompare.NewDocument(jsondoc.Parse(compiled.Schema().JSON())))
	if len(found) != 1 || (found[0].Doubt == schemacompare.None) != (tt.Uncertain == "") {
		t.Errorf("the comparison (internal/schemacompare) found %d differences, want 1, certain unless Uncertain is set: %q", len(found), tt.Uncertain)
		for _, difference := range found {
			t.Errorf("difference in %s, certain: %t", difference.Keyword, difference.Doubt == schemacompare.None)
		}
	}
}

// checkOthers compares the tag with other tags of the field.
func (tt keywordCase) checkOthers(t *testing.T, compiled *reflectschema.Type) {
	t.Helper()
	for i, tag := range slices.Concat(tt.Within, tt.Beyond) {
		other, err := tt.tagged(tag)
		if err != nil {
			t.Fatal(err)
		}
		isWithin := i < len(tt.Within)
		found := schemacompare.Compare(document(other), document(compiled))
		if (len(found) == 0) != isWithin {
			t.Errorf("compared with %s (internal/schemacompare): %d differences, and all its values fit: %t", tag, len(found), isWithin)
		}
		fit := 0
		for _, sample := range samples.Of(other.Schema()) {
			isBeyond := sample.Fits && compiled.Schema().Judge(sample.JSON) != nil
			if sample.Fits {
				fit++
			}
			if isBeyond && isWithin {
				t.Errorf("%s fits %s, but not this tag", sample.JSON, tag)
			}
		}
		if fit == 0 {
			t.Errorf("no sample fits %s", tag)
		}
	}
}

// checkMistakes checks that the tags of Refused are mistakes, and that a keyword that refuses values has some.
func (tt keywordCase) checkMistakes(t *testing.T) {
	t.Helper()
	if tt.Misfit != "" && len(tt.Refused) == 0 {
		t.Error("Refused must be set if Misfit is: a contradictory keyword, or an invalid value")
	}
	for _, tag := range tt.Refused {
		if _, err := tt.tagged(tag); err == nil {
			t.Errorf("`%s` is in Refused, but compiles: contradictory keywords are found by reflectschema/internal/vet/contradiction.go, wrong values "+
				"by reflectschema/internal/tag/value.go; if they should not be found, take the tag out of Refused, and write in reflectschema/doc.go what is not compared", tag)
		}
	}
}

// tagged returns the type with another tag on its field.
func (tt keywordCase) tagged(tag string) (*reflectschema.Type, error) {
	f := reflect.StructField{Name: "F", Type: tt.goType, Tag: reflect.StructTag(fmt.Sprintf("jsonschema:%q", tag))}
	return reflectschema.Compile(reflect.StructOf([]reflect.StructField{f}), reflectschema.DirectionInput)
}

func document(t *reflectschema.Type) *schemacompare.Document {
	return schemacompare.NewDocument(jsondoc.Parse(t.Schema().JSON()))
}

// without returns a schema without the keyword.
func (tt keywordCase) without(schema []byte) []byte {
	doc := jsondoc.Parse(schema)
	properties := doc.Get("properties")
	return doc.With("properties", properties.With("F", properties.Get("F").Without(tt.Name()))).AppendTo(nil)
}

// answers describes the results for clients, forms and older revisions.
func (tt keywordCase) answers(t *testing.T, compiled *reflectschema.Type) string {
	t.Helper()
	s := compiled.Schema()
	var b strings.Builder
	fmt.Fprintf(&b, "schema   %s\nexample  %s\n", s.JSON(), samples.Example(s))
	if tt.Misfit != "" {
		fmt.Fprintf(&b, "misfit   %s: %v\n", tt.Misfit, s.Check([]byte(`{"F":`+tt.Misfit+`}`)))
	}
	if name := tt.Name(); name != "" {
		old := compat.Tool{Name: "tool", InputSchema: tt.without(s.JSON())}
		for _, change := range compat.Compare(&compat.Snapshot{Tools: []compat.Tool{old}}, &compat.Snapshot{Tools: []compat.Tool{{Name: "tool", InputSchema: s.JSON()}}}) {
			classes := []string{compat.Wording: "wording", compat.Compatible: "compatible", compat.MayBreak: "may break", compat.Breaks: "breaks"}
			fmt.Fprintf(&b, "added    %s: %v\n", classes[change.Class], change)
		}
	}
	for _, tag := range tt.Refused {
		_, err := tt.tagged(tag)
		fmt.Fprintf(&b, "refused  %v\n", err)
	}
	legacy := "as it is"
	if string(s.Legacy()) != string(s.JSON()) {
		legacy = string(s.Legacy())
	}
	fmt.Fprintf(&b, "legacy   %s\n", legacy)
	if form, err := compiled.Form(); err != nil {
		fmt.Fprintf(&b, "form     %v\n", err)
	} else {
		rich, err := form.Schema(true)
		fmt.Fprintf(&b, "form     %s %s\n", rich, errText(err))
	}
	for _, p := range lint.Profiles() {
		var about []string
		for _, f := range lint.Schema(s, reflectschema.DirectionInput, p) {
			if strings.HasSuffix(f.Pointer, "/"+tt.Name()) {
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
