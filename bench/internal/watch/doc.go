// Package watch builds a Go program, and builds it again whenever its sources change.
//
// [Parse] reads a command such as go run ./cmd/server, and [Run] builds its program into a private directory. The sources
// are the files that the build reads from directories that the author can edit: the packages of the main module, of the
// modules of go.work and of modules that a replace directive replaces by a directory, with their embedded files, go.mod,
// go.sum, go.work and go.work.sum. A change is a difference of contents: saving a file unchanged is none, unless a build
// reads the files meanwhile.
//
// A build starts when nothing has changed for 50 ms. A change interrupts it. If changes do not stop for a second, the
// sources are built as they are, without an interruption, so that there is never more than one build at a time, and the
// last one has the newest contents.
package watch
