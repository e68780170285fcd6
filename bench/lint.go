package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/docpage"
	"github.com/mcptool-go/mcptool/bench/internal/lint"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	schemalint "github.com/mcptool-go/mcptool/reflectschema/lint"
)

// lintCmd is bench lint.
type lintCmd struct {
	target
	Profile []string `help:"The clients whose rules apply: claude, openai, openai-strict, gemini, copilot, typescript-2025, google-adk, all or none; may be repeated. Mistakes for any client are always reported. The default is all but openai-strict and gemini, for which clients rewrite schemas." placeholder:"NAME"`
	Budget  int      `help:"The largest number of tokens that all tools may take, estimated; more is an error." placeholder:"TOKENS"`
	FailOn  string   `help:"Exit with 1 for findings of this level and worse: ${enum}." enum:"error,warning,advice,never" default:"error"`
	Read    bool     `help:"Also read the resources that are listed and look at their contents, and call the tools that are annotated as read-only with arguments made from their schemas, and look at the sizes of their results: at most 200 and 64 MiB of each."`
	All     bool     `help:"Also report the advice that most authors can ignore, such as that one client hides a bound from some models."`
	JSON    bool     `help:"Print the findings and costs as JSON."`
}

// failing maps values of --fail-on to levels.
var failing = map[string]lint.Level{"error": lint.Error, "warning": lint.Warning, "advice": lint.Advice, "never": lint.Error + 1}

// maxRead and maxReadBytes limit how many resources are read for their contents, and how many tools are called, and the total
// size of the results of each.
const (
	maxRead      = 200
	maxReadBytes = 64 << 20
)

// Run lints the lists of the server.
func (l *lintCmd) Run(ctx context.Context, con *console) error {
	profiles, err := profilesNamed(l.Profile)
	if err != nil {
		return err
	}
	if l.Budget < 0 {
		return usageError("--budget %d is not a number of tokens", l.Budget)
	}
	c, all, err := l.listFrom(ctx, con, client.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // errors on close do not matter
	lists := lint.Lists{Tools: all.tools, Prompts: all.prompts, Resources: all.resources, Templates: all.templates}
	if l.Read {
		if lists.Read, err = readAll(ctx, con, c, all.resources); err != nil {
			return err
		}
		if lists.Results, err = callReadOnlyTools(ctx, con, c, all.tools); err != nil {
			return err
		}
	}
	if c.Era() == client.Modern && slices.Contains(profiles, schemalint.ProfileTypeScript2025) {
		tools, err := l.legacyTools(ctx, con)
		if err != nil {
			return err
		}
		lists.LegacyTools = append([]client.Tool{}, tools...) // not nil: an empty list has no findings
	}
	stray := con.noteFaults(c)
	report := lint.Check(lists, lint.Options{Profiles: profiles, Budget: l.Budget, All: l.All})
	if l.JSON {
		err = printJSON(con.out, report)
	} else {
		s := c.Server()
		head := fmt.Sprintf("%s: %s; %s", terminal.OneLine(s.Product()), all.counts(), report.Summary())
		err = con.print(strings.Join(terminal.Wrap(head, con.width), "\n")+"\n\n"+report.Text(con.width), lintColors)
	}
	if err != nil {
		return err
	}
	if report.Worst() >= failing[l.FailOn] {
		return noError("%s; --fail-on says which fail", report.Summary())
	}
	if stray && failing[l.FailOn] <= lint.Error {
		return errNo
	}
	return nil
}

// readAll reads the resources of a list, up to maxRead and maxReadBytes. If the server rejects a read, the reading
// holds the error.
func readAll(ctx context.Context, con *console, c *client.Client, list []client.Resource) ([]lint.Reading, error) {
	defer con.status("")
	list = list[:min(len(list), maxRead)]
	readings := make([]lint.Reading, len(list))
	size := 0
	for i, r := range list {
		con.status(fmt.Sprintf("reading %s (%d of %d)", r.URI, i+1, len(list)))
		result, err := c.ReadResource(ctx, r.URI)
		if refused := (*client.RPCError)(nil); err != nil && !errors.As(err, &refused) {
			return nil, err
		}
		if readings[i] = (lint.Reading{Resource: r, Result: result}); err != nil {
			readings[i].Refusal = err.Error()
		} else if size += len(result.Raw); size > maxReadBytes {
			_, _ = fmt.Fprintf(con.err, "bench: not all resources were read: the first %d of %d have more than %d MiB\n", i+1, len(list), maxReadBytes>>20) // the findings are still reported
			return readings[:i+1], nil
		}
	}
	return readings, nil
}

// callReadOnlyTools calls the read-only tools of a list with arguments made from their schemas, up to maxRead and
// maxReadBytes, and returns the results. A call that the server rejects has none. A server that does not answer is not called again.
func callReadOnlyTools(ctx context.Context, con *console, c *client.Client, list []client.Tool) ([]lint.Sample, error) {
	defer con.status("")
	var samples []lint.Sample
	size := 0
	for i := range list {
		call := docpage.Plan(con.secrets.KnownJSON(list[i].Readable()), callChoice{policy: callReadOnly}.reason(&list[i]))
		if call.Skipped != "" {
			continue
		}
		if len(samples) == maxRead || size > maxReadBytes {
			_, _ = fmt.Fprintf(con.err, "bench: not all tools were called: the first %d results have %d MiB\n", len(samples), size>>20) // the findings are still reported
			break
		}
		con.status(fmt.Sprintf("calling %s (%d of %d)", list[i].Name, i+1, len(list)))
		result, err := c.Call(ctx, list[i].Name, call.Arguments)
		if lost := (*client.UnreachableError)(nil); errors.As(err, &lost) && ctx.Err() == nil {
			_, _ = fmt.Fprintf(con.err, "bench: not all tools were called: %s\n", terminal.OneLine(con.secrets.Text(lost.Error())))
			break
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			size += len(result.Raw)
			samples = append(samples, lint.Sample{Tool: list[i].Name, Arguments: call.Arguments, Result: result})
		}
	}
	return samples, nil
}

// profilesNamed returns the profiles with the given names, or by default all but those for which clients rewrite schemas.
func profilesNamed(names []string) ([]schemalint.Profile, error) {
	if len(names) == 0 {
		return lint.UsualProfiles(), nil
	}
	var words []string
	for _, p := range schemalint.Profiles() {
		words = append(words, p.String())
	}
	var chosen []schemalint.Profile
	for _, name := range names {
		p, ok := schemalint.ProfileNamed(name)
		switch {
		case name == "all":
			return schemalint.Profiles(), nil
		case name == "none":
		case ok:
			chosen = append(chosen, p)
		default:
			return nil, usageError("unknown profile %q; use %s, all or none", name, strings.Join(words, ", "))
		}
	}
	return chosen, nil
}
