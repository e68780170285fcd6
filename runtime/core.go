package runtime

import (
	"log/slog"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// core is the state of a Server from its first use on: the configuration with defaults filled in, and the state that
// all sessions share.
type core struct {
	replies
	tools      *mcptool.Registry  // of tools, prompts and resources
	methods    map[string]*method // by name: those of the protocol, and custom methods
	stages     stages
	extensions extensions
	tasks      taskengine.Engine // nil without Server.Tasks
	rerunner   taskengine.Server // runs durable tasks again
	notices    *notify.Hub

	// The description of the server.
	identity     wire.Identity
	instructions string
	revisions    wire.VersionSet // supported revisions
	cacheHint    CacheHint

	// Logs and errors.
	log         *slog.Logger
	observer    observe.Observer // nil without Server.Observer
	observes    bool             // there is an observer, so operations have an observation
	clientLog   ClientLog
	argErrors   bool
	maskErrors  bool
	mistakes    error              // see [Server.Check]
	loggedStart atomic.Bool        // see logStart
	flaws       admission.Repeated // messages that were malformed, see logMalformed

	// Limits, and what is counted against them.
	limits   limits
	maxJSON  int // maximum length of the JSON of a result, in bytes
	inFlight inFlightLimit
	running  runningCalls
	sessions atomic.Uint64 // number of sessions that have begun, see rateKey
	rates    callRates
	memory   *admission.Share
	slots    slots

	pings      Pings
	coerce     bool
	selecting  selecting
	contextOf  contextFunc // Server.CallContext
	seal       *sealer
	unreadable admission.Repeated // errors of MayRead outside of calls
	conditions conditions
}

// stages are stages of some requests that are in files which use this one.
type stages struct {
	store func(r *request) *wireError          // continues a request that may wait, and answers it
	task  func(r *request, c *call) *wireError // makes the call one that is or may become a task, if it should
	retry func(r *request, c *call) *wireError // reads the answers of the client in a retry
	asks  func(c *call, err error) bool        // see asks
}
