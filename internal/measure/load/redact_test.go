package load_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/load"
	"github.com/mcptool-go/mcptool/internal/measure/redact"
)

// Every text of a report is redacted: the test fills all fields by reflection, so it covers fields added later.
func TestRedact(t *testing.T) {
	t.Parallel()
	const secret = "value-of-token"
	var secrets redact.Values
	secrets.Pairs("=", []string{"API_TOKEN=" + secret})
	report := new(load.Report)
	filled := fill(t, reflect.ValueOf(report).Elem(), "it has "+secret)
	before := render(t, report)
	if n := strings.Count(before, secret); filled < 10 || n < filled {
		t.Fatalf("%d texts were filled, and %d shown:\n%s", filled, n, before)
	}
	stderr, arguments, first := report.Lost[0].Stderr, report.Rows[0].Arguments, report.Rows[0].Cells[0].First
	if err := report.Redact(&secrets); err != nil {
		t.Fatal(err)
	}
	after := render(t, report)
	if strings.Contains(after, secret) {
		t.Errorf("%q is in\n%s", secret, after)
	}
	if n := strings.Count(after, redact.Hidden); n < filled {
		t.Errorf("%d of %d texts are redacted:\n%s", n, filled, after)
	}
	if text := stderr[0] + string(arguments[0]) + first[load.ToolError]; strings.Count(text, secret) != 3 {
		t.Errorf("Redact has changed what others have, too: %s", text)
	}
}

// A private key is recognized across several lines of stderr.
func TestRedactPrivateKey(t *testing.T) {
	t.Parallel()
	report := &load.Report{Lost: []load.Loss{{Stderr: []string{"before", "-----BEGIN PRIVATE KEY-----", "MIIEvQIBADAN", "-----END PRIVATE KEY-----", "after"}}}}
	if err := report.Redact(new(redact.Values)); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(report.Lost[0].Stderr, "|"); got != "before|"+redact.Hidden+"|after" {
		t.Errorf("got %s", got)
	}
}

// render returns a report in all its formats, concatenated.
func render(t *testing.T, r *load.Report) string {
	t.Helper()
	var b strings.Builder
	if err := json.NewEncoder(&b).Encode(r); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// fill sets all strings in a value, with one element in each slice and map, and returns their number.
func fill(t *testing.T, v reflect.Value, text string) int {
	t.Helper()
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		v.SetBytes([]byte(`{"a":"` + text + `"}`))
		return 1
	}
	n := 0
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
		n++
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				n += fill(t, v.Field(i), text)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		n += fill(t, v.Elem(), text)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		n += fill(t, v.Index(0), text)
	case reflect.Map: // the keys are kinds of failures, not chosen by a server
		value := reflect.New(v.Type().Elem()).Elem()
		n += fill(t, value, text)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf(load.ToolError).Convert(v.Type().Key()), value)
	case reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
	default:
		t.Fatalf("a report has a %v", v.Type())
	}
	return n
}
