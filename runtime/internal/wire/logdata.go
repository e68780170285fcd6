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

// LogScope is the attributes and groups that [slog.Logger.With] and WithGroup have added to a logger. It is immutable.
type LogScope struct {
	groups []string   // open groups, the outermost first
	attrs  []logAttrs // in the order they were added
}

// logAttrs are attributes, with the number of groups that were open when they were added.
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

// Append appends the data of a record: an object with its attributes, in which groups are objects, and with its message
// as "msg". If several attributes have the same name, only the last one is written, because strict readers refuse
// duplicate names. Wording writes the texts as JSON.
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

// nested returns the object in data for these groups, and makes it if necessary.
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

// add adds attributes to an object, by the rules of slog: empty ones are omitted, and the attributes of groups without
// a name are added to the object itself.
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

// isEmpty reports whether slog omits the attribute.
func isEmpty(a slog.Attr) bool {
	if v := a.Value.Resolve(); v.Kind() == slog.KindGroup {
		return len(v.Group()) == 0
	}
	return a.Key == ""
}

// value returns the JSON of a value. For one without JSON, or whose methods panic, it returns a text that reports that,
// like the handlers of slog, because logging must never end the work that is logged.
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
