package boltstore_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// tornPage is the page size of the file.
const tornPage = 4096

// TestTornPage simulates a power failure during a write of a durable task, which leaves its pages partly written. The
// task must be as before or as after the write, with its Once values, questions, and answers complete.
func TestTornPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "tasks.db")
	s := open(t, path, boltstore.Limits{Lease: time.Hour}) // the test may take longer than the default
	first := tasktest.Durable("a", "ann", time.Hour)
	if err := s.Create(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	states := 0
	for _, c := range durableSteps() {
		before, want := readAll(t, path), get(t, s)
		if err := c.do(t, s); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		after, wanted := readAll(t, path), get(t, s)
		if cmp.Equal(want, wanted) {
			t.Errorf("%s: nothing has changed", c.name)
		}
		for name, torn := range tornFiles(before, after) {
			path := filepath.Join(dir, "torn")
			if err := os.WriteFile(path, torn, 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := boltstore.Open(path, boltstore.Limits{})
			if err != nil {
				t.Fatalf("%s, %s: %v", c.name, name, err)
			}
			got := get(t, s)
			isRight := cmp.Equal(want, got) || strings.HasPrefix(name, "which counts") && cmp.Equal(wanted, got)
			if !isRight {
				t.Errorf("%s, %s (-before +got):\n%s", c.name, name, cmp.Diff(want, got))
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			states++
		}
	}
	t.Logf("%d files with torn pages", states)
}

// durableStep is a write of the durable task "a".
type durableStep struct {
	name string
	do   func(*testing.T, *boltstore.Store) error
}

// durableSteps are the writes in the life of a durable task, one transaction each.
func durableSteps() []durableStep {
	change := func(f func(*task.Record)) func(*testing.T, *boltstore.Store) error {
		return func(t *testing.T, s *boltstore.Store) error {
			t.Helper()
			_, err := task.Change(t.Context(), s, "a", func(r *task.Record) error {
				d := *r.Durable
				r.Durable = &d
				f(r)
				return nil
			})
			return err
		}
	}
	return []durableStep{
		{"a value of Once", change(func(r *task.Record) {
			r.Durable.Journal = json.RawMessage(`{"once":"` + strings.Repeat("a", 10_000) + `"}`)
		})},
		{"a question", change(func(r *task.Record) {
			r.Status, r.Asked = task.StatusInputRequired, 1
			r.Inputs = []task.Input{{Key: "k", Request: json.RawMessage(`{"method":"elicitation/create","params":"` + strings.Repeat("q", 3000) + `"}`)}}
		})},
		{"an answer", change(func(r *task.Record) {
			r.Inputs = []task.Input{r.Inputs[0]}
			r.Inputs[0].Answer = json.RawMessage(`{"seat":"` + strings.Repeat("s", 5000) + `"}`)
		})},
		{"the answer is used", change(func(r *task.Record) {
			r.Status, r.Inputs = task.StatusWorking, nil
			r.Durable.Journal = json.RawMessage(`{"once":"` + strings.Repeat("a", 10_000) + `","seat":"` + strings.Repeat("s", 5000) + `"}`)
		})},
		{"a release", func(t *testing.T, s *boltstore.Store) error {
			t.Helper()
			return s.Release(t.Context(), "a", 1, "the server stops")
		}},
		{"a claim", func(t *testing.T, s *boltstore.Store) error {
			t.Helper()
			r, err := s.Claim(t.Context(), "second")
			if err == nil && (r.ID != "a" || r.Durable.Epoch != 2) {
				err = fmt.Errorf("claimed %+v", r)
			}
			return err
		}},
		{"the end", change(func(r *task.Record) { r.Status, r.Result = task.StatusCompleted, json.RawMessage(`{"content":[]}`) })},
	}
}

func get(t *testing.T, s *boltstore.Store) task.Record {
	t.Helper()
	r, err := s.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func readAll(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// tornFiles returns the files that an interrupted write of the new file over the old one can leave, by description.
// bbolt writes the pages in order, syncs, and then writes one of the two meta pages.
func tornFiles(before, after []byte) map[string][]byte {
	files := map[string][]byte{}
	now := make([]byte, max(len(before), len(after)))
	copy(now, before)
	tear := func(at, n int, what string) {
		torn := bytes.Clone(now)
		copy(torn[at:at+n], after[at:])
		files[fmt.Sprintf("%s: %d bytes of page %d", what, n, at/tornPage)] = torn
	}
	changed := func(at int) bool { return !bytes.Equal(now[at:at+tornPage], after[at:at+tornPage]) }
	for at := 2 * tornPage; at+tornPage <= len(after); at += tornPage {
		if !changed(at) {
			continue
		}
		for _, n := range []int{512, tornPage - 8} {
			tear(at, n, "a page")
		}
		copy(now[at:], after[at:at+tornPage])
	}
	for at := 0; at < 2*tornPage; at += tornPage {
		for n := 8; changed(at) && n < 96; n += 24 { // the last of them tears the checksum
			tear(at, n, "which counts")
		}
	}
	return files
}
