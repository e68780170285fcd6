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
