package jetstream_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// TestDamage replaces a stored record with data that this version has not written: reading this record fails, reading
// others does not.
func TestDamage(t *testing.T) {
	t.Parallel()
	address := natsServer(t)
	c := connect(t, address, jetstream.Options{})
	s := c.Tasks()
	js := jetStream(t, address)
	stream := streamOf(t, js, "mcptool-records")
	put(t, s, tasktest.Record("good", "ann", time.Hour))
	for _, bad := range []struct {
		name  string
		spoil func(string) string
		says  string
	}{
		{"not JSON", func(string) string { return "hello" }, "invalid character"},
		{"empty", func(string) string { return "" }, "unexpected end"},
		{"truncated", func(text string) string { return text[:len(text)/2] }, "unexpected end"},
		{"something behind", func(text string) string { return text + "{}" }, "invalid character"},
		{"a newer format", func(text string) string { return strings.Replace(text, `_task":1`, `_task":2`, 1) }, "format 2"},
		{"no format", func(text string) string { return strings.Replace(text, `_task":1`, `_task":0`, 1) }, "format 0"},
		{"a newer member", func(text string) string { return strings.Replace(text, `"tool":`, `"journal":{},"tool":`, 1) }, "journal"},
		{"another task", func(text string) string { return strings.Replace(text, `"id":"`, `"id":"x`, 1) }, "not the record of its subject"},
		{"no version", func(text string) string { return strings.Replace(text, `"version":1`, `"version":0`, 1) }, "not the record of its subject"},
		{"parts below zero", func(text string) string {
			return strings.Replace(text, `,"record"`, `,"parts":{"name":"x","count":-1,"bytes":-1},"record"`, 1)
		}, "not the record of its subject"},
		{"missing parts", func(text string) string {
			return strings.Replace(text, `,"record"`, `,"parts":{"name":"x","count":1,"bytes":1},"record"`, 1)
		}, "part 1 of 1 is missing"},
	} {
		put(t, s, tasktest.Record(bad.name, "ann", time.Hour))
		info, err := stream.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		raw, err := stream.GetMsg(t.Context(), info.State.LastSeq)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := js.PublishMsg(t.Context(), &nats.Msg{Subject: raw.Subject, Data: []byte(bad.spoil(string(raw.Data)))}); err != nil {
			t.Fatal(err)
		}
		if _, err = s.Get(t.Context(), bad.name); !errors.Is(err, jetstream.ErrRecord) || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("%s: %v, want one with %q", bad.name, err, bad.says)
		}
		if _, err := s.Get(t.Context(), "good"); err != nil {
			t.Errorf("%s: the other record: %v", bad.name, err)
		}
	}
	list, err := s.List(t.Context(), task.Owner{Principal: "ann"}, "", 100)
	if err != nil || len(list) != 2 || list[0].ID != "good" { // the other lacks only fields that lists omit
		t.Errorf("a list of %d records, %v", len(list), err)
	}
	for _, id := range []string{"not JSON", "missing parts"} {
		if err := s.Delete(t.Context(), id); err != nil {
			t.Errorf("Delete: %v", err)
		}
		put(t, s, tasktest.Record(id, "ann", time.Hour))
	}
}

// TestParts damages the parts of a large record.
func TestParts(t *testing.T) {
	t.Parallel()
	address := natsServer(t)
	s := connect(t, address, jetstream.Options{}).Tasks()
	r := put(t, s, tasktest.Record("a", "ann", time.Hour))
	r.Status, r.Result = task.StatusCompleted, json.RawMessage(`"`+strings.Repeat("r", 600<<10)+`"`)
	if _, err := s.Update(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	js := jetStream(t, address)
	stream := streamOf(t, js, "mcptool-parts")
	part, err := stream.GetMsg(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	part.Data[0]++
	if _, err := js.Publish(t.Context(), part.Subject, part.Data); err != nil {
		t.Fatal(err)
	}
	_, err = s.Get(t.Context(), "a")
	wantErr(t, "a part that was changed", err, jetstream.ErrRecord)
	if err := stream.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = s.Get(t.Context(), "a")
	wantErr(t, "a part that is missing", err, jetstream.ErrRecord)
}
