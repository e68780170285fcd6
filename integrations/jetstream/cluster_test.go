package jetstream_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/integrations/jetstream/embedded"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// cluster is three embedded servers in this process.
type cluster struct {
	dirs  []string
	nodes []embedded.Node
	conns []*jetstream.Conn
}

const clusterSecret = "a secret of the test"

// newCluster starts three nodes and closes those that run when the test ends.
func newCluster(tb testing.TB, opts jetstream.Options) *cluster {
	tb.Helper()
	const size = 3
	c := &cluster{conns: make([]*jetstream.Conn, size)}
	addresses := make([]string, size)
	for i := range addresses {
		addresses[i] = freeAddress(tb)
	}
	for i, address := range addresses {
		c.dirs = append(c.dirs, tb.TempDir())
		c.nodes = append(c.nodes, embedded.Node{Cluster: address, Peers: slices.Delete(slices.Clone(addresses), i, i+1), Secret: clusterSecret})
	}
	tb.Cleanup(func() {
		var all sync.WaitGroup
		for _, conn := range c.conns {
			if conn != nil {
				all.Go(func() { _ = conn.Close() }) // the last two have lost the majority
			}
		}
		all.Wait()
	})
	var all sync.WaitGroup
	for i := range size {
		all.Go(func() { c.start(tb, i, opts) })
	}
	all.Wait()
	if tb.Failed() {
		tb.FailNow()
	}
	return c
}

// start starts a node.
func (c *cluster) start(tb testing.TB, i int, opts jetstream.Options) {
	tb.Helper()
	conn, err := embedded.Open(c.dirs[i], c.nodes[i], opts)
	if err != nil {
		tb.Errorf("node %d: %v", i, err)
	}
	c.conns[i] = conn
}

// begin creates a task, retrying while the server is unavailable.
func begin(t *testing.T, s task.Store, id string) {
	t.Helper()
	eventually(t, "the task "+id+" begins", func() error {
		err := s.Create(t.Context(), tasktest.Record(id, "ann", time.Hour))
		if errors.Is(err, task.ErrExists) {
			return nil // an attempt that got no response
		}
		return err
	})
}

// finish completes a task with a result, retrying while the server is unavailable.
func finish(t *testing.T, s task.Store, id string) {
	t.Helper()
	eventually(t, "the task "+id+" ends", func() error {
		_, err := task.Change(t.Context(), s, id, func(r *task.Record) error {
			r.Status, r.Result = task.StatusCompleted, json.RawMessage(`{"content":["`+id+`"]}`)
			return nil
		})
		if errors.Is(err, task.ErrEnded) {
			return nil // an attempt that got no response
		}
		return err
	})
}

// TestCluster stops one node of three: tasks go on, and no acknowledged write is lost, not even when the node returns.
func TestCluster(t *testing.T) {
	t.Parallel()
	c := newCluster(t, jetstream.Options{})
	for i, conn := range c.conns {
		begin(t, conn.Tasks(), []string{"a", "b", "c"}[i])
	}
	finish(t, c.conns[1].Tasks(), "a") // created via node 0
	if err := c.conns[0].Close(); err != nil {
		t.Fatal(err)
	}
	finish(t, c.conns[2].Tasks(), "b")
	begin(t, c.conns[1].Tasks(), "d")
	c.start(t, 0, jetstream.Options{})
	if err := c.conns[1].Close(); err != nil { // loses nothing, since node 0 has caught up
		t.Fatal(err)
	}
	for id, want := range map[string]task.Status{"a": task.StatusCompleted, "b": task.StatusCompleted, "c": task.StatusWorking, "d": task.StatusFailed} {
		eventually(t, "task "+id, func() error {
			r, err := c.conns[0].Tasks().Get(t.Context(), id)
			if err == nil && r.Status != want {
				t.Errorf("task %s is %s, want %s", id, r.Status, want)
			}
			return err
		})
	}
	c.conns[1] = nil
}

// TestClusterSameName checks that a node with the name of a running one does not start and the cluster goes on.
func TestClusterSameName(t *testing.T) {
	t.Parallel()
	c := newCluster(t, jetstream.Options{})
	second := c.nodes[0]
	second.Name = strings.NewReplacer(".", "_", ":", "_").Replace(second.Cluster)
	second.Cluster, second.Wait = freeAddress(t), 20*time.Second
	log := &logs{}
	conn, err := embedded.Open(t.TempDir(), second, jetstream.Options{Logger: log.logger()})
	if err == nil {
		closed(t, conn)
	}
	if err == nil || !strings.Contains(err.Error(), "has the name "+strconv.Quote(second.Name)) {
		t.Errorf("a second node of one name: %v\n%s", err, log)
	}
	for i, conn := range c.conns {
		begin(t, conn.Tasks(), "task "+strconv.Itoa(i))
	}
}
