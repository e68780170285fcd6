package vet

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// WithoutEffect finds keywords that the dialect of the document does not have, keywords that it ignores beside a $ref, and
// keywords that do not apply to the type beside them; also a nullable of OpenAPI 3.0 where the schema does not allow null.
var WithoutEffect = &Check{
	Name: "keyword-without-effect",
	Why:  "it has no meaning in this dialect or for this type, so it has no effect",
	Fix:  "write the keyword of the dialect and the type, name the other dialect in $schema, or drop it",
	find: withoutEffect,
}

// idleReason returns the reason why a keyword of a schema has no effect in any dialect, or "" if it may have one.
func idleReason(d *jsondoc.Value, k jsondoc.Keyword) string {
	if given := d.Get("type"); given != nil && k.SaysNothingElsewhere() {
		types := given.Types()
		if types != 0 && types&k.About == 0 {
			return "which does not apply to the type " + cmp.Or(given.Text(), strings.Join(given.Texts(), " or "))
		}
	}
	if k.Beside != "" && d.Get(k.Beside) == nil {
		return "which has no effect without " + k.Beside
	}
	return ""
}

func withoutEffect(s *Subschema, report Report) {
	dialect := authority.DraftOf(s.document.Root.Get("$schema").Text())
	if dialect == nil {
		return
	}
	in, name := jsondoc.Draft2020, "2020-12"
	if dialect == authority.Draft7 {
		in, name = jsondoc.Draft7, "draft-07"
	}
	for _, m := range s.Value.Members {
		k, known := jsondoc.KeywordNamed(m.Name)
		switch {
		case known && k.Dialects&(in|jsondoc.OfMCP) == 0:
			report(m.Name+", which "+name+" does not have", m.Name)
		case known && in == jsondoc.Draft7 && s.Value.Get("$ref") != nil && m.Name != "$ref" && !jsondoc.IsOfDocument(m.Name) && !jsondoc.IsAnnotation(m.Name):
			report(m.Name+", which draft-07 ignores beside $ref", m.Name)
		case known:
			if reason := idleReason(s.Value, k); reason != "" {
				report(m.Name+", "+reason, m.Name)
			}
		case m.Name == "nullable" && m.Value.IsTrue():
			if fix := nullFix(s.Value); fix != "" {
				report("nullable, which only OpenAPI 3.0 has: write "+fix, m.Name)
			}
		}
	}
}

// nullFix returns how a schema is written that allows null as well as the values of d, or "" if d seems to allow it.
func nullFix(d *jsondoc.Value) string {
	isNull := func(v *jsondoc.Value) bool { return v.IsNull() }
	isOfNull := func(v *jsondoc.Value) bool {
		return (v.Get("type") != nil || v.Listed() != nil) && v.AllowedTypes()&jsondoc.TypeNull != 0
	}
	for _, keyword := range []string{"$ref", "allOf", "anyOf", "oneOf"} {
		if v := d.Get(keyword); v != nil && !slices.ContainsFunc(v.Elements(), isOfNull) {
			return `"anyOf":[…,{"type":"null"}], with the rest of the schema in place of …`
		}
	}
	var fixes []string
	if types := d.Get("type").Types(); types&jsondoc.TypeNull == 0 {
		fixes = append(fixes, `"type":`+(types|jsondoc.TypeNull).Keyword())
	}
	if values := d.Listed(); values != nil && !slices.ContainsFunc(values, isNull) {
		fixes = append(fixes, "null in enum")
	}
	return strings.Join(fixes, " and ")
}
