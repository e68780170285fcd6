// Copytasks copies the tasks of a server from one store to another: from a file of integrations/boltstore, or from a single
// NATS server, to a cluster, or the reverse.
//
//	go run ./integrations/copytasks -from tasks.db -to nats://nats.internal:4222
//
// -from is a file of boltstore, the directory of a single server of jetstream.Embedded, or the URL of a NATS server. -to is
// the URL of a NATS server or cluster, or a file of boltstore, which is created if it does not exist. Several URLs, of the
// nodes of a cluster, have commas between them. A URL may have a user and a password, or a token.
//
// # Before and after
//
// Stop all instances of the server first. A file or a directory that is in use is refused. With a NATS server as the
// source, the command waits until no instance has a heartbeat there; that of an instance that died takes about 20 s.
//
// Ended tasks keep their results. Durable tasks that have not ended go on in the first instance that uses the destination.
// Other tasks that have not ended fail, because their process has ended. They also fail in a file of boltstore, when it is
// opened, and in NATS, when an instance counts as dead. Expired records are deleted in a file, which may be compacted;
// otherwise the source stays as it is. Do not start a server with it again: it would run the durable tasks, too.
//
// # What is checked
//
// Each task is read back from the destination and compared, see task.Copy. Then all tasks of the destination are read, and
// each task of the source must be among them. If anything was not copied, differs or could not be read, the command says what,
// and exits with 1. It can be repeated then, and goes on where it ended; what is there already is compared again.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr) //nolint:forbidigo // it is a command
	stop()
	os.Exit(code) //nolint:forbidigo // likewise
}
