//go:build linux

package process

import (
	"bufio"
	"os"
	"os/exec"
	"testing"
)

// TestTree examines a shell that has started another shell.
func TestTree(t *testing.T) {
	t.Parallel()
	// The inner shell prints that it is ready and, like the outer one, lives until EOF on its stdin. The trailing
	// command keeps the outer shell from replacing itself with the inner one.
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `sh -c 'echo ready; read line'; true`)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	got, err := Tree(pid)
	if err != nil {
		t.Fatal(err)
	}
	if got.Processes != 2 || got.CPU <= 0 || got.Resident <= 0 || got.Peak <= 0 {
		t.Errorf("got %+v of a shell in a shell", got)
	}
	one, err := Peak(pid)
	if err != nil || one <= 0 || one >= got.Peak {
		t.Errorf("the outer shell alone has had %d, error %v, both %d", one, err, got.Peak)
	}
	if own, err := Time(pid); err != nil || own <= 0 {
		t.Errorf("the outer shell alone took %v, error %v", own, err)
	}
	_ = in.Close()
	_ = cmd.Wait()
	if got, err := Tree(pid); err == nil {
		t.Errorf("got %+v of a process that has ended", got)
	}
}

func TestOwn(t *testing.T) {
	t.Parallel()
	if got, err := Resident(os.Getpid()); err != nil || got < 1<<20 {
		t.Errorf("this process has %d bytes, error %v", got, err)
	}
}

func TestParseStat(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       stat
		ok         bool
	}{
		{"plain", "7 (sh) S 3 7 7 0 -1 4194304 1 2 3 4 11 12 13 14 20 0 1 0", stat{3, 270e6}, true},
		{"a name like the rest", "7 (a) S 9 (b) S 3 7 7 0 -1 4194304 1 2 3 4 11 12 13 14 20 0", stat{3, 270e6}, true},
		{"cut short", "7 (sh) S 3 7", stat{}, false},
		{"nothing", "", stat{}, false},
	} {
		if got, ok := parseStat(test.text); ok != test.ok || got != test.want {
			t.Errorf("%s: got %+v, %t", test.name, got, ok)
		}
	}
}
