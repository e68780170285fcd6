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

// TestNegativeLimits checks that Open returns an error with the name and value of each negative limit, and makes no file.
func TestNegativeLimits(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tasks.db")
	_, err := boltstore.Open(path, boltstore.Limits{Tasks: -1, PerPrincipal: -2, Bytes: -3, Lock: -time.Second, Lease: -time.Minute})
	const want = `boltstore: Limits.Tasks is -1, but must not be negative; 0 means the default, 10000
Limits.PerPrincipal is -2, but must not be negative; 0 means the default, 1000
Limits.Bytes is -3, but must not be negative; 0 means the default, 256 MiB
Limits.Lock is -1s, but must not be negative; 0 means the default, 1s
Limits.Lease is -1m0s, but must not be negative; 0 means the default, 15s`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file exists: %v", err)
	}
}
