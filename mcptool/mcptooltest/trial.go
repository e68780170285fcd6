package mcptooltest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// A trial tests one tool through a server, in every revision.
type trial struct {
	tool     *mcptool.Tool
	settings *settings
	spared   string                  // why the tool must not run; "" if it may
	outputs  []*reflectschema.Schema // output schema for each peer; nil if none
	hidden   hidden
	reader   string // the tool that reads results that an extension has cut; "" if there is none

	peers
	report
}

// newTrial connects a client of each revision to a server of the tool. The context is used for all calls.
func newTrial(ctx context.Context, tool *mcptool.Tool, s *settings) (*trial, error) {
	t := &trial{tool: tool, settings: s, spared: s.spares(tool), report: report{noun: "tool", name: tool.Info().Name}}
	registry := &mcptool.Registry{}
	if err := registry.Add(tool); err != nil {
		return nil, err
	}
	peers, err := dialAll(ctx, s.client, registry, s.extensions(), len(s.answers[tool.Info().Name]) > 0)
	if err != nil {
		return nil, err
	}
	t.peers, t.reader = peers, readerIn(registry, tool)
	for _, p := range t.peers {
		output, hidden := t.listed(ctx, p)
		t.outputs, t.hidden = append(t.outputs, output), append(t.hidden, hidden)
	}
	return t, nil
}

// run makes all calls, until the time is up.
func (t *trial) run(ctx context.Context) {
	calls, err := t.plan()
	if err != nil {
		t.fail(err.Error())
		return
	}
	t.checkOwnTypes(t.tool.InputSchema(), t.tool.OutputSchema())
	end := time.Now().Add(t.settings.within)
	for i := range calls {
		if time.Now().After(end) {
			t.omit("remaining calls", "time ran out after %d of %d calls; set a longer time with the option Within", i, len(calls))
			break
		}
		failed := len(t.failures) + t.more
		for k := range t.peers {
			if t.try(ctx, k, &calls[i], true); len(t.failures)+t.more > failed {
				break // the other revisions would fail in the same way
			}
		}
	}
	if internals.Settings(t.tool).Task == mcptool.TaskSupportRequired {
		t.note("not called in revisions since %s, in which it can only run as a task; test it there with StartTask", sinceTasks)
	}
	t.noteHidden(t.hidden)
	if len(t.failures) == 0 {
		t.summarize(t.hidden.not())
	}
	if t.spared == "" && !t.settings.failing[t.tool.Info().Name] {
		t.requireSuccess(t.hidden)
	}
}

func (t *trial) skip(tb testing.TB) {
	tb.Helper()
	t.skipHidden(tb, t.hidden)
}

// plan returns the calls to make, beginning with the ones that the option Arguments lists.
func (t *trial) plan() ([]call, error) {
	own, err := t.settings.own(t.tool.Info().Name)
	if err != nil {
		return nil, err
	}
	var calls []call
	schema := t.tool.InputSchema()
	for _, args := range own {
		if err := schemas.Judge(schema, args); err != nil {
			return nil, fmt.Errorf("%s: %s of the option Arguments does not fit the schema: %w", t.tool.Info().Name, args, err)
		}
		calls = append(calls, call{args: args, about: "from the option Arguments", fits: true, own: true})
	}
	first := len(own) == 0
	for _, s := range samples.Of(schema) {
		if s.JSON[0] != '{' {
			continue // arguments are always an object
		}
		about := s.About
		if s.Path != "" {
			about = s.Path + ": " + s.About
		}
		calls = append(calls, call{args: s.JSON, about: about, fits: s.Fits || t.accepts(s.JSON), first: s.Fits && first})
		first = first && !s.Fits
	}
	if t.spared != "" {
		t.omit("valid arguments", "the tool is %s", t.spared)
	}
	return calls, nil
}

// try makes a call in the revision of a peer, and checks the answer. If twice is set, it repeats a call whose answer
// should be the same each time.
func (t *trial) try(ctx context.Context, k int, c *call, twice bool) {
	p := t.peers[k]
	switch {
	case t.hidden[k], c.fits && t.spared != "":
		return
	case internals.Settings(t.tool).Task == mcptool.TaskSupportRequired && p.revision >= sinceTasks:
		return // in these revisions the tool can only run as a task
	}
	a, err := t.make(ctx, p, c)
	if err != nil {
		t.unlike(p, c, err.Error(), "an answer")
		return
	}
	if c.fits {
		t.judgeFit(k, c, &a)
		t.readKept(ctx, p, c, &a)
	} else {
		t.judgeMisfit(p, c, &a)
	}
	if !twice || a.defect != nil || c.fits && !t.isStable() || a.kept().Handle != "" {
		return // the handle differs in each result
	}
	again, err := t.make(ctx, p, c)
	switch {
	case err != nil:
		t.unlike(p, c, "on the second call: "+err.Error(), "the same answer as on the first call")
	case again.defect == nil && !bytes.Equal(a.raw, again.raw):
		t.unlike(p, c, string(a.raw)+"\n          and then\n          "+string(again.raw),
			"the same answer to both calls")
	}
}

// isStable reports whether repeated calls of the tool must have the same answer.
func (t *trial) isStable() bool {
	return t.settings.allStable || t.settings.stable[t.tool.Info().Name]
}

// make makes one call.
func (t *trial) make(ctx context.Context, p *peer, c *call) (answer, error) {
	return t.send(ctx, p, t.tool.Info().Name, c.args)
}

// send calls a tool of the server.
func (t *trial) send(ctx context.Context, p *peer, name string, args []byte) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, t.settings.within)
	defer cancel()
	r := request{
		method: "tools/call", params: `"name":"` + name + `","arguments":` + string(args),
		access: t.settings.client.access(),
	}
	if answers := t.settings.answers[name]; len(answers) > 0 {
		r.user = &user{answers: answers}
	}
	a, err := p.request(ctx, r)
	a.unasked = r.user != nil && r.user.isUnasked()
	if err == errSilent { //nolint:errorlint // never wrapped
		err = fmt.Errorf("no answer within %s", t.settings.within)
	}
	return a, err
}

// entry is the entry of a tool in tools/list.
type entry struct {
	Name         string           `json:"name"`
	Title        *string          `json:"title"`
	Description  *string          `json:"description"`
	InputSchema  json.RawMessage  `json:"inputSchema"`
	OutputSchema json.RawMessage  `json:"outputSchema"`
	Annotations  map[string]any   `json:"annotations"`
	Icons        []map[string]any `json:"icons"`
	Meta         map[string]any   `json:"_meta"`
}

// listed checks the entry of the tool in the list for clients of the revision, and returns its output schema; nil if it
// has none. It reports whether the tool is hidden.
func (t *trial) listed(ctx context.Context, p *peer) (output *reflectschema.Schema, hidden bool) {
	ctx, cancel := context.WithTimeout(ctx, t.settings.within)
	defer cancel()
	wrong := func(format string, args ...any) {
		t.fail(fmt.Sprintf("%s, in revision %s: tools/list: ", t.tool.Info().Name, p.revision) + fmt.Sprintf(format, args...))
	}
	a, err := p.request(ctx, request{method: "tools/list", access: t.settings.client.access()})
	if err != nil {
		wrong("%v", err)
		return nil, false
	}
	raw := a.result.tool(t.tool.Info().Name)
	switch {
	case raw == nil && a.result != nil && t.settings.hides(t.tool):
		return nil, true
	case raw == nil:
		wrong("want the tool, got %s", a.raw)
		return nil, false
	}
	var e entry
	if err := json.Unmarshal(raw, &e); err != nil {
		wrong("%s has a member of the wrong type: %v", raw, err)
		return nil, false
	}
	input, err := reflectschema.ParseSchema(e.InputSchema)
	switch {
	case err != nil:
		wrong("inputSchema: %v", err)
	case !schemas.IsObject(input):
		wrong("inputSchema is not of type object: %s", e.InputSchema)
	}
	if e.OutputSchema == nil {
		return nil, false
	}
	if output, err = reflectschema.ParseSchema(e.OutputSchema); err != nil {
		wrong("outputSchema: %v", err)
		return nil, false
	}
	return output, false
}

// takes reports whether arguments fit the tool, and whether to skip them because they cannot be sent.
func (t *trial) takes(args []byte) (fits, skip bool) {
	if !isSendable(t.tool.InputSchema(), args) {
		return false, true
	}
	return t.accepts(args), false
}

// accepts reports whether the tool accepts the arguments, which [mcptool.Coerce] may convert.
func (t *trial) accepts(args []byte) bool {
	coerce := internals.Settings(t.tool).Coerce
	return schemas.JudgeArguments(t.tool.InputSchema(), args, coerce != nil && *coerce) == nil
}

// readerIn returns the name of the tool read_result, with any prefix, that an extension has added to the registry of a
// tool; "" if none has.
func readerIn(registry *mcptool.Registry, tested *mcptool.Tool) string {
	for tool := range registry.Tools() {
		if name := tool.Info().Name; tool != tested && strings.HasSuffix(name, "read_result") {
			return name
		}
	}
	return ""
}

// readKept calls read_result for a result that was cut, and for each of its parts that were cut.
func (t *trial) readKept(ctx context.Context, p *peer, c *call, a *answer) {
	kept := a.kept()
	if kept.Handle == "" || t.reader == "" {
		return
	}
	paths := []string{""}
	for _, cut := range kept.Cut {
		if !slices.Contains(paths, cut.Path) {
			paths = append(paths, cut.Path)
		}
	}
	for _, path := range paths {
		args, err := json.Marshal(map[string]string{"handle": kept.Handle, "path": path})
		if err != nil {
			t.fail(err.Error())
			return
		}
		t.counts.reads++
		part, err := t.send(ctx, p, t.reader, args)
		switch {
		case err != nil:
			t.unlike(p, c, t.reader+" "+string(args)+": "+err.Error(), wantKept)
		case part.result == nil || part.result.IsError:
			t.unlike(p, c, t.reader+" "+string(args)+": "+string(part.raw), wantKept)
		default:
			continue
		}
		return // the other parts would fail in the same way
	}
}
