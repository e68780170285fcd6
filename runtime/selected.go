package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// selecting is the selection of a server, and what is known about those of its clients.
type selecting struct {
	tools  *mcptool.Registry
	log    *slog.Logger
	server *Selection // sorted; nil selects all
	added  []string   // names of the tools of extensions, sorted
	known  atomic.Pointer[knownItems]

	mu     sync.Mutex
	logged map[string]bool // unknown names that clients have sent; guarded by mu
}

// knownItems is what can be selected, at one time.
type knownItems struct {
	generations          [3]uint64
	groups, tools, items []string                   // names, sorted
	owners               map[string][]*mcptool.Tool // of the resources that belong to tools, by URI or template
}

// init sets the selection of a server with these tools, of which extensions have added some.
func (s *selecting) init(server *Selection, tools *mcptool.Registry, added []string, logger *slog.Logger) {
	s.tools, s.added, s.log, s.logged = tools, added, logger, map[string]bool{}
	if !server.isZero() {
		s.server = server.sorted()
	}
}

// knownItems returns what can be selected now.
func (s *selecting) knownItems() *knownItems {
	generations := internals.Generations(s.tools) // first, as in catalog
	if k := s.known.Load(); k != nil && k.generations == generations {
		return k
	}
	k := &knownItems{generations: generations, owners: map[string][]*mcptool.Tool{}}
	add := func(runner *mcptool.Tool) {
		settings := internals.Settings(runner)
		k.groups, k.items = append(k.groups, settings.Groups...), append(k.items, settings.Name)
	}
	for t := range s.tools.Tools() {
		add(t)
		settings := internals.Settings(t)
		k.tools = append(k.tools, settings.Name)
		for _, a := range settings.Attachments {
			for _, r := range a.Resources {
				k.owners[r.URI()] = append(k.owners[r.URI()], t)
			}
		}
	}
	for p := range s.tools.Prompts() {
		add(internals.Runner(p))
	}
	for r := range s.tools.Resources() {
		add(internals.Runner(r))
	}
	k.items = append(k.items, k.groups...)
	for _, names := range []*[]string{&k.groups, &k.tools, &k.items} {
		slices.Sort(*names)
		*names = slices.Compact(*names)
	}
	s.known.Store(k)
	return k
}

// selects reports whether the server and a client select a tool, or the item that the runner runs. A nil Selection selects
// all.
func (s *selecting) selects(client *Selection, runner *mcptool.Tool) bool {
	if s.server == nil && client == nil {
		return true
	}
	owners := s.knownItems().owners[internals.Settings(runner).Name]
	if owners == nil {
		owners = []*mcptool.Tool{runner}
	}
	return slices.ContainsFunc(owners, func(t *mcptool.Tool) bool { return s.server.allows(t, s.added) && client.allows(t, s.added) })
}

// logUnknown logs each name in the selection of a client that does not exist, once, and at most 1000 names, cut to 64 bytes.
// Such a name is not an error, because clients keep their configuration for years.
func (s *selecting) logUnknown(client *Selection) {
	const most = 1000
	var fresh []string
	s.mu.Lock()
	s.knownItems().unknown(client, func(name, _ string, _ []string) {
		if name = wire.Cut(name, 64); !s.logged[name] && len(s.logged) < most {
			s.logged[name], fresh = true, append(fresh, name)
		}
	})
	isLast := len(s.logged) == most
	s.mu.Unlock()
	if len(fresh) > 0 {
		s.log.LogAttrs(context.Background(), slog.LevelWarn, "a client selects names that do not exist, which are ignored", slog.Any("names", fresh))
		if isLast {
			s.log.LogAttrs(context.Background(), slog.LevelWarn, "no more names that do not exist are logged", slog.Int("logged", most))
		}
	}
}

// logReadOnly logs, when the server begins to serve, how many tools [Selection.ReadOnly] of the server hides.
func (s *selecting) logReadOnly() {
	if s.server == nil || !s.server.ReadOnly {
		return
	}
	all := slices.Collect(s.tools.Tools())
	hidden := 0
	for _, t := range all {
		if _, readOnly := internals.IsTool(t); !readOnly {
			hidden++
		}
	}
	s.log.Info("Server.Select is read-only and hides the tools that are not annotated as read-only", slog.Int("hidden", hidden), slog.Int("tools", len(all)))
}

// unknown calls the func report with each name in s that does not exist, a noun for what it should name, and the known names.
func (k *knownItems) unknown(s *Selection, report func(name, noun string, known []string)) {
	find := func(names, known []string, noun string) {
		for _, name := range names {
			if !contains(known, name) {
				report(name, noun, known)
			}
		}
	}
	find(s.Groups, k.groups, "group")
	find(s.Tools, k.tools, "tool")
	find(s.Except, k.items, "tool, prompt, resource or group")
}

// mistakes returns an error for each name in Server.Select that does not exist.
func (s *selecting) mistakes() (mistakes []error) {
	if s.server == nil {
		return nil
	}
	s.knownItems().unknown(s.server, func(name, noun string, known []string) {
		text := fmt.Sprintf("Server.Select: there is no %s %.100q", noun, name)
		switch near := suggest.Nearest(name, known); {
		case near != "":
			text += fmt.Sprintf("; did you mean %q?", near)
		case noun == "group" && len(known) > 0:
			text += "; the groups are " + strings.Join(known[:min(len(known), 20)], ", ")
		}
		mistakes = append(mistakes, errors.New(text))
	})
	return mistakes
}
