//go:build unix

package client_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// gone waits for a process to exit.
func gone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(patient); !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %d still runs", pid)
		}
	}
}

func TestClose(t *testing.T) {
	for _, name := range []string{"tools", "stubborn"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := client.Dial(t.Context(), child(name), client.Options{Timeout: patient, Era: client.Legacy})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			gone(t, c.PID())
			if _, err := c.Call(t.Context(), "add", nil); err == nil {
				t.Error("it answers after the end")
			}
			if err := c.Close(); err != nil {
				t.Errorf("once more: %v", err)
			}
		})
	}
}

// Processes that the command has started end with it, whether it exits by itself or
// is killed.
func TestCloseFamily(t *testing.T) {
	for _, killed := range []bool{false, true} {
		t.Run("killed "+strconv.FormatBool(killed), func(t *testing.T) {
			t.Parallel()
			c := dial(t, child("parent"), client.Options{})
			tools, err := c.Tools(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(tools[0].Name)
			if err != nil {
				t.Fatal(err)
			}
			if killed {
				if err := syscall.Kill(c.PID(), syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
				_, err = c.Tools(t.Context())
				isOneLine(t, err, "signal: killed")
			} else if err := c.Close(); err != nil {
				t.Error(err)
			}
			gone(t, pid)
		})
	}
}

// A call in progress when the client is closed ends with an error.
func TestCloseUnderWay(t *testing.T) {
	everywhere(t, func(t *testing.T, to client.Target, era client.Era) {
		t.Helper()
		begun := make(chan struct{}, 1)
		c := dial(t, to, client.Options{Era: era, Notify: func(string, json.RawMessage) { begun <- struct{}{} }})
		failed := make(chan error, 1)
		go func() {
			_, err := c.Call(t.Context(), "wait", nil)
			failed <- err
		}()
		<-begun
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		select {
		case err := <-failed:
			if err == nil {
				t.Error("it has succeeded")
			}
		case <-time.After(patient):
			t.Error("it still runs")
		}
	})
}
