//go:build unix

package jetstream_test

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/internal/testing/child"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// runner is the environment variable that makes TestTakeover run as an instance with a durable task: the URL of NATS,
// and the lease.
const runner = "JETSTREAM_RUNNER"

// runDurable creates a durable task and renews its lease until it is killed.
func runDurable(t *testing.T, config string) {
	t.Helper()
	address, lease, _ := strings.Cut(config, " ")
	wait, err := time.ParseDuration(lease)
	if err != nil {
		t.Fatal(err)
	}
	q := connect(t, address, jetstream.Options{Lease: wait}).Tasks()
	put(t, q, tasktest.Durable("x", "ann", time.Hour))
	for {
		if err := q.Renew(t.Context(), "x", 1); err != nil {
			t.Fatal(err)
		}
		fmt.Println("renewed")
		time.Sleep(wait / 3)
	}
}

// TestTakeover checks, and logs, how soon after the lease expires another instance gets the task of one killed with
// kill -9.
func TestTakeover(t *testing.T) {
	if config := os.Getenv(runner); config != "" {
		runDurable(t, config)
		return
	}
	t.Parallel()
	leases := []time.Duration{2 * time.Second}
	if !testing.Short() {
		leases = append(leases, 15*time.Second) // the default
	}
	for _, lease := range leases {
		t.Run(lease.String(), func(t *testing.T) {
			t.Parallel()
			address := natsServer(t)
			q := connect(t, address, jetstream.Options{Lease: lease}).Tasks()
			p := child.Start(t, "TestTakeover", runner, fmt.Sprint(address, " ", lease))
			for s := bufio.NewScanner(p.Out); s.Scan() && s.Text() != "renewed"; {
			}
			p.Kill()
			began := time.Now()
			r, err := claimWithin(t, q, "second", lease+30*time.Second)
			took := time.Since(began)
			if err != nil || r.Durable.Epoch != 2 || took > lease+10*time.Second {
				t.Errorf("after %v it has %+v, %v", took, r.Durable, err)
			}
			t.Logf("%v after kill -9, with a lease of %v", took, lease)
		})
	}
}
