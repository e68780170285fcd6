package jetstream_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/integrations/jetstream/embedded"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// TestRestart stops an embedded server and starts it again on the same directory.
func TestRestart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "tasks")
	c, err := embedded.Open(dir, embedded.Node{}, jetstream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"ended", "runs"} {
		put(t, c.Tasks(), tasktest.Record(id, "ann", time.Hour))
	}
	put(t, c.Tasks(), tasktest.Record("expires", "ann", 200*time.Millisecond))
	finish(t, c.Tasks(), "ended")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	s := newEmbedded(t, dir, embedded.Node{}, jetstream.Options{}).Tasks()
	for id, want := range map[string]task.Status{"ended": task.StatusCompleted, "runs": task.StatusFailed} {
		if r, err := s.Get(t.Context(), id); err != nil || r.Status != want {
			t.Errorf("task %s is %s, want %s, %v", id, r.Status, want, err)
		}
	}
	eventually(t, "the third one expires", func() error {
		if _, err := s.Get(t.Context(), "expires"); !errors.Is(err, task.ErrNotFound) {
			return fmt.Errorf("it is there: %w", err)
		}
		return nil
	})
}

// second is the environment variable that makes the test run as a second process on the
// directory.
const second = "JETSTREAM_SECOND"

// TestDir checks that a directory can be used by only one process and one kind of server.
func TestDir(t *testing.T) {
	if dir := os.Getenv(second); dir != "" {
		_, err := embedded.Open(dir, embedded.Node{}, jetstream.Options{})
		fmt.Fprintf(os.Stdout, "%t: %v\n", errors.Is(err, embedded.ErrDir), err)
		return
	}
	t.Parallel()
	dir := t.TempDir()
	c, err := embedded.Open(dir, embedded.Node{}, jetstream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDir$")
	cmd.Env = append(os.Environ(), second+"="+dir)
	out, err := cmd.Output()
	if want := "true: jetstream: " + dir + ": the directory cannot be used: another process uses it\n"; err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("got  %s, %v\nwant %s", out, err, want)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = embedded.Open(dir, embedded.Node{Cluster: freeAddress(t), Peers: []string{freeAddress(t), freeAddress(t)}}, jetstream.Options{})
	wantErr(t, "a node of a cluster on the directory of a single server", err, embedded.ErrDir)
	if text := fmt.Sprint(err); !strings.Contains(text, "would lose its tasks") {
		t.Errorf("the error is %s", text)
	}
	other := t.TempDir()
	if err := os.Mkdir(filepath.Join(other, "jetstream"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err = embedded.Open(other, embedded.Node{}, jetstream.Options{})
	wantErr(t, "a directory of another NATS server", err, embedded.ErrDir)
}

// TestConfiguration checks that invalid options are rejected with the reason.
func TestConfiguration(t *testing.T) {
	t.Parallel()
	used := strings.TrimPrefix(natsServer(t), "nats://")
	for name, c := range map[string]struct {
		node embedded.Node
		opts jetstream.Options
		says string
	}{
		"name":          {opts: jetstream.Options{Name: "a.b"}, says: "Options.Name"},
		"limits":        {opts: jetstream.Options{Limits: jetstream.Limits{Tasks: -1, PerPrincipal: -2, Bytes: -3}}, says: "jetstream: Options.Limits.Tasks is -1, but must not be negative; 0 means the default, 10000\nOptions.Limits.PerPrincipal is -2, but must not be negative; 0 means the default, 1000\nOptions.Limits.Bytes is -3, but must not be negative; 0 means the default, 256 MiB"},
		"wait":          {node: embedded.Node{Wait: -time.Second}, says: "jetstream: Node.Wait is -1s, but must not be negative; 0 means the default, 1m0s"},
		"replicas":      {opts: jetstream.Options{Replicas: 6}, says: "Options.Replicas"},
		"heartbeat":     {opts: jetstream.Options{Heartbeat: time.Millisecond}, says: "Options.Heartbeat"},
		"listen":        {node: embedded.Node{Listen: "4222"}, says: "Node.Listen"},
		"port":          {node: embedded.Node{Listen: "127.0.0.1:nats"}, says: "Node.Listen"},
		"open to all":   {node: embedded.Node{Listen: ":4222"}, says: "Node.Secret"},
		"open cluster":  {node: embedded.Node{Cluster: "0.0.0.0:6222"}, says: "Node.Secret"},
		"lonely peers":  {node: embedded.Node{Peers: []string{"127.0.0.1:6222"}}, says: "no Cluster address"},
		"peers address": {node: embedded.Node{Cluster: "127.0.0.1:6222", Peers: []string{"x"}}, says: "Node.Peers"},
		"alone":         {node: embedded.Node{Cluster: freeAddress(t), Peers: []string{freeAddress(t), freeAddress(t)}, Wait: time.Second}, says: "waited 1s for the nodes"},
		"unreachable":   {node: embedded.Node{Cluster: freeAddress(t), Peers: []string{freeAddress(t), freeAddress(t)}, Wait: time.Second}, says: "reaches 0 of 2 others"},
		"clients' port": {node: embedded.Node{Listen: used}, says: "Node.Listen: listen tcp"},
		"cluster port":  {node: embedded.Node{Cluster: used, Peers: []string{"b:6222", "c:6222"}}, says: "Node.Cluster: listen tcp"},
		"any host":      {node: embedded.Node{Cluster: ":6222", Secret: "x", Peers: []string{"a:6222", "b:6222"}}, says: "set Node.Name"},
		"any IPv6 host": {node: embedded.Node{Cluster: "[::]:6222", Secret: "x", Peers: []string{"a:6222", "b:6222"}}, says: "set Node.Name"},
		"itself":        {node: embedded.Node{Cluster: "127.0.0.1:6222", Peers: []string{" 127.0.0.1:6222", "b:6222"}}, says: "which is this node"},
		"a peer twice":  {node: embedded.Node{Cluster: "127.0.0.1:6222", Peers: []string{" b:6222", "b:6222"}}, says: "a duplicate"},
		"one peer":      {node: embedded.Node{Cluster: freeAddress(t), Peers: []string{freeAddress(t)}}, says: "want the addresses of the 2 or 4 other nodes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := embedded.Open(t.TempDir(), c.node, c.opts)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got the error %v, want one with %q", err, c.says)
			}
		})
	}
}

// TestConnect connects to an unreachable server, and to one with streams of another program.
func TestConnect(t *testing.T) {
	t.Parallel()
	address := "nats://ann:password@" + freeAddress(t)
	_, err := jetstream.Connect(address, jetstream.Options{})
	wantErr(t, "nobody listens", err, jetstream.ErrUnavailable)
	if text := fmt.Sprint(err); strings.Contains(text, "password") || !strings.Contains(text, "127.0.0.1") {
		t.Errorf("the error is %s", text)
	}
	address = natsServer(t)
	js := jetStream(t, address)
	_, err = js.CreateStream(t.Context(), natsjs.StreamConfig{Name: "other-records", Subjects: []string{"other.task.>"}, MaxAge: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	_, err = jetstream.Connect(address, jetstream.Options{Name: "other"})
	wantErr(t, "another stream", err, jetstream.ErrStream)
	for _, says := range []string{"other-records", "max_age is 1m0s, want 0", "allow_msg_ttl is false, want true", "Options.Name"} {
		if !strings.Contains(fmt.Sprint(err), says) {
			t.Errorf("the error is %v, want one with %q", err, says)
		}
	}
	_, err = jetstream.Connect(address, jetstream.Options{Replicas: 3})
	if err == nil || !strings.Contains(err.Error(), "replicas") {
		t.Errorf("three replicas of a single server: %v", err)
	}
	one := connect(t, "nats://"+freeAddress(t)+", "+address, jetstream.Options{Name: "one"}).Tasks() // the first is down
	two := connect(t, address, jetstream.Options{Name: "two"}).Tasks()
	put(t, one, tasktest.Record("a", "ann", time.Hour))
	_, err = two.Get(t.Context(), "a")
	wantErr(t, "the task of a server with another name", err, task.ErrNotFound)
}

// TestClock checks that an instance whose clock is an hour fast or slow does not start,
// with an error that gives the reason.
func TestClock(t *testing.T) {
	t.Parallel()
	address := natsServer(t)
	for _, hours := range []int{-1, 1} {
		p, through := newNATSProxy(t, address)
		var times []string // in the server's responses, as RFC 3339; the length must not change
		for h := range 24 {
			times = append(times, fmt.Sprintf("T%02d:", h), fmt.Sprintf("T%02d:", (h+hours+24)%24))
		}
		p.answers.Store(strings.NewReplacer(times...))
		c, err := jetstream.Connect(through, jetstream.Options{})
		if err == nil {
			_ = c.Close()
		}
		wantErr(t, fmt.Sprintf("a clock that differs by %d hours", hours), err, jetstream.ErrClock)
	}
}
