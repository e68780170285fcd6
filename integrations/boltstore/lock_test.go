package boltstore_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
)

// second is the environment variable that makes the test run as the second
// process.
const second = "BOLTSTORE_SECOND"

// TestSecondProcess checks that a second process gets an error when it opens
// the file.
func TestSecondProcess(t *testing.T) {
	if path := os.Getenv(second); path != "" {
		_, err := boltstore.Open(path, boltstore.Limits{Lock: 50 * time.Millisecond})
		fmt.Fprintf(os.Stdout, "%t: %v\n", errors.Is(err, boltstore.ErrLocked), err)
		return
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tasks.db")
	s, err := boltstore.Open(path, boltstore.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSecondProcess$")
	cmd.Env = append(os.Environ(), second+"="+path)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := "true: boltstore: " + path + ": the file is in use by another process (waited 50ms)\n"
	if !strings.HasPrefix(string(out), want) {
		t.Errorf("got  %s\nwant %s", out, want)
	}

	opened := make(chan error, 1)
	go func() {
		s, err := boltstore.Open(path, boltstore.Limits{Lock: time.Minute})
		if err == nil {
			err = s.Close()
		}
		opened <- err
	}()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Errorf("who waits for the other to close: %v", err)
	}
}
