//go:build !race

// The NATS server reads its state of the cluster without a lock while it starts JetStream again (jetStream.setupMetaGroup
// and Server.getJetStreamCluster of v2.15.2), and the race detector blames whatever tests run at that time.

package jetstream_test

import (
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/internal/testing/disk"
)

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
