package runtime

import (
	"errors"

	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
)

// Causes that end the context of a call from outside. A tool gets them from [context.Cause], possibly wrapped in an
// error with the details: test with [errors.Is].
var (
	// ErrCancelled means that the client has cancelled the call, or the task that the call has become.
	ErrCancelled = taskengine.ErrCancelled
	// ErrShutdown means that the session, the endpoint or the server is being closed, and that the time which the
	// call had to end is over.
	ErrShutdown = taskengine.ErrShutdown
	// ErrDisconnected means that the client has disconnected, or cannot be reached any more.
	ErrDisconnected = errors.New("the client has disconnected")
)

// ErrExpired is the cause that ends the context of a task whose record no longer exists, usually because its TTL has
// passed: see [mcptool.TaskTTL].
var ErrExpired = taskengine.ErrExpired

// ErrLeaseLost is the cause that ends the context of a durable task ([mcptool.Durable]) whose process cannot renew its
// lease, or finds that another process has the lease. The task continues elsewhere.
var ErrLeaseLost = taskengine.ErrLeaseLost

// ErrNotStored is wrapped by the error of [Server.Shutdown] if the ends of some tasks could not be stored.
var ErrNotStored = taskengine.ErrNotStored

// errGoexit is the error of a call whose tool has called runtime.Goexit.
var errGoexit = errors.New("the tool ended its goroutine with runtime.Goexit")
