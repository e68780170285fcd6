package mcptooltest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
)

// resultsKey is the key of the extension results in the _meta of results that it has cut.
const resultsKey = "io.github.mcptool-go/results"

// keptResult describes a result that was cut, and is kept complete.
type keptResult struct {
	Handle string // "" if the result was not cut, or could not be kept
	Cut    []struct{ Path string }
}

// kept returns what is kept of a result.
func (a *answer) kept() (k keptResult) {
	if a.result == nil || json.Unmarshal(a.result.Meta[resultsKey], &k) != nil {
		return keptResult{}
	}
	return k
}

// readerIn returns the name of the tool read_result, with any prefix, that an extension has added to the registry of a tool; "" if none has.
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

const wantKept = "the part of the result, which was cut and has this handle"
