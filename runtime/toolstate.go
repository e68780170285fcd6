package runtime

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/connection"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// toolState is the subject that a request runs, with cached facts about it: a tool, a prompt, a resource, the
// completion of one of these, or a custom method.
type toolState struct {
	tool   *mcptool.Tool // runs the subject; a tool is wrapped in the server's middleware; nil for a method
	method *Method       // nil unless a custom method
	row    *method       // of the requests that run it
	kind   subjectKind   // kind of the subject; noSubject for a method
	pace   *pace
	size   size
	forms  [wire.Latest + 1]outputForm // form of the structured result, for each revision
	limits *toolLimits                 // nil if it has none

	support     mcptool.TaskSupport
	scopes      []string              // that its callers need
	conditional bool                  // it has a condition, see [mcptool.VisibleIf]
	headers     []private.ParamHeader // of its arguments
	redirect    redirect              // of its calls; nil if they are not redirected

	// render runs the subject and appends the result object.
	render func(c *call, dst []byte) ([]byte, error)
}

// isTool reports whether the subject is a tool, whose errors the model reads.
func (s *toolState) isTool() bool { return s.kind == toolSubject }

// name returns the name of the tool, prompt or method, or the URI or template of the resource.
func (s *toolState) name() string {
	if s.tool == nil {
		return s.row.name
	}
	return internals.Settings(s.tool).Name
}

// attr returns the kind and the name for the log.
func (s *toolState) attr() slog.Attr { return slog.String(s.noun(), s.name()) }

// timeout returns how long the subject may run; nil means no limit.
func (s *toolState) timeout() *private.TimeoutError {
	if s == nil || s.limits == nil {
		return nil
	}
	return s.limits.timeout
}

// noun returns the kind of the subject, for messages and logs.
func (s *toolState) noun() string { return s.kind.noun() }

// adviceToNarrow returns how a client can get a smaller result; "" if it cannot, as for a resource without a template.
func (s *toolState) adviceToNarrow() string {
	switch {
	case s.kind == toolSubject || s.kind == noSubject:
		return "request a smaller part or use narrower arguments"
	case s.kind == promptSubject:
		return "use narrower arguments"
	case strings.Contains(s.name(), "{"):
		return "read a URI of the template that selects less"
	default:
		return ""
	}
}

// states are the states of the items of one kind that were requested. A state is kept as long as the item is served, even
// if others are added and removed: the use of its limits, and the state of middleware, do not begin anew.
type states struct {
	kind           subjectKind
	limits         *limits
	middleware     []mcptool.Middleware // around each tool
	ignoresUnknown bool                 // unknown arguments of each tool are ignored
	noTasks        bool                 // the server has no tasks

	mu       sync.Mutex // held to add a state, because middleware wraps a tool only once
	byRunner sync.Map   // *mcptool.Tool -> *toolState
}

// load returns the state for this runner; nil if there is none yet.
func (s *states) load(runner *mcptool.Tool) *toolState {
	kept, _ := s.byRunner.Load(runner)
	state, _ := kept.(*toolState)
	return state
}

// add completes and stores the state for this runner, unless there is one, and returns the stored one.
func (s *states) add(runner *mcptool.Tool, made *toolState) *toolState {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kept := s.load(runner); kept != nil {
		return kept
	}
	made.describe(runner)
	if s.noTasks && made.support == mcptool.TaskSupportOptional {
		made.support = private.TaskForbidden
	}
	made.limits = newToolLimits(runner, made.support, s.limits)
	if s.ignoresUnknown {
		made.tool = internals.IgnoringUnknown(runner)
	}
	if len(s.middleware) > 0 {
		made.tool = internals.Wrap(made.tool, s.middleware...)
	}
	s.byRunner.Store(runner, made)
	return made
}

// describe makes s the state of runner, without limits.
func (s *toolState) describe(runner *mcptool.Tool) {
	s.tool, s.pace = runner, new(pace)
	settings := internals.Settings(runner)
	s.support, s.scopes, s.conditional, s.headers = settings.Task, settings.Scopes, settings.VisibleIf != nil, settings.Headers
}

// refusal returns the error that refuses to run the tool, prompt or resource now: for a tool a result for the model,
// which can call again, and otherwise a protocol error.
func (s *toolState) refusal(text string, how observe.Outcome) *wireError {
	if s.isTool() {
		return toModel(text, how)
	}
	e := internalError(text)
	e.outcome = how
	return e
}

// limit refuses a call with this key that exceeds the rate limit of its tool. The error contains the time after which to
// call again. The tool must have a rate limit.
func (s *toolState) limit(key rateKey) *wireError {
	wait := s.limits.rate.Take(key, time.Now())
	if wait <= 0 {
		return nil
	}
	wait = inSeconds(wait)
	rate := frequency(internals.Settings(s.tool).Rate)
	text := fmt.Sprintf("too many requests: the %s may be requested %s by one caller; request it again in %s", s.noun(), rate, wait)
	if s.isTool() {
		text = fmt.Sprintf("too many calls: the tool may be called %s by one caller; call it again in %s", rate, wait)
	}
	return s.refusal(text, observe.OutcomeRateLimited)
}

// keep removes the states for all other runners.
func (s *states) keep(runners []*mcptool.Tool) {
	s.byRunner.Range(func(runner, _ any) bool {
		if t, ok := runner.(*mcptool.Tool); ok && !slices.Contains(runners, t) {
			s.byRunner.Delete(runner)
		}
		return true
	})
}

// state returns the state of a tool that runs or completes a prompt or resource.
func (s *states) state(runner *mcptool.Tool, row *method, render func(*call, []byte) ([]byte, error)) *toolState {
	if kept := s.load(runner); kept != nil {
		return kept
	}
	return s.add(runner, &toolState{row: row, kind: s.kind, render: render})
}

// size is the usual size of the answers of one tool.
type size struct{ last, before atomic.Int64 }

// was records the size of an answer.
func (s *size) was(n int) {
	if last := s.last.Swap(int64(n)); last != s.before.Load() {
		s.before.Store(last)
	}
}

// expected returns the expected size of the next answer: the smaller one of the last two, so that a single large answer
// does not make the next ones expensive.
func (s *size) expected() int { return int(min(s.last.Load(), s.before.Load())) }

const (
	// quick is how long a call may take to count as quick.
	quick = connection.Quick
	// patience is the number of consecutive quick calls after which a tool counts as quick again.
	patience = 8
)

// pace is whether the calls of one tool are usually quick. The goroutine that has read a call runs it if it is expected
// to be quick; any other call has its own goroutine. A tool is expected to be slow until a call was quick.
type pace struct {
	streak atomic.Int32 // above 0 if the tool counts as quick; negative if more than one quick call is necessary for that
}

// isQuick reports whether the next call is expected to be quick.
func (p *pace) isQuick() bool { return p.streak.Load() > 0 }

// took records how long a call took.
func (p *pace) took(d time.Duration) {
	if d >= quick {
		p.streak.Store(1 - patience)
	} else if streak := p.streak.Load(); streak <= 0 {
		p.streak.CompareAndSwap(streak, streak+1) // if this fails, another update won; either is fine
	}
}
