package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// LogScope is the attributes and groups that [slog.Logger.With] and WithGroup have added to a logger, in their order: each
// func adds some to a handler. It is immutable.
type LogScope []func(slog.Handler) slog.Handler

// With returns the scope with added attributes.
func (s LogScope) With(attrs []slog.Attr) LogScope {
	return append(slices.Clip(s), func(h slog.Handler) slog.Handler { return h.WithAttrs(attrs) })
}

// Within returns the scope with an open group.
func (s LogScope) Within(group string) LogScope {
	return append(slices.Clip(s), func(h slog.Handler) slog.Handler { return h.WithGroup(group) })
}

// Append appends the data of a record: an object with its attributes as [slog.JSONHandler] writes them, and with its
// message as "msg". If several attributes have the same name, only the last one is written, because strict readers refuse
// duplicate names. All texts in it are redacted and sanitized.
func (s LogScope) Append(dst []byte, record slog.Record, r Redactor) []byte {
	var text bytes.Buffer
	var h slog.Handler = slog.NewJSONHandler(&text, &slog.HandlerOptions{ReplaceAttr: replaceAttr})
	for _, add := range s {
		h = add(h)
	}
	record.Time = time.Time{} // is not written
	data := map[string]any{}
	decoder := json.NewDecoder(&text)
	decoder.UseNumber()
	if h.Handle(context.Background(), record) != nil || decoder.Decode(&data) != nil {
		clear(data) // cannot happen: a handler writes an error as a value
	}
	data[slog.MessageKey] = record.Message
	raw, err := json.Marshal(data)
	if err != nil || rawjson.Valid(raw, 0) != nil { // it was decoded, so it can only be nested too deeply
		return append(r.AppendText(append(dst, '{'), slog.MessageKey, record.Message), '}')
	}
	return r.AppendJSON(dst, raw, math.MaxInt)
}

// replaceAttr removes the level of a record, and writes durations and infinite numbers as people read them.
func replaceAttr(groups []string, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindDuration:
		a.Value = slog.StringValue(a.Value.Duration().String())
	case slog.KindFloat64:
		if f := a.Value.Float64(); math.IsNaN(f) || math.IsInf(f, 0) {
			a.Value = slog.StringValue(strconv.FormatFloat(f, 'g', -1, 64))
		}
	default:
		if _, ok := a.Value.Any().(slog.Level); ok && len(groups) == 0 && a.Key == slog.LevelKey {
			return slog.Attr{}
		}
	}
	return a
}
