package boltstore_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/fixture/booking"
)

// TestKillDurable repeatedly kills a server with kill -9 in the middle of durable tasks and starts another one. Each
// task that the client knows of ends with its result, Once never returns two different values for a key, and each
// accepted answer reaches the func.
func TestKillDurable(t *testing.T) { //nolint:paralleltest // it sets an environment variable
	dir := t.TempDir()
	path, log := filepath.Join(dir, "tasks.db"), filepath.Join(dir, "log")
	t.Setenv(booking.LogFile, log)
	rounds, each := 40, 5
	if testing.Short() {
		rounds = 4
	}
	var tasks booking.Tasks
	var p *peer
	send := func(method, params string, result any) error {
		p.request(method, params, result)
		return nil
	}
	pick := func() booking.Request { return send }
	for round := range rounds {
		p = startPeer(t, path)
		tasks.Begin(each, pick)
		if round%3 > 0 {
			tasks.Answer(t, pick)
		}
		time.Sleep(time.Duration(round%14) * 2 * time.Millisecond) // at some point in the tasks' work
		p.kill()
	}
	p = startPeer(t, path)
	defer p.kill()
	for end := time.Now().Add(30 * time.Second); tasks.Answer(t, pick) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not all tasks end")
		}
	}
	runs := tasks.Check(t, log)
	if runs <= tasks.Len() {
		t.Errorf("%d runs of %d tasks: none was run again", runs, tasks.Len())
	}
	t.Logf("%d tasks, %d runs", tasks.Len(), runs)
}
