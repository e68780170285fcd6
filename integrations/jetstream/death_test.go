//go:build unix

package jetstream_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/internal/testing/child"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// victim is the environment variable that makes the test run as another instance, to be killed or stopped. Its value is
// the server's URL.
const victim = "JETSTREAM_VICTIM"

const beat = 100 * time.Millisecond

// victimMain creates a task and tries to complete it after reading a line.
func victimMain(t *testing.T, address string) {
	t.Helper()
	c := connect(t, address, jetstream.Options{Heartbeat: beat})
	r := put(t, c.Tasks(), tasktest.Record(fmt.Sprint(os.Getpid()), "ann", time.Hour))
	fmt.Fprintf(os.Stdout, "created\n")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return
	}
	r.Status = task.StatusCompleted
	_, err := c.Tasks().Update(t.Context(), r)
	fmt.Fprintf(os.Stdout, "%v\n", err)
}

// TestDeath kills an instance with kill -9 and stops another with SIGSTOP: the others fail their tasks, once, and the
// stopped one finds its task failed when it continues. A third, running one keeps its task.
func TestDeath(t *testing.T) {
	if address := os.Getenv(victim); address != "" {
		victimMain(t, address)
		return
	}
	t.Parallel()
	address := natsServer(t)
	var stores []task.Store
	for range 2 {
		stores = append(stores, connect(t, address, jetstream.Options{Heartbeat: beat}).Tasks())
	}
	run := func() (*exec.Cmd, *bufio.Reader, func(string)) {
		t.Helper()
		p := child.Start(t, "TestDeath", victim, address)
		said := bufio.NewReader(p.Out)
		if line, err := said.ReadString('\n'); err != nil || line != "created\n" {
			t.Fatalf("the other instance: %q, %v", line, err)
		}
		return p.Cmd, said, func(text string) { fmt.Fprintln(p.In, text) }
	}
	killed, _, _ := run()
	stopped, said, tell := run()
	runs, runsSaid, tellRuns := run()
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := stopped.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for _, cmd := range []*exec.Cmd{killed, stopped} {
		r, err := stores[0].Wait(t.Context(), fmt.Sprint(cmd.Process.Pid), 1)
		if err != nil || r.Status != task.StatusFailed || r.Version != 2 || !strings.Contains(r.Message, "the server stopped") {
			t.Errorf("the task of a dead instance is %+v, %v", r, err)
		}
	}
	if err := stopped.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	tell("end it")
	if line, err := said.ReadString('\n'); line != task.ErrEnded.Error()+"\n" {
		t.Errorf("who goes on gets %q, %v, want %v", line, err, task.ErrEnded)
	}
	tellRuns("end it")
	if line, err := runsSaid.ReadString('\n'); line != "<nil>\n" {
		t.Errorf("who was never stopped gets %q, %v", line, err)
	}
	_ = runs
	for _, cmd := range []*exec.Cmd{killed, stopped} { // the tasks are not changed again
		if r, err := stores[1].Get(t.Context(), fmt.Sprint(cmd.Process.Pid)); err != nil || r.Version != 2 {
			t.Errorf("the task has version %d, %v", r.Version, err)
		}
	}
}
