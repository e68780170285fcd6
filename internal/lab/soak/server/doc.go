// Package server implements the servers of a soak. They have a tool for each kind of behavior with its own failure
// modes: quick and slow ones, one that panics, one that asks its user, tasks, large results, changes of the list,
// limits. The result of a tool depends only on its arguments, so its caller can verify it.
package server
