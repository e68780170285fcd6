package reflectschema

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// TestAuthorityPanics: a panic of the validator is reported as an error of the value, without its cause.
func TestAuthorityPanics(t *testing.T) {
	t.Parallel()
	broken := &authority.Authority{} // without a schema
	err := (reporter{broken}).check(broken.Root, authority.Value{Any: map[string]any{}, Size: 1}, nil)
	if invalid := (*InvalidError)(nil); !errors.As(err, &invalid) || invalid.Error() != "cannot be checked against its schema" {
		t.Errorf("Check = %v", err)
	}
	if _, err := authority.Compile([]byte(`{"$id":"x"}`), nil); err == nil || !strings.Contains(err.Error(), "cannot be compiled") {
		t.Errorf("Compile without a dialect: %v", err)
	}
}

// TestUnusableSchema checks documents that are never derived from a type. The error is not an InvalidError, as the
// value is not at fault.
func TestUnusableSchema(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ raw, want string }{
		{`{"type":"strin"}`, `schema: type: must be one of "array", `},
		{`{"$ref":"https://example.com/"}`, `schema: points outside the document: "https://example.com/"`},
		{`{"pattern":"("}`, `schema: pattern: must have the format regex`},
		{`{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}`, `schema: cannot be used: duplicate anchor "x"`},
		{`{"a":1,"a":2}`, `schema: `},
	} {
		err := newSchema([]byte(tt.raw)).Judge([]byte(`1`))
		invalid, schemaErr := (*InvalidError)(nil), (*SchemaError)(nil)
		if errors.As(err, &invalid) || !errors.As(err, &schemaErr) || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: Check:\n got %v\nwant %s", tt.raw, err, tt.want)
		}
	}
}

// TestDraft7BesideRef tests each keyword next to a $ref, with a value that the keyword refuses: draft-07 ignores the
// keyword there, 2020-12 does not.
func TestDraft7BesideRef(t *testing.T) {
	t.Parallel()
	for keyword, tt := range map[string]struct{ value, refuses string }{
		"additionalItems":      {`false,"items":[true]`, `[1,2]`},
		"additionalProperties": {`false`, `{"a":1}`},
		"allOf":                {`[false]`, `1`},
		"anyOf":                {`[false]`, `1`},
		"const":                {`2.5`, `null`},
		"contains":             {`{"type":"string"}`, `[1]`},
		"dependencies":         {`{"a":["b"]}`, `{"a":1}`},
		"enum":                 {`[1]`, `2`},
		"exclusiveMaximum":     {`1`, `1`},
		"exclusiveMinimum":     {`1`, `1`},
		"format":               {`"date"`, `"x"`},
		"if":                   {`true,"then":false`, `1`},
		"items":                {`false`, `[1]`},
		"maxItems":             {`0`, `[1]`},
		"maxLength":            {`0`, `"a"`},
		"maxProperties":        {`0`, `{"a":1}`},
		"maximum":              {`1`, `2`},
		"minItems":             {`2`, `[1]`},
		"minLength":            {`2`, `"a"`},
		"minProperties":        {`2`, `{"a":1}`},
		"minimum":              {`3`, `2`},
		"multipleOf":           {`2`, `1`},
		"not":                  {`{}`, `1`},
		"oneOf":                {`[false]`, `1`},
		"pattern":              {`"b"`, `"a"`},
		"patternProperties":    {`{"a":false}`, `{"a":1}`},
		"properties":           {`{"a":false}`, `{"a":1}`},
		"propertyNames":        {`false`, `{"a":1}`},
		"required":             {`["b"]`, `{"a":1}`},
		"type":                 {`"string"`, `1`},
		"uniqueItems":          {`true`, `[1,1]`},
	} {
		t.Run(keyword, func(t *testing.T) {
			t.Parallel()
			const draft7 = `"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"any":{}}`
			sibling := `"` + keyword + `":` + tt.value
			if err := newSchemaIn([]byte(`{`+draft7+`,`+sibling+`}`), authority.Draft7).Judge([]byte(tt.refuses)); err == nil {
				t.Errorf("%s is accepted without a $ref, want an error", tt.refuses)
			}
			beside := `{"$ref":"#/definitions/any",` + sibling + `}`
			if err := newSchemaIn([]byte(`{`+draft7+`,"allOf":[`+beside+`]}`), authority.Draft7).Judge([]byte(tt.refuses)); err != nil {
				t.Errorf("%s is refused next to a $ref: %v", tt.refuses, err)
			}
			if err := newSchemaIn([]byte(`{`+draft7+`,"not":`+beside+`}`), authority.Draft7).Judge([]byte(tt.refuses)); err == nil {
				t.Errorf("%s is accepted by not of a $ref to anything", tt.refuses)
			}
		})
	}
}
