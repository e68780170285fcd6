package results

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/setting"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/task"
)

// ID identifies the extension in the capabilities of the server, and its members in the _meta of requests and results.
const ID = "io.github.mcptool-go/results"

// Options configure [New]. The zero value is usable.
type Options struct {
	// Budget is the maximum size of a result, in bytes of its JSON as sent: the structured part and the texts, which include
	// the structured part again. Images, recordings and links do not count, and are never cut. A result beyond it is cut, and
	// kept to be read with read_result, whose answers have the same maximum. 0 means 8192, about 1,000 tokens of the
	// structured part; less than 2048 is a mistake. A negative value means no budget, except for tools with the option
	// [Budget].
	Budget int
	// TTL is how long a result is kept; 0 means one hour.
	TTL time.Duration
	// Limits bound the results that are kept.
	Limits Limits
	// Store keeps the results. It may be the store of the server's tasks, such as one of the modules integrations/boltstore
	// and integrations/jetstream: results then survive a restart, and are not in lists of tasks. The number and size of
	// its records must be enough for both. Nil means in memory.
	Store task.Store
	// Prefix is put before read_result, such as "crm_". By default it has no prefix.
	Prefix string
}

// Limits bound the results that one process keeps. If a new result exceeds one of them, the oldest results of the same
// caller are deleted, and then the oldest ones of all callers. A caller is a principal of a tenant; all unauthenticated callers
// of a tenant together are one. Zero means the default, and a negative value is a mistake.
type Limits struct {
	// Results and ResultsPerCaller are the maximum numbers of results; defaults 1000 and 100.
	Results, ResultsPerCaller int
	// Bytes and BytesPerCaller are the maximum sizes of all results together, in bytes of JSON; defaults 128 MiB and 32
	// MiB. In memory, results that were read in the last minute take up to 64 MiB in addition.
	Bytes, BytesPerCaller int64
}

// withDefaults returns the options with the defaults filled in, and all mistakes.
func (o Options) withDefaults() (Options, error) {
	l := Limits{
		Results: cmp.Or(o.Limits.Results, 1000), ResultsPerCaller: cmp.Or(o.Limits.ResultsPerCaller, 100),
		Bytes: cmp.Or(o.Limits.Bytes, 128<<20), BytesPerCaller: cmp.Or(o.Limits.BytesPerCaller, 32<<20),
	}
	mistakes := []error{
		setting.NotNegative("Options.TTL", o.TTL, "means the default, 1h"),
		setting.NotNegative("Options.Limits.Results", l.Results, "means the default, 1000"),
		setting.NotNegative("Options.Limits.ResultsPerCaller", l.ResultsPerCaller, "means the default, 100"),
		setting.NotNegative("Options.Limits.Bytes", l.Bytes, "means the default, 128 MiB"),
		setting.NotNegative("Options.Limits.BytesPerCaller", l.BytesPerCaller, "means the default, 32 MiB"),
	}
	if o.Budget > 0 && o.Budget < minBudget {
		mistakes = append(mistakes, fmt.Errorf("Options.Budget: %d bytes are too few for a result and its summary; use at least %d", o.Budget, minBudget))
	}
	o.Limits, o.TTL = l, cmp.Or(o.TTL, time.Hour)
	o.Budget = cmp.Or(o.Budget, defaultBudget)
	if o.Store == nil {
		o.Store = task.NewMemory(task.MemoryLimits{
			Tasks: max(l.Results, 1), PerPrincipal: max(l.ResultsPerCaller, 1), Bytes: max(l.Bytes, 1), BytesPerPrincipal: max(l.BytesPerCaller, 1),
		})
	}
	return o, errors.Join(mistakes...)
}

const (
	defaultBudget = 8 << 10
	minBudget     = 2 << 10
)

// New returns the extension. Several servers may have it if they share a registry; a server with another registry needs its
// own. Otherwise [runtime.Server.Check] returns a mistake, as for mistakes in the options.
func New(o Options) runtime.Extension {
	o, err := o.withDefaults()
	x := &extension{options: o, keeper: keeper{store: o.Store, limits: o.Limits, ttl: o.TTL}}
	tool, toolErr := x.readTool()
	resource, resourceErr := mcptool.NewResource(x.readResource, mcptool.Name("result"), mcptool.Title("Kept result"))
	x.tool = tool
	err = errors.Join(err, toolErr, resourceErr)
	if err != nil {
		return runtime.Extension{ID: ID, Bind: func(*mcptool.Registry) error { return err }}
	}
	return runtime.Extension{
		ID: ID, Tools: []*mcptool.Tool{tool}, Resources: []*mcptool.Resource{resource}, Middleware: []mcptool.Middleware{x.middleware}, Bind: x.bind,
	}
}

// extension is the extension of the servers with one registry. After bind it is safe for concurrent use.
type extension struct {
	options  Options
	keeper   keeper
	tool     *mcptool.Tool     // read_result
	binding  sync.Mutex        // held by bind
	registry *mcptool.Registry // set by the first bind, before any call
}

// bind makes x read the schemas of the tools in the registry.
func (x *extension) bind(registry *mcptool.Registry) error {
	x.binding.Lock()
	defer x.binding.Unlock()
	if x.registry != nil && x.registry != registry {
		return errors.New("belongs to a server with other tools; call New for each registry")
	}
	x.registry = registry
	return nil
}

// running is a call with the middleware of the extension. It is a value of the context.
type running struct {
	extension *extension
	budget    atomic.Int64
}

type runningKey struct{}

// Budget sets the budget of a tool, in bytes as in [Options]: 0 means the one of the Options, 1 to 2047 mean 2048, and
// a negative value means no budget. It has no effect on a server without the extension. Middleware of the option
// [mcptool.Use] that answers calls without the func, such as a cache, belongs after it.
func Budget(bytes int) mcptool.ToolOption {
	if bytes > 0 {
		bytes = max(bytes, minBudget)
	}
	return mcptool.Use(func(next mcptool.Handler) mcptool.Handler {
		return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
			if c, ok := ctx.Value(runningKey{}).(*running); ok && bytes != 0 {
				c.budget.Store(int64(bytes))
			}
			return next(ctx, args)
		}
	})
}

// Forget deletes a kept result before it expires, for example because the data behind it was deleted. Ctx is the context
// of a call of a tool on a server with the extension. The error is [task.ErrNotFound] if the caller has no such result,
// or the one of the store; without the extension it is [ErrNotServed]. To delete a result outside of a call, delete its
// record from [Options.Store]: the handle is the ID. A process that has read the result in the last minute may still
// return it.
func Forget(ctx context.Context, handle string) error {
	c, ok := ctx.Value(runningKey{}).(*running)
	if !ok {
		return ErrNotServed
	}
	return c.extension.keeper.forget(ctx, handle)
}

// ErrNotServed is the error of [Forget] for a context that does not belong to a call on a server with the extension.
var ErrNotServed = errors.New("results: the context does not belong to a call on a server with the extension")
