package toolsearch

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

type describeIn struct {
	_ struct{} `mcp:"name=describe_tools,title=Describe tools,readOnly"`

	Names []string `json:"names" jsonschema:"minItems=1,maxItems=20" doc:"Names of tools, as the search returns them."`
}

type describeOut struct {
	Tools   []described `json:"tools"`
	Missing []missing   `json:"missing,omitempty" doc:"Names that no tool has."`
}

// described is the complete definition of a tool.
type described struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	Groups       []string        `json:"groups,omitempty"`
	CallWith     string          `json:"callWith" doc:"The tool that calls it."`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  annotations     `json:"annotations"`
}

// annotations are [mcptool.ToolAnnotations] with the names of the protocol.
type annotations struct {
	ReadOnlyHint    *bool `json:"readOnlyHint,omitempty"`
	DestructiveHint *bool `json:"destructiveHint,omitempty"`
	IdempotentHint  *bool `json:"idempotentHint,omitempty"`
	OpenWorldHint   *bool `json:"openWorldHint,omitempty"`
}

// missing is a name that no tool has.
type missing struct {
	Name       string   `json:"name"`
	DidYouMean []string `json:"didYouMean,omitempty"`
}

// describe is the tool describe_tools.
func (s *search) describe(ctx context.Context, in describeIn) (describeOut, error) {
	out := describeOut{Tools: []described{}}
	var all []string // set for the first missing name
	for i, name := range in.Names {
		if slices.Contains(in.Names[:i], name) {
			continue
		}
		t := s.lookup(ctx, name)
		if t == nil {
			if all == nil {
				all = s.names(ctx)
			}
			out.Missing = append(out.Missing, missing{cut(name), near(name, all)})
			continue
		}
		info := t.Info()
		d := described{
			Name: info.Name, Title: info.Title, Description: info.Description, Groups: info.Groups, CallWith: s.callerOf(t),
			InputSchema: t.InputSchema().JSON(), Annotations: annotations(t.Annotations()),
		}
		if schema := t.OutputSchema(); schema != nil {
			d.OutputSchema = schema.JSON()
		}
		out.Tools = append(out.Tools, d)
	}
	return out, nil
}

// cut returns a name that no tool has, as an answer repeats it: not much longer than names of tools can be.
func cut(name string) string {
	const most = 128
	if len(name) > most {
		return strings.ToValidUTF8(name[:most], "") + "…"
	}
	return name
}

// lookup returns the tool with this name, except those of the extension; nil if there is none for the caller.
func (s *search) lookup(ctx context.Context, name string) *mcptool.Tool {
	t, ok := s.registry.Lookup(name)
	if !ok || !s.reach(ctx)(t) {
		return nil
	}
	return t
}

// reach returns a func that reports whether the caller can find a tool: both the tool and the one that calls it exist for the
// caller.
func (s *search) reach(ctx context.Context) func(t *mcptool.Tool) bool {
	calls := map[bool]bool{}
	for _, t := range s.own[len(s.own)-2:] { // those that call others
		calls[isReadOnly(t)] = runtime.IsVisible(ctx, t)
	}
	return func(t *mcptool.Tool) bool { return !s.isOwn(t) && calls[isReadOnly(t)] && runtime.IsVisible(ctx, t) }
}

// names returns the names of the tools that the caller can find.
func (s *search) names(ctx context.Context) []string {
	all := []string{}
	reaches := s.reach(ctx)
	for t := range s.registry.Tools() {
		if reaches(t) {
			all = append(all, t.Info().Name)
		}
	}
	return all
}

// near returns the names that are similar to name.
func near(name string, all []string) []string {
	const most = 3
	return suggest.Within(name, all, most)
}
