package reflectschema

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/testing/specdata"
	"github.com/mcptool-go/mcptool/internal/testing/testscale"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// TestTolerateKeepsValid checks with generated types and values that valid arguments are never changed, and that
// invalid ones are either accepted, or rejected with the error for the original arguments.
func TestTolerateKeepsValid(t *testing.T) {
	t.Parallel()
	var valid, accepted, rejected int
	coerce := true
	for _, typ := range slices.Concat(corpus(t), corpusKeywords(t), generated(t, testscale.Count(200))) {
		for i := range 20 {
			d := newDice([]byte{byte(i), 3})
			d.odd = i % 2 * 60
			d.text(partOf(typ), 0)
			dst := reflect.New(typ.goType).Elem()
			if typ.Decode(d.out, dst) != nil {
				continue
			}
			valid++
			auth, err := typ.Schema().compiled()
			if err != nil {
				t.Fatal(err)
			}
			if changed, _ := auth.Tolerate(d.out, true, nil); changed != nil {
				t.Fatalf("%s\nis valid, but is changed to\n%s\nschema %s", d.out, changed, typ.Schema().JSON())
			}
			wrong := d.wrong(jsondoc.Parse(d.out), nil)
			if typ.Decode(wrong, dst) == nil {
				continue
			}
			dst.SetZero()
			_, coerced, err := internals{}.DecodeArguments(t.Context(), typ, wrong, dst, &coerce)
			if err == nil {
				accepted++
				checkAccepted(t, typ, wrong, dst, coerced)
				continue
			}
			rejected++
			if want := typ.Decode(typ.Schema().withoutNulls(wrong, nil), dst); want == nil || want.Error() != err.Error() {
				t.Fatalf("%s\nis rejected with\n%v\nwant\n%v\nschema %s", wrong, err, want, typ.Schema().JSON())
			}
		}
	}
	if accepted < valid/20 || rejected < valid/20 {
		t.Errorf("of %d values in a wrong form, %d were accepted, %d rejected", valid, accepted, rejected)
	}
}

// checkAccepted checks that dst is the value of the changed arguments, which must be valid.
func checkAccepted(t *testing.T, typ *Type, data []byte, dst reflect.Value, coerced []string) {
	t.Helper()
	auth, err := typ.Schema().compiled()
	if err != nil {
		t.Fatal(err)
	}
	changed, _ := auth.Tolerate(data, true, nil)
	slow := reflect.New(typ.goType).Elem()
	if _, err := typ.decodeSlow(changed, slow, nil); err != nil {
		t.Fatalf("%s\nis accepted as\n%s\nalthough\n%v\nschema %s", data, changed, err, typ.Schema().JSON())
	}
	if !reflect.DeepEqual(slow.Interface(), dst.Interface()) {
		t.Fatalf("%s\nis accepted as\n%s\nand decoded as\n%#v", data, changed, dst)
	}
	if without := typ.Schema().withoutNulls(data, nil); coerced == nil && string(changed) != string(without) {
		t.Fatalf("%s\nis accepted as\n%s\nwithout a record", data, changed)
	}
}

// wrong appends the value with some parts of a wrong type.
func (d *dice) wrong(v *jsondoc.Value, dst []byte) []byte {
	switch {
	case d.n(4) != 0:
	case d.n(4) == 0:
		return append(dst, "null"...)
	case len(v.Items) == 1:
		return v.Items[0].AppendTo(dst)
	default:
		text, _ := json.Marshal(string(v.AppendTo(nil)))
		return append(dst, text...)
	}
	switch {
	case len(v.Items) > 0:
		dst = append(dst, '[')
		for i, item := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = d.wrong(item, dst)
		}
		return append(dst, ']')
	case len(v.Members) > 0:
		dst = append(dst, '{')
		for i, m := range v.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			name, _ := json.Marshal(m.Name)
			dst = d.wrong(m.Value, append(append(dst, name...), ':'))
		}
		return append(dst, '}')
	default:
		return v.AppendTo(dst)
	}
}

// TestTolerateSuite checks that valid values of the official test suite are not changed.
func TestTolerateSuite(t *testing.T) {
	t.Parallel()
	for dir, dialect := range map[string]*jsonschema.Draft{"draft2020-12": authority.Draft2020, "draft7": authority.Draft7} {
		for file, groups := range specdata.SuiteFiles(t, dir) {
			for _, group := range groups {
				auth, err := authority.Compile(group.Schema, dialect)
				if err != nil {
					continue // TestSuite counts them
				}
				for _, test := range group.Tests {
					if changed, _ := auth.Tolerate(test.Data, true, nil); test.Valid && changed != nil {
						t.Errorf("%s: %s: %s: %s is changed to %s", file, group.Description, test.Description, test.Data, changed)
					}
				}
			}
		}
	}
}
