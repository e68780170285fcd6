package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/docpage"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/load"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// runCmd is bench run.
type runCmd struct {
	target
	Server []string `help:"Measure several servers side by side, compared with the first: 'NAME=COMMAND ARGS', quoted as for a shell, or NAME=URL; repeated, in place of TARGET." placeholder:"NAME=TARGET" sep:"none"`
	Tool   []string `help:"Call this tool; may be repeated. The default is each tool that is annotated readOnlyHint true." placeholder:"NAME"`
	All    bool     `help:"Call all tools, also those that are not annotated as read-only."`
	Args   string   `help:"The arguments, in place of a sample made from the schema: an object, or a list of objects that are used in turn." placeholder:"JSON|@FILE"`
	PID    int      `name:"pid" help:"The process of a server at a local URL, whose processor time and memory are measured, with those that it has started." placeholder:"N"`
	loadFlags
	reportFlags
}

// loadFlags configure the load.
type loadFlags struct {
	Concurrency []int         `help:"Keep this many calls in flight; one measurement for each number. The default is 1,8,64." placeholder:"N,…" short:"c"`
	Rate        string        `help:"Make calls at a rate, as in 500/s, whether or not the server keeps up. Latency is measured from the time a call was due." placeholder:"N/s"`
	Duration    time.Duration `help:"The duration of each measurement." default:"3s" short:"d"`
	Calls       *int64        `help:"Make this many calls per measurement, in place of --duration." short:"n" placeholder:"N"`
	Warmup      time.Duration `help:"The duration of the calls before a measurement, which do not count." default:"500ms"`
	Rounds      int           `help:"How often servers take turns; medians are shown. The default is 5 for several servers, else 1." placeholder:"N"`
}

// reportFlags select the report formats.
type reportFlags struct {
	JSON bool   `help:"Print the report as JSON."`
	HTML string `help:"Also write the report as a page with plots." placeholder:"FILE" predictor:"file"`
}

// Run measures servers.
func (r *runCmd) Run(ctx context.Context, con *console) error {
	plan, err := r.plan()
	if err != nil {
		return err
	}
	if err := r.checkPID(); err != nil {
		return err
	}
	servers, err := r.dialAll(ctx, con)
	defer closeAll(servers)
	if err != nil {
		return err
	}
	plan.Servers = servers
	var notes []string
	if plan.Work, notes, err = r.work(ctx, servers[0].Client); err != nil {
		return err
	}
	return r.finish(ctx, con, plan, notes)
}

// plan builds a plan from the load flags.
func (l *loadFlags) plan() (load.Plan, error) {
	p := load.Plan{Steps: l.Concurrency, Duration: l.Duration, Warmup: l.Warmup, Rounds: l.Rounds}
	if l.Calls != nil {
		if p.Calls = *l.Calls; p.Calls < 1 {
			return p, usageError("--calls is 1 or more")
		}
	}
	switch {
	case l.Rounds < 0 || l.Warmup < 0 || l.Duration < 0:
		return p, usageError("--rounds, --warmup and --duration are not below 0")
	case p.Calls > 0:
		p.Duration = 0
	case l.Duration == 0:
		return p, usageError("--duration 0 needs --calls: otherwise nothing is measured")
	}
	if slices.ContainsFunc(l.Concurrency, func(n int) bool { return n < 1 || n > 100_000 }) {
		return p, usageError("--concurrency is from 1 to 100000")
	}
	if l.Rate != "" {
		rate, err := parseRate(l.Rate)
		if err != nil {
			return p, err
		}
		if p.Rate = rate; len(p.Steps) > 1 {
			return p, usageError("with --rate, --concurrency is how many calls are in flight at most: one number")
		}
	}
	switch {
	case len(p.Steps) > 0:
	case p.Rate > 0:
		p.Steps = []int{0} // the default maximum
	default:
		p.Steps = []int{1, 8, 64}
	}
	return p, nil
}

// parseRate parses a number of calls per second or minute.
func parseRate(text string) (float64, error) {
	number, unit, _ := strings.Cut(text, "/")
	per, known := map[string]float64{"": 1, "s": 1, "m": 60, "min": 60}[unit]
	rate, err := strconv.ParseFloat(number, 64)
	if rate /= max(per, 1); err != nil || !known || !(rate > 0) || rate > 1e6 {
		return 0, usageError("--rate %s is not like 500/s or 30/m, above 0 and up to 1000000/s", text)
	}
	return rate, nil
}

// work returns the tools to call and their arguments.
func (r *runCmd) work(ctx context.Context, c *client.Client) (work []load.Work, notes []string, err error) {
	tools, err := c.Tools(ctx)
	if err != nil {
		return nil, nil, err
	}
	chosen, notes, err := r.choose(tools)
	if err != nil {
		return nil, nil, err
	}
	given, err := readArgs(r.Args)
	if err != nil {
		return nil, nil, err
	}
	if given != nil && len(chosen) != 1 {
		return nil, nil, usageError("--args is for one tool; say which with --tool")
	}
	for _, t := range chosen {
		w := load.Work{Tool: t.Name, Arguments: given}
		if example := docpage.Plan(t.Raw, "").Arguments; given == nil && example != nil {
			w.Arguments = []json.RawMessage{example}
		}
		switch {
		case w.Arguments != nil:
			work = append(work, w)
		case len(r.Tool) > 0:
			return nil, nil, usageError("no sample arguments for %s can be made from its schema; give some with --args", t.Name)
		default:
			notes = append(notes, fmt.Sprintf("%s was not called: no sample arguments can be made from its schema; --tool and --args give some.", terminal.OneLine(t.Name)))
		}
	}
	if len(r.Tool) == 0 {
		work, notes, err = sound(ctx, c, work, notes)
	}
	if err == nil && len(work) == 0 {
		err = noError("there is no tool that can be called.\n%s", strings.Join(notes, "\n"))
	}
	return work, notes, err
}

// choose returns the tools to call.
func (r *runCmd) choose(tools []client.Tool) (chosen []*client.Tool, notes []string, err error) {
	for _, name := range r.Tool {
		t, err := toolNamed(tools, name)
		if err != nil {
			return nil, nil, usageError("--tool: %v", err)
		}
		chosen = append(chosen, t)
	}
	if len(chosen) > 0 {
		return chosen, nil, nil
	}
	var left []string
	for i := range tools {
		if t := &tools[i]; r.All || t.ReadOnly() {
			chosen = append(chosen, t)
		} else {
			left = append(left, uncalledText(t))
		}
	}
	switch {
	case len(left) == 0:
		return chosen, nil, nil
	case len(chosen) == 0:
		return nil, nil, usageError("no tool is annotated as read-only: name one with --tool, or call them all with --all (%s)", namesText(left))
	default:
		return chosen, []string{fmt.Sprintf("Not called, because not annotated as read-only: %s. --tool NAME calls one, --all calls all.", namesText(left))}, nil
	}
}

// sound removes tools that reject the sample arguments: measuring the error path is useful only on request.
func sound(ctx context.Context, c *client.Client, work []load.Work, notes []string) ([]load.Work, []string, error) {
	var good []load.Work
	for _, w := range work {
		result, err := c.Call(ctx, w.Tool, w.Arguments[0])
		refused, isRefused := errors.AsType[*client.RPCError](err)
		var why string
		switch {
		case isRefused:
			why = refused.Error()
		case err != nil:
			return nil, nil, err
		case result.IsError:
			why = "an error: " + resultText(result)
		default:
			good = append(good, w)
			continue
		}
		notes = append(notes, fmt.Sprintf("%s was not measured: what was made from its schema, %s, it answered with %s. --tool and --args give something better.",
			terminal.OneLine(w.Tool), w.Arguments[0], terminal.Shorten(terminal.OneLine(why), 200)))
	}
	return good, notes, nil
}

// readArgs reads --args; nil if not set.
func readArgs(text string) ([]json.RawMessage, error) {
	if text == "" {
		return nil, nil
	}
	from := "--args"
	if file, ok := strings.CutPrefix(text, "@"); ok {
		data, err := readFile(file)
		if err != nil {
			return nil, err
		}
		from, text = file, string(data)
	}
	all := []json.RawMessage{json.RawMessage(strings.TrimSpace(text))}
	if strings.HasPrefix(string(all[0]), "[") {
		if err := json.Unmarshal(all[0], &all); err != nil {
			return nil, usageError("%s is not JSON: %v", from, err)
		}
	}
	for i := range all {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(all[i], &object); err != nil || object == nil {
			return nil, usageError("%s is neither a JSON object nor a list of them: %.60s", from, all[i])
		}
	}
	if len(all) == 0 {
		return nil, usageError("%s is an empty list; a call needs arguments", from)
	}
	return all, nil
}

// finish runs the plan and prints the report, including after an interrupt.
func (f *reportFlags) finish(ctx context.Context, con *console, plan load.Plan, notes []string) error {
	if plan.Rounds == 0 {
		if plan.Rounds = 1; len(plan.Servers) > 1 {
			plan.Rounds = 5
		}
	}
	show, end := con.progress(plan.Expected())
	plan.Progress = show
	report := load.Run(ctx, plan)
	end()
	report.Notes = append(report.Notes, notes...)
	if err := report.Redact(&con.secrets); err != nil {
		return err
	}
	if f.HTML != "" {
		var page bytes.Buffer
		if err := report.WriteHTML(&page); err != nil {
			return err
		}
		if err := writeFile(f.HTML, page.Bytes()); err != nil {
			return err
		}
	}
	var err error
	if f.JSON {
		err = printJSON(con.out, report)
	} else {
		var text strings.Builder
		if err = report.WriteText(&text); err == nil {
			err = con.print(text.String(), runColors)
		}
	}
	if err != nil {
		return err
	}
	return outcome(ctx, report)
}

// outcome maps a reported run to the error of the command.
func outcome(ctx context.Context, r *load.Report) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case len(r.Lost) > 0:
		return &exitError{code: exitUnreachable}
	case len(r.Rows) == 0:
		return noError("nothing was measured")
	case r.Barren():
		return noError("every call of a tool failed; the report begins with why")
	default:
		return nil
	}
}
