package verdict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// A finding is the outcome of a check: a documented difference, a wrong verdict, or neither.
type finding struct {
	class string // name of the difference; "" if there is none
	wrong string // description of the wrong verdict; "" if there is none
	valid bool   // the judge accepts it
	taken bool   // the framework accepts it
}

func wrongf(format string, args ...any) finding { return finding{wrong: fmt.Sprintf(format, args...)} }

// input compares the framework's and the judge's verdicts on an input.
func (t *trial) input(data []byte) (f finding) {
	defer func() {
		if p := recover(); p != nil {
			f = wrongf("panic: %v", p)
		}
	}()
	v := reflect.New(t.Type).Elem()
	err := t.in.Decode(data, v)
	checked := t.in.Schema().Check(data)
	refused := t.in.judge.refuses(data)
	f.valid, f.taken = refused == nil, err == nil
	switch {
	case err == nil && checked != nil:
		return wrongf("decoded, but Schema.Check rejects it: %v", checked)
	case err == nil && refused != nil:
		if f.class = excuse(t.in.judge, data); f.class == "" {
			f.wrong = fmt.Sprintf("accepted wrongly; reference validator: %v", refused)
		}
		return f
	case err == nil:
		f.wrong = t.decoded(data, v)
		return f
	case !v.IsZero():
		return wrongf("rejected, but the value is not zero: %v", err)
	case refused == nil:
		return f.refusal(err, t.Type, t.in.judge, data)
	}
	return f
}

// refusal explains an error that the judge does not report.
func (f finding) refusal(err error, goType reflect.Type, j *judge, data []byte) finding {
	invalid := (*reflectschema.InvalidError)(nil)
	if !errors.As(err, &invalid) {
		f.wrong = fmt.Sprintf("rejected with a %T: %v", err, err)
		return f
	}
	var v reflectschema.Violation
	if f.class, v = classify(invalid, goType, j, data); f.class == "" {
		f.wrong = fmt.Sprintf("rejected wrongly at %q, by %q of %q: %v", v.Path, v.Keyword, v.Want, err)
	}
	return f
}

// mostDigits is the maximum length of numbers that the framework accepts.
const mostDigits = 100

// decoded checks the decoded value of an input that both accept: it can be encoded, the result is valid, and
// encoding/json decodes the same value.
func (t *trial) decoded(data []byte, v reflect.Value) string {
	if !t.used.IsValid() {
		t.used = reflect.New(t.Type).Elem()
	}
	if err := t.in.Decode(data, t.used); err != nil || !reflect.DeepEqual(t.used.Interface(), v.Interface()) {
		return fmt.Sprintf("decoded as %+v, and over another value as %+v (%v)", v, t.used, err)
	}
	if wrong := encoded(t.in, v).wrong; wrong != "" {
		return "decoded, and encoded again: " + wrong
	}
	if t.out.judge != nil && t.Subject.out == nil {
		if wrong := encoded(t.out, v).wrong; wrong != "" {
			return "decoded, and encoded as an output: " + wrong
		}
	}
	return t.asStandard(data, v)
}

// hasUnion reports whether a schema has an anyOf other than of one schema and null.
func hasUnion(schema []byte) bool {
	root, err := parse(schema)
	return err != nil || slices.ContainsFunc(root.all(), func(n *node) bool {
		i := slices.Index(n.names, "anyOf")
		return i >= 0 && n.values[i].kind == '[' &&
			(len(n.values[i].values) != 2 || string(n.values[i].values[1].JSON()) != `{"type":"null"}`)
	})
}

// asStandard compares v with the value decoded by encoding/json, where both have the same semantics.
func (t *trial) asStandard(data []byte, v reflect.Value) string {
	root, err := parse(data)
	schema := t.in.Schema().JSON()
	if err != nil || t.in.hasDefaults() || hasUnion(schema) {
		return "" // encoding/json supports neither defaults nor unions
	}
	isOpen := bytes.Contains(schema, []byte(`"additionalProperties":true`)) || bytes.Contains(schema, []byte(`"additionalProperties":{}`))
	for _, n := range root.all() {
		if n.isNumber() && isLossy(n.text) {
			return "" // an any keeps its text
		}
		if n.isNumber() && len(n.plain().text) > mostDigits {
			return "" // expanded for encoding/json, it would be too long for the framework
		}
		if n.isString() && isLowerTime(n.str()) {
			return "" // RFC 3339 allows lower-case t and z, which time.Time does not accept
		}
		if isOpen && slices.ContainsFunc(n.names, t.in.hints.isMisspelt) {
			return "" // encoding/json confuses the names
		}
	}
	w := reflect.New(t.Type)
	if err := json.Unmarshal(root.plain().JSON(), w.Interface()); err != nil {
		return fmt.Sprintf("decoded, but encoding/json rejects it: %v", err)
	}
	ours, errOurs := encode(t.in, v)
	theirs, errTheirs := encode(t.in, w.Elem())
	if (errOurs == nil) != (errTheirs == nil) || errOurs == nil && !sameJSON(ours, theirs) {
		return fmt.Sprintf("decoded as %s (%v), by encoding/json as %s (%v)", ours, errOurs, theirs, errTheirs)
	}
	return ""
}
