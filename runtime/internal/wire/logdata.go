package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"time"
)

// LogScope is what [slog.Logger.With] and WithGroup have added to a logger. It never changes.
type LogScope struct {
	groups []string   // open groups, the outermost first
	attrs  []logAttrs // in the order they were added
}

// logAttrs are attributes and the number of groups that were open when they came.
type logAttrs struct {
	depth int
	attrs []slog.Attr
}

// With returns the scope with attributes added.
func (s LogScope) With(attrs []slog.Attr) LogScope {
	s.attrs = append(slices.Clip(s.attrs), logAttrs{len(s.groups), attrs})
	return s
}

// Within returns the scope with a group opened.
func (s LogScope) Within(group string) LogScope {
	if group != "" {
		s.groups = append(slices.Clip(s.groups), group)
	}
	return s
}

// Append appends the data of a record: an object of its attributes, groups being
// objects in it, and of its message as "msg". Of attributes with the same name the
// last one counts; strict readers refuse a name that comes twice. Texts are written as wording has them, in JSON.
func (s LogScope) Append(dst []byte, r slog.Record, wording wording) []byte {
	data := map[string]any{}
	for _, a := range s.attrs {
		wording.add(nested(data, s.groups[:a.depth]), a.attrs)
	}
	r.Attrs(func(a slog.Attr) bool {
		if !isEmpty(a) { // or it would leave empty groups behind
			wording.add(nested(data, s.groups), []slog.Attr{a})
		}
		return true
	})
	data["msg"] = json.RawMessage(wording(r.Message))
	raw, err := json.Marshal(data)
	if err != nil { // every leaf has been marshalled once
		return append(dst, "null"...)
	}
	return append(dst, raw...)
}

// nested returns the object below data that the groups lead to, made if need be.
func nested(data map[string]any, groups []string) map[string]any {
	for _, g := range groups {
		inner, ok := data[g].(map[string]any)
		if !ok {
			inner = map[string]any{}
			data[g] = inner
		}
		data = inner
	}
	return data
}

// wording writes a text as JSON.
type wording func(text string) []byte

// add adds attributes to an object, by slog's rules: empty ones are left out,
// groups without a name are part of what surrounds them.
func (w wording) add(data map[string]any, attrs []slog.Attr) {
	for _, a := range attrs {
		v := a.Value.Resolve()
		switch {
		case a.Key == "" && v.Kind() != slog.KindGroup:
		case v.Kind() != slog.KindGroup:
			data[a.Key] = w.value(v)
		case len(v.Group()) == 0:
		case a.Key == "":
			w.add(data, v.Group())
		default:
			w.add(nested(data, []string{a.Key}), v.Group())
		}
	}
}

// isEmpty reports whether slog's rules leave the attribute out.
func isEmpty(a slog.Attr) bool {
	if v := a.Value.Resolve(); v.Kind() == slog.KindGroup {
		return len(v.Group()) == 0
	}
	return a.Key == ""
}

// value returns the JSON of a value. One that has none, or whose methods panic, says
// so in its place, as in slog's own handlers: a log never ends the work that it is about.
func (w wording) value(v slog.Value) (raw json.RawMessage) {
	defer func() {
		if p := recover(); p != nil {
			raw = w(fmt.Sprintf("!PANIC: %v", p))
		}
	}()
	plain := v.Any()
	switch v.Kind() {
	case slog.KindString:
		return w(v.String())
	case slog.KindDuration:
		plain = v.Duration().String()
	case slog.KindTime:
		plain = v.Time().Format(time.RFC3339Nano)
	case slog.KindFloat64:
		if f := v.Float64(); math.IsNaN(f) || math.IsInf(f, 0) {
			plain = strconv.FormatFloat(f, 'g', -1, 64)
		}
	default:
		if err, ok := plain.(error); ok {
			return w(err.Error())
		}
	}
	raw, err := json.Marshal(plain)
	if err != nil {
		return w("!ERROR:" + err.Error())
	}
	return bytes.ToValidUTF8(raw, []byte("\ufffd")) // a marshaler may have written anything
}
