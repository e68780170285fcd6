// Package tasktest tests implementations of [task.Store]:
//
//	func TestStore(t *testing.T) {
//		tasktest.Run(t, func(t *testing.T) task.Store { return mystore.Open(t.TempDir()) })
//	}
package tasktest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// Run tests that a store follows all rules of [task.Store]. It calls open in each of its subtests; open must return an
// empty store, and should use t.Cleanup to close it.
func Run(t *testing.T, open func(t *testing.T) task.Store) {
	t.Helper()
	for _, check := range []struct {
		name string
		run  func(*testing.T, task.Store)
	}{
		{"create", create},
		{"unchanged", unchanged},
		{"invalid", invalid},
		{"update", update},
		{"conflict", conflict},
		{"ended", ended},
		{"race", race},
		{"expiry", expiry},
		{"wait", wait},
		{"list", list},
		{"heads", heads},
		{"tenants", tenants},
		{"delete", remove},
		{"large", large},
		{"context", contexts},
		{"memory", memory},
	} {
		t.Run(check.name, func(t *testing.T) { check.run(t, open(t)) })
	}
}

// Record returns the record of a new task, created now, with version 1.
func Record(id, principal string, ttl time.Duration) task.Record {
	now := time.Now().UTC()
	return task.Record{
		ID: id, Owner: task.Owner{Principal: principal}, Tool: "export", Revision: "2026-07-28", Status: task.StatusWorking,
		Created: now, Updated: now, TTL: ttl, PollInterval: time.Second, Version: 1,
	}
}

// add creates a record and returns it.
func add(t *testing.T, s task.Store, id string) task.Record {
	t.Helper()
	r := Record(id, "ann", time.Hour)
	if err := s.Create(t.Context(), r); err != nil {
		t.Fatalf("Create: %v", err)
	}
	return r
}

// get returns a record that must exist.
func get(t *testing.T, s task.Store, id string) task.Record {
	t.Helper()
	r, err := s.Get(t.Context(), id)
	if err != nil {
		t.Fatalf("Get(%q): %v", id, err)
	}
	return r
}

// same compares records by their JSON, in which equal times are written identically and white space is normalized.
func same(t *testing.T, got, want task.Record) {
	t.Helper()
	texts := []json.RawMessage{got.Result, got.Error}
	for _, in := range got.Inputs {
		texts = append(texts, in.Request, in.Answer)
	}
	for _, text := range texts {
		if text != nil && len(text) == 0 || bytes.ContainsAny(text, "\r\n") {
			t.Errorf("got JSON %q, want nil instead of empty JSON, and no line breaks", text)
		}
	}
	a, errA := json.Marshal(got)
	b, errB := json.Marshal(want)
	if errA != nil || errB != nil || string(a) != string(b) {
		t.Errorf("got  %s\nwant %s", a, b)
	}
}

func fails(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got error %v, want %v", what, err, want)
	}
}

func create(t *testing.T, s task.Store) {
	t.Helper()
	r := Record("a", "ann", time.Hour)
	r.Message = "begun"
	r.Inputs = []task.Input{{Key: "k", Request: json.RawMessage(`{"method":"roots/list"}`)}}
	r.Asked = 1
	if err := s.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	same(t, get(t, s, "a"), r)
	fails(t, "Create with an existing id", s.Create(t.Context(), Record("a", "bob", time.Hour)), task.ErrExists)
	same(t, get(t, s, "a"), r)
	_, err := s.Get(t.Context(), "b")
	fails(t, "Get of an unknown id", err, task.ErrNotFound)
	_, err = s.Update(t.Context(), Record("b", "ann", time.Hour))
	fails(t, "Update of an unknown id", err, task.ErrNotFound)
}

// unchanged checks that records are returned as they were stored, with any characters in their texts and JSON.
func unchanged(t *testing.T, s task.Store) {
	t.Helper()
	const text = "line\none\ttab \x00 \u2028 <b> & \"quoted\" \\ é 😀 "
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	value := json.RawMessage(`{"z":12345678901234567890,"a":[1.0,1e400,-0,null,{},[]],"a b":"\ud83d\ude00\/","text":` + string(quoted) + `}`)
	r := Record("a", text, 100*time.Hour+time.Nanosecond)
	r.Tenant, r.Tool, r.Message, r.PollInterval = text, text, text, 1500*time.Microsecond
	r.Status, r.Asked = task.StatusWorking, 1<<40
	r.Inputs = []task.Input{{Key: "z", Request: value, Answer: value}, {Key: "a" + text, Request: value}, {Key: "null", Request: value, Answer: json.RawMessage("null")}}
	if err := s.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	read := func() {
		t.Helper()
		same(t, get(t, s, "a"), r)
		waited, err := s.Wait(t.Context(), "a", 0)
		if err != nil {
			t.Fatal(err)
		}
		same(t, waited, r)
		list, err := s.List(t.Context(), task.Owner{Tenant: text, Principal: text}, "", 2)
		if err != nil || len(list) != 1 {
			t.Fatalf("List: got %d records and error %v, want 1 record", len(list), err)
		}
		same(t, list[0], r.Head())
	}
	read()
	r.Inputs, r.Status, r.Result = nil, task.StatusCompleted, value
	if r, err = s.Update(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	r.Result = value
	read()
	failed := Record("b", "ann", time.Hour)
	if err := s.Create(t.Context(), failed); err != nil {
		t.Fatal(err)
	}
	failed.Status, failed.Error = task.StatusFailed, json.RawMessage(`{"code":-32603,"message":`+string(quoted)+`,"data":`+string(value)+`}`)
	if _, err := s.Update(t.Context(), failed); err != nil {
		t.Fatal(err)
	}
	failed.Version++
	same(t, get(t, s, "b"), failed)
}

func invalid(t *testing.T, s task.Store) {
	t.Helper()
	for name, spoil := range map[string]func(*task.Record){
		"no id":           func(r *task.Record) { r.ID = "" },
		"no status":       func(r *task.Record) { r.Status = "" },
		"an ended status": func(r *task.Record) { r.Status = task.StatusCompleted },
		"no TTL":          func(r *task.Record) { r.TTL = 0 },
		"another version": func(r *task.Record) { r.Version = 2 },
	} {
		r := Record("a", "ann", time.Hour)
		spoil(&r)
		fails(t, "Create with "+name, s.Create(t.Context(), r), task.ErrInvalid)
	}
	add(t, s, "a")
	for name, spoil := range map[string]func(*task.Record){
		"a changed principal": func(r *task.Record) { r.Principal = "bob" },
		"a changed tenant":    func(r *task.Record) { r.Tenant = "acme" },
		"a changed time":      func(r *task.Record) { r.Created = r.Created.Add(time.Second) },
		"an unknown status":   func(r *task.Record) { r.Status = "sleeping" },
	} {
		r := get(t, s, "a")
		spoil(&r)
		_, err := s.Update(t.Context(), r)
		fails(t, "Update with "+name, err, task.ErrInvalid)
	}
}

func update(t *testing.T, s task.Store) {
	t.Helper()
	r := add(t, s, "a")
	r.Status, r.Message = task.StatusInputRequired, "what now?"
	r.Inputs = []task.Input{{Key: "k", Request: json.RawMessage(`{"method":"roots/list"}`)}}
	r.Updated = r.Updated.Add(time.Second)
	stored, err := s.Update(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	r.Version++
	same(t, stored, r)
	same(t, get(t, s, "a"), r)
	r.Status, r.Message, r.Result, r.Inputs = task.StatusCompleted, "", json.RawMessage(`{"content":[]}`), nil
	if stored, err = s.Update(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	r.Version++
	same(t, stored, r)
	same(t, get(t, s, "a"), r)
}

func conflict(t *testing.T, s task.Store) {
	t.Helper()
	add(t, s, "a")
	first, second := get(t, s, "a"), get(t, s, "a")
	first.Message, second.Message = "first", "second"
	if _, err := s.Update(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	_, err := s.Update(t.Context(), second)
	fails(t, "Update of an old version", err, task.ErrConflict)
	if r := get(t, s, "a"); r.Message != "first" || r.Version != 2 {
		t.Errorf("got message %q and version %d, want those of the first update", r.Message, r.Version)
	}
}

func ended(t *testing.T, s task.Store) {
	t.Helper()
	for _, status := range []task.Status{task.StatusCompleted, task.StatusFailed, task.StatusCancelled} {
		id := string(status)
		r := add(t, s, id)
		r.Status = status
		r, err := s.Update(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		changed := r
		changed.Status = task.StatusWorking
		_, err = s.Update(t.Context(), changed)
		fails(t, "Update of a task that is "+id, err, task.ErrEnded)
		changed.Version = 1
		_, err = s.Update(t.Context(), changed)
		fails(t, "Update of an old version of a task that is "+id, err, task.ErrEnded)
		same(t, get(t, s, id), r)
	}
}

// race checks concurrent changes of a record: each of them takes effect, but only one can end the task.
func race(t *testing.T, s task.Store) {
	t.Helper()
	const changers = 8
	add(t, s, "a")
	var all sync.WaitGroup
	for range changers {
		all.Go(func() {
			if _, err := task.Change(t.Context(), s, "a", func(r *task.Record) error { r.Asked++; return nil }); err != nil {
				t.Errorf("Change: %v", err)
			}
		})
	}
	all.Wait()
	if r := get(t, s, "a"); r.Asked != changers || r.Version != changers+1 {
		t.Errorf("after %d changes: got Asked %d and version %d", changers, r.Asked, r.Version)
	}
	var mu sync.Mutex
	var won []string
	for i := range changers {
		all.Go(func() {
			name := fmt.Sprint(i)
			_, err := task.Change(t.Context(), s, "a", func(r *task.Record) error {
				r.Status, r.Message = task.StatusCompleted, name
				return nil
			})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won = append(won, name)
			} else if !errors.Is(err, task.ErrEnded) {
				t.Errorf("Change: %v", err)
			}
		})
	}
	all.Wait()
	if r := get(t, s, "a"); len(won) != 1 || r.Message != won[0] {
		t.Errorf("%v ended the task, want one; its message is %q", won, r.Message)
	}
}

func expiry(t *testing.T, s task.Store) {
	t.Helper()
	const ttl = 200 * time.Millisecond
	r := Record("a", "ann", ttl)
	if err := s.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	_, err := s.Wait(t.Context(), "a", 1)
	fails(t, "Wait for a task that expires", err, task.ErrNotFound)
	if time.Now().Before(r.Expires()) {
		t.Error("the task expired too early")
	}
	_, err = s.Get(t.Context(), "a")
	fails(t, "Get of an expired task", err, task.ErrNotFound)
	_, err = s.Update(t.Context(), r)
	fails(t, "Update of an expired task", err, task.ErrNotFound)
	if all, err := s.List(t.Context(), task.Owner{Principal: "ann"}, "", 10); err != nil || len(all) != 0 {
		t.Errorf("List after expiry: got %d tasks and error %v, want none", len(all), err)
	}
}

func wait(t *testing.T, s task.Store) {
	t.Helper()
	r := add(t, s, "a")
	if got, err := s.Wait(t.Context(), "a", 0); err != nil || got.Version != 1 {
		t.Errorf("Wait for version 1: got version %d and error %v", got.Version, err)
	}
	_, err := s.Wait(t.Context(), "b", 0)
	fails(t, "Wait for an unknown id", err, task.ErrNotFound)

	const waiters = 4
	got := make(chan task.Record, waiters)
	for range waiters {
		go func() {
			r, err := s.Wait(t.Context(), "a", 1)
			if err != nil {
				t.Errorf("Wait: %v", err)
			}
			got <- r
		}()
	}
	r.Message = "changed"
	if _, err := s.Update(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	for range waiters {
		if r := <-got; r.Version != 2 || r.Message != "changed" {
			t.Errorf("Wait: got version %d and message %q, want 2 and \"changed\"", r.Version, r.Message)
		}
	}
}

func list(t *testing.T, s task.Store) {
	t.Helper()
	for i := range 5 {
		r := Record(fmt.Sprintf("t%d", 4-i), "ann", time.Hour)
		r.Created = r.Created.Add(time.Duration(i/2) * time.Second).Truncate(time.Second) // some at one time
		if err := s.Create(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Create(t.Context(), Record("other", "bob", time.Hour)); err != nil {
		t.Fatal(err)
	}
	var all []task.Record
	after := ""
	for range 3 {
		page, err := s.List(t.Context(), task.Owner{Principal: "ann"}, after, 2)
		if err != nil || len(page) == 0 || len(page) > 2 {
			t.Fatalf("List with limit 2: got %d tasks and error %v", len(page), err)
		}
		all = append(all, page...)
		after = page[len(page)-1].ID
	}
	for i := 1; i < len(all); i++ {
		if a, b := all[i-1], all[i]; cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) >= 0 {
			t.Errorf("List: got %s before %s", all[i-1].ID, all[i].ID)
		}
	}
	if len(all) != 5 {
		t.Errorf("List: got %d tasks on three pages, want 5", len(all))
	}
	if page, err := s.List(t.Context(), task.Owner{Principal: "ann"}, after, 2); err != nil || len(page) != 0 {
		t.Errorf("List after the last task: got %d tasks and error %v, want none", len(page), err)
	}
	_, err := s.List(t.Context(), task.Owner{Principal: "ann"}, "nope", 2)
	fails(t, "List after an unknown id", err, task.ErrNotFound)
	_, err = s.List(t.Context(), task.Owner{Principal: "ann"}, "other", 2)
	fails(t, "List after a task of another principal", err, task.ErrNotFound)
	if page, err := s.List(t.Context(), task.Owner{Principal: "eve"}, "", 2); err != nil || len(page) != 0 {
		t.Errorf("List of a principal without tasks: got %d tasks and error %v, want none", len(page), err)
	}
}

// heads checks that records in a list have only what [task.Record.Head] returns: a List with whole records has the same
// Go type.
func heads(t *testing.T, s task.Store) {
	t.Helper()
	change := func(id string, change func(*task.Record)) {
		t.Helper()
		r := Record(id, "ann", time.Hour)
		r.Durable = &task.Durable{Arguments: json.RawMessage("{}"), Epoch: 1, Owner: "one", Attempts: 1}
		if err := s.Create(t.Context(), r); err != nil {
			t.Fatalf("Create: %v", err)
		}
		change(&r)
		if _, err := s.Update(t.Context(), r); err != nil && !errors.Is(err, task.ErrFull) {
			t.Fatalf("Update: %v", err)
		}
	}
	change("asking", func(r *task.Record) {
		r.Status, r.Inputs = task.StatusInputRequired, []task.Input{{Key: "k", Request: json.RawMessage("{}")}}
	})
	change("completed", func(r *task.Record) { r.Status, r.Result = task.StatusCompleted, json.RawMessage("{}") })
	change("failed", func(r *task.Record) { r.Status, r.Error = task.StatusFailed, json.RawMessage("{}") })
	page, err := s.List(t.Context(), task.Owner{Principal: "ann"}, "", 10)
	if err != nil || len(page) != 3 {
		t.Fatalf("List: got %d tasks and error %v, want 3", len(page), err)
	}
	for _, r := range page {
		for field, isSet := range map[string]bool{"Result": r.Result != nil, "Error": r.Error != nil, "Inputs": r.Inputs != nil, "Durable": r.Durable != nil} {
			if isSet {
				t.Errorf("List returned the %s of the task %q; it must return records as task.Record.Head does, and not read the other fields", field, r.ID)
			}
		}
	}
}

// tenants checks that a principal in two tenants, and one without a tenant, are three owners.
func tenants(t *testing.T, s task.Store) {
	t.Helper()
	owners := []task.Owner{
		{Principal: "ann"},
		{Tenant: "acme", Principal: "ann"},
		{Tenant: "globex", Principal: "ann"},
		{Tenant: "acme"},
		{Tenant: "ac", Principal: "meann"}, // not the same text in another division
	}
	for i, owner := range owners {
		r := Record(strconv.Itoa(i), "", time.Hour)
		r.Owner = owner
		if err := s.Create(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	for i, owner := range owners {
		page, err := s.List(t.Context(), owner, "", 2)
		if err != nil || len(page) != 1 {
			t.Errorf("List of %+v: got %d tasks and error %v, want 1 task", owner, len(page), err)
			continue
		}
		if page[0].ID != strconv.Itoa(i) || page[0].Owner != owner {
			t.Errorf("List of %+v: got a task of %+v", owner, page[0].Owner)
		}
		_, err = s.List(t.Context(), owner, strconv.Itoa((i+1)%len(owners)), 2)
		fails(t, "List after a task of the same principal in another tenant", err, task.ErrNotFound)
	}
}

func remove(t *testing.T, s task.Store) {
	t.Helper()
	add(t, s, "a")
	waited := make(chan error, 1)
	go func() {
		_, err := s.Wait(t.Context(), "a", 1)
		waited <- err
	}()
	for range 2 { // the second time the record does not exist
		if err := s.Delete(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
	}
	fails(t, "Wait for a task that is deleted", <-waited, task.ErrNotFound)
	_, err := s.Get(t.Context(), "a")
	fails(t, "Get of a deleted task", err, task.ErrNotFound)
}

// large ends a task with a large result. A store without room for the result must keep the record unchanged, and accept
// an end without the result.
func large(t *testing.T, s task.Store) {
	t.Helper()
	before := add(t, s, "a")
	r := before
	r.Status, r.Result = task.StatusCompleted, json.RawMessage(`{"content":["`+strings.Repeat("-", 1<<20)+`"]}`)
	stored, err := s.Update(t.Context(), r)
	if err == nil {
		same(t, get(t, s, "a"), stored)
		return
	}
	fails(t, "Update with a large result", err, task.ErrFull)
	same(t, get(t, s, "a"), before)
	r.Status, r.Result, r.Error = task.StatusFailed, nil, json.RawMessage(`{"code":-32603,"message":"the result is too large"}`)
	if _, err := s.Update(t.Context(), r); err != nil {
		t.Errorf("Update without the result: %v", err)
	}
}
