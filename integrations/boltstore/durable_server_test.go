package boltstore_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

type (
	bookIn struct {
		_ struct{} `mcp:"name=book,task=required,durable"`
		N int      `json:"n"`
	}
	bookOut struct {
		Order string `json:"order"`
		Seat  string `json:"seat"`
	}
	seat struct {
		Seat string `json:"seat"`
	}
)

// bookLog is the variable with the path of the file in which book notes what it has seen, beside the store.
const bookLog = "BOLTSTORE_BOOK_LOG"

// book makes the number of an order, asks for a seat with it, and goes on for a while.
func book(ctx context.Context, in bookIn) (bookOut, error) {
	order, err := mcptool.Once(ctx, "order", func(context.Context) (string, error) { return rand.Text(), nil })
	if err != nil {
		return bookOut{}, err
	}
	if err := note(in.N, "order", order); err != nil {
		return bookOut{}, err
	}
	mcptool.Progress(ctx, 1, 3, "order "+order)
	chosen, err := mcptool.Elicit[seat](ctx, "Which seat for order "+order+"?")
	if err != nil {
		return bookOut{}, err
	}
	if err := note(in.N, "seat", chosen.Seat); err != nil {
		return bookOut{}, err
	}
	select {
	case <-time.After(5 * time.Millisecond):
	case <-ctx.Done():
		return bookOut{}, ctx.Err()
	}
	again, err := mcptool.Once(ctx, "again", func(context.Context) (string, error) { return chosen.Seat, nil })
	if err == nil && again != chosen.Seat {
		err = mcptool.Errorf("the seat was %s and is %s", again, chosen.Seat)
	}
	return bookOut{Order: order, Seat: chosen.Seat}, err
}

// note appends a line to the log.
func note(n int, what, value string) error {
	file, err := os.OpenFile(os.Getenv(bookLog), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // what was written is in the system
	_, err = fmt.Fprintf(file, "%d %s %s\n", n, what, value)
	return err
}

// booking is a durable task that a client was told of.
type booking struct {
	id, answer string // "" until it was answered
}

// bookTask is what tasks/get tells of it.
type bookTask struct {
	Status        string
	StatusMessage string
	InputRequests map[string]struct{ Params struct{ Message string } }
	Result        *struct{ StructuredContent bookOut }
}

// TestKillDurable kills a server with kill -9 in the middle of durable tasks, again and again, and starts another one: each
// task that the client was told of ends with its result, no two values of Once were ever seen, and each answer that the
// server has accepted has reached the func.
func TestKillDurable(t *testing.T) { //nolint:paralleltest // it sets an environment variable
	dir := t.TempDir()
	path, logPath := filepath.Join(dir, "tasks.db"), filepath.Join(dir, "log")
	t.Setenv(bookLog, logPath)
	rounds, each := 40, 5
	if testing.Short() {
		rounds = 4
	}
	told := map[int]*booking{}
	answer := func(p *peer) (open int) {
		for n, b := range told {
			var now bookTask
			p.request("tasks/get", fmt.Sprintf(`"taskId":%q`, b.id), &now)
			switch now.Status {
			case "completed":
				if b.answer == "" || now.Result.StructuredContent.Seat != b.answer {
					t.Errorf("task %d was answered with %q and has %+v", n, b.answer, now.Result)
				}
				continue
			case "failed", "cancelled":
				t.Errorf("task %d is %s: %s", n, now.Status, now.StatusMessage)
				continue
			}
			open++
			for key := range now.InputRequests {
				seat := fmt.Sprint("seat-", n)
				p.request("tasks/update", fmt.Sprintf(`"taskId":%q,"inputResponses":{%q:{"action":"accept","content":{"seat":%q}}}`, b.id, key, seat), new(struct{}))
				b.answer = seat
			}
		}
		return open
	}
	for round := range rounds {
		p := startPeer(t, path)
		for i := range each {
			var created struct{ TaskID string }
			n := round*each + i
			p.request("tools/call", fmt.Sprintf(`"name":"book","arguments":{"n":%d}`, n), &created)
			told[n] = &booking{id: created.TaskID}
		}
		if round%3 > 0 {
			answer(p)
		}
		time.Sleep(time.Duration(round%7) * time.Millisecond)
		p.kill()
	}
	p := startPeer(t, path)
	defer p.kill()
	for end := time.Now().Add(30 * time.Second); answer(p) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not all tasks end")
		}
	}
	checkNotes(t, logPath, told)
}

// checkNotes checks what the func has noted, in all processes.
func checkNotes(t *testing.T, path string, told map[int]*booking) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	runs := 0
	for line := range bytes.Lines(data) {
		fields := strings.Fields(string(line)) // the number of the task, what it is, and the value
		what, value := fields[0]+" "+fields[1], fields[2]
		if fields[1] == "order" {
			runs++
		}
		if before, twice := seen[what]; twice && before != value {
			t.Errorf("%s was %s and is %s", what, before, value)
		}
		seen[what] = value
	}
	if runs <= len(told) {
		t.Errorf("%d runs of %d tasks: none was run again", runs, len(told))
	}
	for _, n := range slices.Sorted(maps.Keys(told)) {
		if got := seen[fmt.Sprint(n, " seat")]; got != told[n].answer {
			t.Errorf("task %d was answered with %q, and its func has seen %q", n, told[n].answer, got)
		}
	}
	t.Logf("%d tasks, %d runs", len(told), runs)
}
