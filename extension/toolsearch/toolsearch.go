package toolsearch

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// ID identifies the extension in the capabilities of the server.
const ID = "io.github.mcptool-go/toolsearch"

// Options configure [New]. The zero value lists none of the server's own tools.
type Options struct {
	// Keep has the names of tools that stay in tools/list. A name that no tool has when the server is first used is a
	// mistake, which [runtime.Server.Check] returns.
	Keep []string
	// KeepGroups has the groups ([mcptool.Group]) whose tools stay in tools/list. A group may still be empty when the server
	// starts.
	KeepGroups []string
	// SchemaBytes is the budget for argument schemas in one answer of search_tools, in bytes of JSON. The results have
	// their schemas from the first one on, as long as they fit. 0 means 4096; a negative value means no schemas.
	SchemaBytes int
	// Prefix is put before the names of the four tools, such as "crm_". By default they have no prefix.
	Prefix string
}

// defaultSchemaBytes is the default of SchemaBytes: the schemas of three to ten tools, about 1,000 tokens.
const defaultSchemaBytes = 4 << 10

// New returns the extension. Several servers may have it if they share a registry. A server with another registry needs its
// own: otherwise [runtime.Server.Check] returns a mistake, as for a name of [Options.Keep] without a tool and an invalid
// prefix.
func New(o Options) runtime.Extension {
	if o.SchemaBytes == 0 {
		o.SchemaBytes = defaultSchemaBytes
	}
	s := &search{options: o}
	own, err := s.tools()
	return runtime.Extension{
		ID: ID, Tools: own, Unlisted: s.isUnlisted,
		Redirects: map[string]func(json.RawMessage) (string, json.RawMessage, bool){
			o.Prefix + callReadOnly: s.redirect(true),
			o.Prefix + callOther:    s.redirect(false),
		},
		Bind: func(tools *mcptool.Registry) error {
			if err != nil {
				return err
			}
			return s.bind(tools)
		},
	}
}

// search is the extension of the servers with one registry. After bind it is safe for concurrent use.
type search struct {
	options  Options
	own      []*mcptool.Tool
	binding  sync.Mutex        // held by bind
	registry *mcptool.Registry // set by the first bind, before any call
	index    index
}

// The names of the tools, without the prefix.
const (
	searchTools   = "search_tools"
	describeTools = "describe_tools"
	callReadOnly  = "call_read_only_tool"
	callOther     = "call_tool"
)

// tools returns the tools of the extension.
func (s *search) tools() (tools []*mcptool.Tool, err error) {
	var mistakes []error
	add := func(t *mcptool.Tool, err error) {
		tools, mistakes = append(tools, t), append(mistakes, err)
	}
	p := s.options.Prefix
	add(mcptool.New(s.find, mcptool.NamePrefix(p), mcptool.Description("Finds tools of this server by what they do. Most tools are not in your list, "+
		"so search before you say that something is impossible. Then run what you have found with "+p+callReadOnly+" or "+p+callOther+".")))
	add(mcptool.New(s.describe, mcptool.NamePrefix(p), mcptool.Description("Returns the complete definitions of tools that "+p+searchTools+" has found.")))
	add(s.caller(true))
	add(s.caller(false))
	if err := errors.Join(mistakes...); err != nil {
		return nil, fmt.Errorf("Options.Prefix: %w", err)
	}
	s.own = tools
	return tools, nil
}

// bind makes s search the tools of the registry.
func (s *search) bind(registry *mcptool.Registry) error {
	s.binding.Lock()
	defer s.binding.Unlock()
	switch s.registry {
	case registry:
	case nil:
		s.registry = registry
	default:
		return errors.New("belongs to a server with other tools; call New for each registry")
	}
	var mistakes []error
	for _, name := range s.options.Keep {
		if _, ok := registry.Lookup(name); ok {
			continue
		}
		text := fmt.Sprintf("Options.Keep: there is no tool %q", name)
		if near := suggest.Nearest(name, namesIn(registry)); near != "" {
			text += fmt.Sprintf("; did you mean %q?", near)
		}
		mistakes = append(mistakes, errors.New(text))
	}
	return errors.Join(mistakes...)
}

// namesIn returns the names of all tools of a registry.
func namesIn(registry *mcptool.Registry) (all []string) {
	for t := range registry.Tools() {
		all = append(all, t.Info().Name)
	}
	return all
}

// isOwn reports whether the tool is one of the extension.
func (s *search) isOwn(t *mcptool.Tool) bool { return slices.Contains(s.own, t) }

// isUnlisted reports whether the tool is not in tools/list.
func (s *search) isUnlisted(t *mcptool.Tool) bool {
	info := t.Info()
	return !s.isOwn(t) && !slices.Contains(s.options.Keep, info.Name) &&
		!slices.ContainsFunc(info.Groups, func(group string) bool { return slices.Contains(s.options.KeepGroups, group) })
}
