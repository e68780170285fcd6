package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/integrations/jetstream/embedded"
	"github.com/mcptool-go/mcptool/internal/testing/child"
	"github.com/mcptool-go/mcptool/internal/testing/fixture/booking"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// connect connects an instance of a server.
func connect(t *testing.T, address string, opts jetstream.Options) *jetstream.Conn {
	t.Helper()
	js, err := jetstream.Connect(address, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := js.Close(); err != nil {
			t.Error(err)
		}
	})
	return js
}

// TestMove moves a server with running tasks from a file to NATS: its durable tasks continue there with their recorded
// values.
func TestMove(t *testing.T) { //nolint:paralleltest // it sets an environment variable
	dir := t.TempDir()
	path, log := filepath.Join(dir, "tasks.db"), filepath.Join(dir, "log")
	t.Setenv(booking.LogFile, log)
	file := open(t, path)
	fill(t, file, 300)
	before := serve(t, file)
	var tasks booking.Tasks
	const each = 10
	pick := func(c *client) func() booking.Request { return func() booking.Request { return c.request } }
	tasks.Begin(each, pick(before))
	awaitEnd := func(c *client) {
		t.Helper()
		for end := time.Now().Add(30 * time.Second); tasks.Answer(t, pick(c)) > 0; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("not all tasks end")
			}
		}
	}
	awaitEnd(before)
	tasks.Begin(each, pick(before)) // they ask, or are about to
	for asking := 0; asking < each; time.Sleep(10 * time.Millisecond) {
		asking = 0
		for r, err := range file.Records(t.Context()) {
			if err == nil && r.Status == task.StatusInputRequired {
				asking++
			}
		}
	}
	answers := 0
	tasks.Answer(t, func() booking.Request { // some of them
		if answers++; answers > each+each/2 {
			return nil
		}
		return before.request
	})
	before.stop()
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}

	address := natsServer(t, "secret")
	args := []string{"-from", path, "-to", strings.Replace(address, "//", "//secret@", 1)}
	out := copies(t, 0, args, "320 tasks: 320 copied, 0 there already, 0 expired, 0 not copied\n", "the destination has 320 tasks")
	if strings.Contains(out, "secret") {
		t.Errorf("it prints the token:\n%s", out)
	}
	copies(t, 0, args, "320 tasks: 0 copied, 320 there already, 0 expired, 0 not copied\n", "the destination has 320 tasks")

	js := connect(t, args[3], jetstream.Options{})
	after := serve(t, js.Tasks())
	awaitEnd(after)
	after.stop()
	if runs := tasks.Check(t, log); runs <= tasks.Len() {
		t.Errorf("%d runs of %d tasks: none has gone on", runs, tasks.Len())
	}
	source := open(t, path)
	defer source.Close()
	for r, err := range source.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got, err := js.Tasks().Get(t.Context(), r.ID)
		if err != nil || string(got.Result) != string(r.Result) && r.Result != nil || r.Status == task.StatusFailed && got.Message != r.Message {
			t.Errorf("task %s: %s %q with %d bytes, %v; want %s %q with %d bytes", r.ID, got.Status, got.Message, len(got.Result), err, r.Status, r.Message, len(r.Result))
		}
	}
}

// copying is the environment variable that makes the test run as the command, to be killed.
const copying = "COPYTASKS_COPYING"

// TestKill repeatedly kills the command and runs it again.
func TestKill(t *testing.T) {
	if args := os.Getenv(copying); args != "" {
		os.Exit(run(t.Context(), strings.Fields(args), os.Stderr, os.Stderr))
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tasks.db")
	s := open(t, path)
	fill(t, s, 300)
	for _, id := range []string{"a", "b", "c"} {
		if err := s.Create(t.Context(), tasktest.Durable(id, "ann", time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	address := natsServer(t, "")
	args := []string{"-from", path, "-to", address}
	js := connect(t, address, jetstream.Options{})
	there := func(n int) bool {
		_, err := js.Tasks().Get(t.Context(), fmt.Sprintf("task-%03d", n))
		return err == nil
	}
	middle := 0 // kills during a copy
	for round := range 5 {
		p := child.Start(t, "TestKill", copying, strings.Join(args, " "))
		for begun := time.Now(); !there(50*round) && time.Since(begun) < 20*time.Second; {
			time.Sleep(2 * time.Millisecond)
		}
		p.Kill()
		if there(0) && !there(299) {
			middle++
		}
	}
	copies(t, 0, args, "303 tasks: ", " 0 expired, 0 not copied\n3 durable tasks", "the destination has 303 tasks")
	copies(t, 0, args, "303 tasks: 0 copied, 303 there already, 0 expired, 0 not copied\n3 durable tasks")
	if middle == 0 {
		t.Error("no copy was killed in the middle")
	}
}

// TestPlaces copies between all kinds of places, and back.
func TestPlaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	single := filepath.Join(dir, "single")
	js, err := embedded.Open(single, embedded.Node{Name: "one"}, jetstream.Options{Name: "reports"})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, js.Tasks(), 40)
	if err := js.Tasks().Create(t.Context(), tasktest.Durable("durable", "ann", time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := js.Close(); err != nil {
		t.Fatal(err)
	}
	address := natsServer(t, "")
	first, second := filepath.Join(dir, "first.db"), filepath.Join(dir, "second.db")
	const all = "41 tasks: 41 copied, 0 there already, 0 expired, 0 not copied\n1 durable tasks had not ended, and go on"
	for _, args := range [][]string{
		{"-from", single, "-from-node", "one", "-from-name", "reports", "-to", address, "-to-name", "first"},
		{"-from", address, "-from-name", "first", "-to", address, "-to-name", "second"},
		{"-from", address, "-from-name", "second", "-to", first},
		{"-from", first, "-to", second},
		{"-from", second, "-to", address, "-to-name", "third", "-replicas", "1"},
	} {
		copies(t, 0, args, all, "the destination has 41 tasks")
	}
	copies(t, 0, []string{"-from", address, "-from-name", "first", "-to", address, "-to-name", "third"}, "41 tasks: 0 copied, 41 there already")
}

// TestRefused checks that the errors for tasks that cannot be copied include a fix.
func TestRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, other := filepath.Join(dir, "tasks.db"), filepath.Join(dir, "other.db")
	used, inUse := filepath.Join(dir, "used.db"), filepath.Join(dir, "embedded")
	file, busy := open(t, path), open(t, used)
	defer busy.Close()
	fill(t, file, 8)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(dir, "none.db")
	if err := open(t, none).Close(); err != nil {
		t.Fatal(err)
	}
	address := natsServer(t, "")
	running := connect(t, address, jetstream.Options{})
	node, err := embedded.Open(inUse, embedded.Node{}, jetstream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close()
	if err := running.Tasks().Create(t.Context(), tasktest.Record("task-001", "eve", time.Hour)); err != nil {
		t.Fatal(err)
	}
	const stop = "stop all instances of the server first"
	for _, test := range []struct {
		name string
		code int
		args []string
		says []string
	}{
		{"nothing", exitUsage, nil, []string{"-from and -to are required"}},
		{"an unknown flag", exitUsage, []string{"-form", "a"}, []string{"-form"}},
		{"no flag", exitUsage, []string{"-from", "a", "-to", "b", "c"}, []string{`"c" is not a flag`}},
		{"the same", exitUsage, []string{"-from", path, "-to", path}, []string{"are the same"}},
		{"replicas of a file", exitUsage, []string{"-from", path, "-to", other, "-replicas", "3"}, []string{"-replicas are for"}},
		{"credentials for a file", exitUsage, []string{"-from", path, "-to", address, "-from-creds", other}, []string{"-from-creds and -wait"}},
		{"no credentials", exitFailed, []string{"-from", path, "-to", address, "-to-creds", other}, []string{"-to: ", "other.db"}},
		{"a negative limit", exitUsage, []string{"-from", path, "-to", other, "-max-tasks", "-1"}, []string{"zero or more"}},
		{"no file", exitFailed, []string{"-from", path + "x", "-to", other}, []string{"tasks.dbx: no such file"}},
		{"another directory", exitFailed, []string{"-from", dir, "-to", other}, []string{"no directory of a NATS server"}},
		{"no streams", exitFailed, []string{"-from", address, "-from-name", "typo", "-to", other}, []string{`"typo-records"`, "does not exist"}},
		{"no server", exitFailed, []string{"-from", path, "-to", "nats://x:secret@127.0.0.1:1"}, []string{"cannot connect to 127.0.0.1:1"}},
		{"a server without a scheme, with a user", exitUsage, []string{"-from", used, "-to", "x:secret@localhost"}, []string{"is written as nats://host:port"}},
		{"a password that is not escaped", exitFailed, []string{"-from", path, "-to", "nats://x:secret%@localhost"}, []string{"URL 1 of the address is not valid"}},
		{"an embedded server's name for a server", exitUsage, []string{"-from", "nats://127.0.0.1:1", "-to", used, "-from-node", "a"}, []string{"-from-node is for"}},
		{"waiting for a file", exitUsage, []string{"-from", path, "-to", "nats://127.0.0.1:1", "-wait", "1s"}, []string{"-wait are for"}},
		{"the name of a file", exitUsage, []string{"-from", path, "-to", used, "-to-name", "a"}, []string{"-to-name, -to-creds"}},
		{"a directory to copy to", exitFailed, []string{"-from", path, "-to", dir}, []string{"is a directory"}},
		{"a file in use", exitFailed, []string{"-from", used, "-to", other}, []string{"in use by another process", stop}},
		{"an empty file", exitFailed, []string{"-from", empty, "-to", other}, []string{"is empty"}},
		{"a server without a scheme", exitUsage, []string{"-from", used, "-to", "127.0.0.1:4222"}, []string{"is written as nats://host:port"}},
		{"a server without slashes", exitUsage, []string{"-from", used, "-to", "nats:localhost:4222"}, []string{"is written as nats://host:port"}},
		{"another scheme", exitUsage, []string{"-from", used, "-to", "http://localhost:4222"}, []string{"is written as nats://host:port"}},
		{"a directory in use", exitFailed, []string{"-from", inUse, "-to", other}, []string{"another process uses it"}},
		{"a server in use", exitFailed, []string{"-from", address, "-to", other, "-wait", "100ms"}, []string{"waiting up to 100ms for 1 other instances", stop}},
		{"another task", exitFailed, []string{"-from", path, "-to", address}, []string{"8 tasks: 7 copied, 0 there already, 0 expired, 1 not copied", `task "task-001": the destination has another record`, "another record stays"}},
		{"the wrong direction", 0, []string{"-from", none, "-to", path}, []string{"0 tasks: 0 copied", "the source has no tasks", "8 tasks of the destination are not in the source; were"}},
		{"a limit", exitFailed, []string{"-from", path, "-to", other, "-max-tasks", "3"}, []string{"8 tasks: 3 copied, 0 there already, 0 expired, 5 not copied", "the task store is full"}},
		{"help", 0, []string{"-help"}, []string{"-from-creds"}},
	} {
		t.Run(test.name, func(t *testing.T) { copies(t, test.code, test.args, test.says...) })
	}
	if _, err := os.Stat(filepath.Join(dir, "jetstream")); err == nil {
		t.Error("a directory was made one of a NATS server")
	}
}

// TestMissing checks that a copied task missing from the destination in the end is an error.
func TestMissing(t *testing.T) {
	t.Parallel()
	store := open(t, filepath.Join(t.TempDir(), "tasks.db"))
	defer store.Close()
	fill(t, store, 2)
	now := time.Now()
	s := &source{ids: map[string]time.Time{"task-001": now.Add(time.Hour), "gone": now.Add(time.Hour), "expired": now}}
	total, err := s.checkCounts(t.Context(), &place{all: store})
	if total != 2 || err == nil || !strings.Contains(err.Error(), `1 tasks that were copied are no longer in the destination, for example "gone"`) {
		t.Errorf("got %d, %v", total, err)
	}
}
