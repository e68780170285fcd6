package results

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/internal/jsonquery"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/task"
)

// readIn are the arguments of read_result.
type readIn struct {
	_ struct{} `mcp:"name=read_result,title=Read a kept result,readOnly,idempotent,openWorld=false,timeout=5s,concurrent=4"`

	Handle string `json:"handle" jsonschema:"maxLength=200" doc:"The handle in the result that was cut."`
	jsonquery.Query
}

// registerOperand registers the schema of operands. Some APIs refuse a request with a schema that has no type.
var registerOperand = sync.OnceFunc(func() {
	reflectschema.RegisterCodec(`{"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"},{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}}]}`,
		func(o *jsonquery.Operand) ([]byte, error) { return *o, nil },
		func(data []byte, o *jsonquery.Operand) error { return o.UnmarshalJSON(data) })
})

// readTool returns the tool read_result.
func (x *extension) readTool() (*mcptool.Tool, error) {
	registerOperand()
	return mcptool.New(x.read, mcptool.NamePrefix(x.options.Prefix), mcptool.Description(
		"Reads results that were cut, by their handles: pages of lists and texts, rows that meet conditions, columns, sorted rows, groups with counts and sums, "+
			"lines that match. Ask for what you need, such as a count or the rows of one customer, instead of reading all pages."))
}

// read is the tool read_result.
func (x *extension) read(ctx context.Context, in readIn) (*mcptool.Result, error) {
	doc, tool, err := x.load(ctx, in.Handle)
	switch {
	case errors.Is(err, task.ErrNotFound):
		return nil, x.gone(tool)
	case err != nil:
		return nil, err
	}
	budget := x.options.Budget
	if budget < 0 {
		budget = defaultBudget
	}
	answer, err := doc.Answer(ctx, &in.Query, schemaOf(tool), budget-framing)
	switch {
	case err == nil:
		return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: string(answer)}}}, nil
	case ctx.Err() != nil:
		return nil, err
	default:
		return nil, mcptool.Errorf("%w", err)
	}
}

// load returns a result of the caller, and the tool that returned it, nil if the registry no longer has it. The error is
// [task.ErrNotFound] if there is none, or if the caller may no longer call the tool, as for the results of tasks.
func (x *extension) load(ctx context.Context, handle string) (*jsonquery.Document, *mcptool.Tool, error) {
	name := handle[:max(strings.LastIndexByte(handle, '-'), 0)]
	tool, ok := x.registry.Lookup(name)
	if ok && !runtime.IsVisible(ctx, tool) {
		return nil, nil, task.ErrNotFound
	}
	doc, err := x.keeper.load(ctx, handle)
	return doc, tool, err
}

// gone returns the error for a handle that is not in the store, or belongs to another caller. The tool is nil if the caller
// cannot call it.
func (x *extension) gone(t *mcptool.Tool) error {
	if t == nil {
		return mcptool.Errorf("there is no result with this handle; copy the handle from a result that says that it was cut")
	}
	return mcptool.Errorf("the result of %s with this handle does not exist, or was deleted: results are kept for %s, and fewer if there are many; call %[1]s again",
		t.Info().Name, x.options.TTL)
}
