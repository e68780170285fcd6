package embedded

import (
	"errors"
	"log/slog"
	"time"
)

// restoreTime is how long JetStream may take to stop before it is restarted.
const restoreTime = 5 * time.Second

// Restore implements [hook.Node]. It restarts JetStream after a failed write, usually caused by a full disk. Otherwise it would not work until the
// process is restarted: the server has stopped it, or a stream rejects messages.
func (n *node) Restore() {
	running := n.server.JetStreamEnabled()
	switch {
	case running && !n.log.writeFailed.Load():
		n.stopped = time.Time{}
		return
	case n.stopped.IsZero():
		n.stopped = time.Now()
		n.log.log.Error("the NATS server cannot write to its disk, which may be full: JetStream is started again when there is room", slog.String("dir", n.options.StoreDir))
		return
	case time.Since(n.stopped) < restoreTime:
		return
	}
	n.stopped = time.Now()
	err := n.dir.tryWrite()
	if err == nil {
		n.log.writeFailed.Store(false)
		err = n.restart()
	}
	if err != nil {
		n.log.log.Error("JetStream cannot be started again yet", slog.String("dir", n.options.StoreDir), slog.Any("error", err))
		return
	}
	n.log.log.Info("JetStream was started again")
}

// restart stops JetStream if it runs, and starts it.
func (n *node) restart() error {
	if err := n.server.ShutdownJetStream(); err != nil {
		return err
	}
	if n.server.JetStreamConfig() != nil {
		return errors.New("it has not stopped yet")
	}
	if err := n.server.ReloadOptions(n.options.Clone()); err != nil { // starts what should run
		return err
	}
	if !n.server.JetStreamEnabled() {
		return errors.New("it does not run")
	}
	return nil
}
