// Copytasks copies the tasks of a server from one store to another: from a file of integrations/boltstore, or from a
// single NATS server, to a cluster, or the reverse.
//
//	go run ./integrations/copytasks -from tasks.db -to nats://nats.internal:4222
//
// -from is a file of boltstore, the directory of a single server of embedded.Open, or the URL of a NATS server.
// -to is the URL of a NATS server or cluster, or a file of boltstore, which is created if it does not exist. Several
// URLs, for the nodes of a cluster, are separated by commas. A URL may have a user and a password, or a token.
//
// # Before and after
//
// Stop all instances of the server first. A file or a directory that is in use is rejected. If the source is a NATS
// server, the command waits until no instance has a heartbeat there, which takes about 20 s after a crash of an
// instance.
//
// Ended tasks keep their results. Durable tasks that have not ended continue in the first instance that uses the
// destination. Other tasks that have not ended fail, because their process has exited. In the source they also fail: in
// a file of boltstore when it is opened, and in NATS when the instance counts as dead. Expired records in a file are
// deleted, and the file may be compacted; otherwise the source is unchanged. Do not start a server with the source
// again: it would also run the durable tasks.
//
// # What is checked
//
// Each task is read back from the destination and compared, see package taskcopy. Then all tasks of the destination are
// read, and each task of the source must be among them. If anything was not copied, differs or could not be read, the
// command prints the reason and exits with 1. It can then be run again, and continues from there; tasks copied earlier
// are compared again.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr) //nolint:forbidigo // this is a command
	stop()
	os.Exit(code) //nolint:forbidigo // this is a command
}
