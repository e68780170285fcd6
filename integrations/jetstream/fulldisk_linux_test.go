package jetstream_test

import (
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/integrations/jetstream/embedded"
	"github.com/mcptool-go/mcptool/internal/testing/disk"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

const diskSize = 32 << 20

// untilStopped creates tasks until JetStream stops working because the disk is full.
func untilStopped(t *testing.T, s task.Store, log *logs) {
	t.Helper()
	eventually(t, "JetStream has stopped", func() error {
		_ = s.Create(t.Context(), tasktest.Record(rand.Text(), "ann", time.Hour))
		return log.wants("JetStream is started again when there is room")
	})
}

// TestFullDisk checks that a single server whose disk was full continues when there is room, with everything that was
// stored.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir, log := disk.Small(t, diskSize), &logs{}
	s := newEmbedded(t, dir, embedded.Node{}, jetstream.Options{Heartbeat: 200 * time.Millisecond, Logger: log.logger()}).Tasks()
	begin(t, s, "before")
	empty := disk.Fill(t, dir)
	untilStopped(t, s, log)
	if err := s.Create(t.Context(), tasktest.Record("full", "ann", time.Hour)); !errors.Is(err, jetstream.ErrUnavailable) && !errors.Is(err, task.ErrFull) {
		t.Errorf("Create on a full disk: %v", err)
	}
	empty()
	finish(t, s, "before")
	begin(t, s, "after")
}

// TestFullDiskOfNode checks that a cluster node whose disk was full stores tasks again when there is room.
func TestFullDiskOfNode(t *testing.T) {
	t.Parallel()
	dir, log := disk.Small(t, diskSize), &logs{}
	opts := jetstream.Options{Heartbeat: 200 * time.Millisecond}
	c := newCluster(t, opts)
	if err := c.conns[0].Close(); err != nil {
		t.Fatal(err)
	}
	c.dirs[0] = dir
	full := opts
	full.Logger = log.logger()
	c.start(t, 0, full)
	begin(t, c.conns[0].Tasks(), "before")
	empty := disk.Fill(t, dir)
	untilStopped(t, c.conns[1].Tasks(), log)
	begin(t, c.conns[2].Tasks(), "meanwhile")
	empty()
	eventually(t, "JetStream was started again", func() error { return log.wants("JetStream was started again") })
	finish(t, c.conns[0].Tasks(), "before")
	time.Sleep(5 * time.Second) // until the node has caught up, so that it and one other are enough
	if err := c.conns[1].Close(); err != nil {
		t.Fatal(err)
	}
	finish(t, c.conns[2].Tasks(), "meanwhile")
	begin(t, c.conns[0].Tasks(), "after")
}
