package wire

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"time"
)

// LogScope is the set of attributes and groups that [slog.Logger.With] and WithGroup have added to a logger. It is
// immutable.
type LogScope struct {
	groups []string   // open groups, the outermost first
	attrs  []logAttrs // in the order they were added
}

// logAttrs are attributes, with the number of groups that were open when they were added.
type logAttrs struct {
	depth int
	attrs []slog.Attr
}

// With returns the scope with added attributes.
func (s LogScope) With(attrs []slog.Attr) LogScope {
	s.attrs = append(slices.Clip(s.attrs), logAttrs{len(s.groups), attrs})
	return s
}

// Within returns the scope with an open group; "" opens none.
func (s LogScope) Within(group string) LogScope {
	if group != "" {
		s.groups = append(slices.Clip(s.groups), group)
	}
	return s
}

// Append appends the data of a record: an object with its attributes, in which groups are objects, and with its message
// as "msg". If several attributes have the same name, only the last one is written, because strict readers refuse
// duplicate names. All texts in it are redacted and sanitized.
func (s LogScope) Append(dst []byte, record slog.Record, r Redactor) []byte {
	data := map[string]any{}
	for _, a := range s.attrs {
		r.addAttrs(r.nested(data, s.groups[:a.depth]), a.attrs)
	}
	record.Attrs(func(a slog.Attr) bool {
		if !isEmpty(a) { // an empty one must not create the groups
			r.addAttrs(r.nested(data, s.groups), []slog.Attr{a})
		}
		return true
	})
	data["msg"] = json.RawMessage(r.AppendString(nil, record.Message))
	raw, err := json.Marshal(data)
	if err != nil { // cannot happen: all leaves are valid JSON
		return append(dst, "null"...)
	}
	return append(dst, raw...)
}

// nested returns the object in data for these groups, which it creates if necessary.
func (r Redactor) nested(data map[string]any, groups []string) map[string]any {
	for _, g := range groups {
		g = r.key(g)
		inner, ok := data[g].(map[string]any)
		if !ok {
			inner = map[string]any{}
			data[g] = inner
		}
		data = inner
	}
	return data
}

// addAttrs adds attributes to an object, by the rules of slog: empty ones are omitted, and the attributes of groups without
// a name are added to the object itself.
func (r Redactor) addAttrs(data map[string]any, attrs []slog.Attr) {
	for _, a := range attrs {
		v := a.Value.Resolve()
		switch {
		case a.Key == "" && v.Kind() != slog.KindGroup:
		case v.Kind() != slog.KindGroup:
			data[r.key(a.Key)] = r.logValue(v)
		case len(v.Group()) == 0:
		case a.Key == "":
			r.addAttrs(data, v.Group())
		default:
			r.addAttrs(r.nested(data, []string{a.Key}), v.Group())
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

// logValue returns the JSON of a value. If the value cannot be marshaled or its methods panic, it returns a string that
// reports the error, like the handlers of slog, because logging must never abort the caller.
func (r Redactor) logValue(v slog.Value) (raw json.RawMessage) {
	defer func() {
		if p := recover(); p != nil {
			raw = r.AppendString(nil, fmt.Sprintf("!PANIC: %v", p))
		}
	}()
	plain := v.Any()
	switch v.Kind() {
	case slog.KindString:
		return r.AppendString(nil, v.String())
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
			return r.AppendString(nil, err.Error())
		}
	}
	raw, err := json.Marshal(plain)
	if err != nil {
		return r.AppendString(nil, "!ERROR:"+err.Error())
	}
	return r.AppendJSON(nil, raw, math.MaxInt)
}
