package main

import (
	"context"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/integrations/jetstream/embedded"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// newCluster starts three nodes of a cluster and returns their URLs.
func newCluster(t *testing.T) string {
	t.Helper()
	const size, secret = 3, "secret"
	var addresses []string // addresses for the other nodes, then for clients
	for range 2 * size {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addresses = append(addresses, l.Addr().String())
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	urls := ""
	conns := make([]*jetstream.Conn, size)
	var all sync.WaitGroup
	for i := range size {
		node := embedded.Node{
			Listen: addresses[size+i], Cluster: addresses[i], Secret: secret, Peers: slices.Delete(slices.Clone(addresses[:size]), i, i+1),
		}
		urls += ",nats://" + secret + "@" + node.Listen
		dir := t.TempDir()
		all.Go(func() {
			var err error
			if conns[i], err = embedded.Open(dir, node, jetstream.Options{}); err != nil {
				t.Errorf("node %d: %v", i, err)
			}
		})
	}
	all.Wait()
	t.Cleanup(func() {
		for _, js := range conns {
			if js != nil {
				all.Go(func() { _ = js.Close() }) // the last two have lost the majority
			}
		}
		all.Wait()
	})
	if t.Failed() {
		t.FailNow()
	}
	return urls[1:]
}

// TestCluster copies the directory of a single server to a cluster, where all instances see the tasks.
func TestCluster(t *testing.T) {
	t.Parallel()
	single := filepath.Join(t.TempDir(), "single")
	js, err := embedded.Open(single, embedded.Node{}, jetstream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, js.Tasks(), 60)
	if err := js.Tasks().Create(t.Context(), tasktest.Durable("durable", "ann", time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := js.Close(); err != nil {
		t.Fatal(err)
	}
	urls := newCluster(t)
	copies(t, 0, []string{"-from", single, "-to", urls}, "61 tasks: 61 copied, 0 there already, 0 expired, 0 not copied", "the destination has 61 tasks")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if r, err := connect(t, urls, jetstream.Options{Existing: true, Replicas: 3}).Tasks().Claim(ctx, "next"); err != nil || r.ID != "durable" {
		t.Errorf("claimed %q, %v", r.ID, err)
	}
}
