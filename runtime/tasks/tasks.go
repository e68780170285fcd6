// Package tasks adds tasks to a server: calls of tools that are answered at once with a handle, and whose results clients
// get later. The option [github.com/mcptool-go/mcptool/mcptool.Task] of a tool permits or requires that. A server has tasks
// if its field Tasks is set:
//
//	srv := &runtime.Server{Name: "reports", Version: "1.0.0", Tasks: tasks.New(nil)}
//
// That keeps the tasks in memory. For tasks that outlive the process, and for several servers behind a load balancer, pass
// a store that they share, such as one of integrations/boltstore or integrations/jetstream. Only programs that import this
// package link the code that runs tasks.
package tasks

import (
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/taskserver"
	"github.com/mcptool-go/mcptool/task"
)

// Tasks is the tasks of one or more servers, for their field Tasks. Servers with the same Tasks share its store, unless
// that is nil: then each server has a store in memory. It is safe for concurrent use.
type Tasks struct{ store task.Store }

// New returns tasks that are stored in the store; nil stores those of each server in memory, with the default limits of
// [task.NewMemory]. A server whose store is nil offers tasks to clients only while one of its tools can run as a task;
// otherwise it always does, because the store may have earlier tasks.
//
// Each method of the store except Wait and Claim gets a context that ends after 10 s, and the method must return then.
// If a method panics, or returns an error that package task does not define, the request that needs it is answered with
// error -32603, and the server logs the reason. A slow store does not delay other messages, not even of the same
// connection, so requests that use it may be answered in another order. Each counts towards MaxCallsInFlight of the limits of
// the server until the store has returned.
func New(store task.Store) *Tasks { return &Tasks{store} }

// Engine is for package runtime; programs cannot call it.
func (t *Tasks) Engine(_ private.Key, config taskengine.Config) taskengine.Engine {
	return taskserver.New(t.store, config)
}
