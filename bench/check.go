package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/compat"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// checkCmd is bench check.
type checkCmd struct {
	target
	Snapshot string   `help:"The snapshot file." default:"tools.snapshot.json" placeholder:"FILE" short:"s" predictor:"file"`
	Against  string   `help:"Compare with this running server in place of a snapshot: a URL, CLIENT:NAME, or 'COMMAND ARGS', quoted as for a shell." placeholder:"TARGET" predictor:"target"`
	Update   bool     `help:"Write the tools, prompts, resources and templates as they are now to the snapshot." short:"u"`
	Without  []string `help:"Leave out a list: prompts, resources or templates; may be repeated. Resources that a template matches are always left out." enum:"prompts,resources,templates" placeholder:"LIST"`
	Least    string   `help:"Show changes of this class and worse: ${enum}." enum:"wording,compatible,may-break,breaks" default:"wording"`
	Diff     bool     `help:"Show the difference of each changed entry, as JSON."`
	JSON     bool     `help:"Print the changes as JSON."`

	since string // what is compared with, as it is shown
	stray bool   // a server printed lines that are not messages
	// The eras of the server, and of the one of --against.
	era, againstEra client.Era
}

// Help adds details to the short help in the command list.
func (*checkCmd) Help() string {
	return `The file is the one that mcptooltest.AssertCompatible writes. Resources that are data are left out: those
that a listed template matches, and the views of tools (ui://). A change breaks callers if arguments that
were right no longer are, or a tool, a prompt or a resource is gone, and readers if a result may be what it could not be
before, or contents have another MIME type. Where that cannot be told, as of two patterns, it may break. The exit code
is 1 for both, and if the server prints anything but messages to its stdout. With --against, another server takes
the place of the file: --env applies to both if they are commands, and --header if they are URLs.`
}

// defaultSnapshot is the default of --snapshot.
const defaultSnapshot = "tools.snapshot.json"

// classes maps names in flags and JSON to classes of changes.
var classes = map[string]compat.Class{
	"wording": compat.Wording, "compatible": compat.Compatible, "may-break": compat.MayBreak, "breaks": compat.Breaks,
}

// Run compares what the server lists with the file or another server, or writes the file.
func (c *checkCmd) Run(ctx context.Context, con *console) error {
	was, err := c.before(ctx, con)
	if err != nil {
		return err
	}
	now, err := c.snapshot(ctx, con, was)
	if err != nil {
		return err
	}
	if c.Against != "" && c.era != c.againstEra {
		_, _ = fmt.Fprintf(con.err, "bench: %s speaks the era %s, and this server %s; with --era legacy, both list the same things in the same form\n", c.since, c.againstEra, c.era) // best effort
	}
	c.leaveOut(was)
	c.leaveOut(now)
	changes := compat.Compare(was, now)
	if c.Update {
		data, err := compat.Format(now)
		if err != nil {
			return err
		}
		if err := writeFile(c.Snapshot, terminal.JSON(data)); err != nil {
			return err
		}
	}
	if c.JSON {
		err = printJSON(con.out, c.findings(changes, now))
	} else {
		err = con.print(c.text(changes, was, now), checkColors)
	}
	if err == nil && (c.stray || !c.Update && compat.Worst(changes) > compat.Compatible) {
		return errNo
	}
	return err
}

// before returns the lists to compare with: from the server of --against, or from the file.
func (c *checkCmd) before(ctx context.Context, con *console) (*compat.Snapshot, error) {
	if c.Against == "" {
		c.since = c.Snapshot
		if _, err := c.server(); err != nil {
			return nil, err
		}
		return c.read()
	}
	if c.Update || c.Snapshot != defaultSnapshot {
		return nil, usageError("--update and --snapshot are for a file, and --against compares with a server; leave out one of them")
	}
	parsed, err := parseTarget("--against", c.Against)
	if err == nil && c.parsed.given() {
		err = c.checkFlags(c.parsed, parsed)
	}
	if err != nil {
		return nil, err
	}
	other := *c
	other.target, c.target = *c.withServer(parsed), *c.withServer(c.parsed)
	if _, err := c.server(); err != nil {
		return nil, err
	}
	to, err := other.server()
	if err != nil {
		return nil, err
	}
	c.since = to.String()
	was, err := other.snapshot(ctx, con, nil)
	c.stray, c.againstEra = other.stray, other.era
	return was, err
}

// read returns the snapshot in the file; nil if it does not exist and is about to be written.
func (c *checkCmd) read() (*compat.Snapshot, error) {
	raw, err := readFile(c.Snapshot)
	switch {
	case errors.Is(err, fs.ErrNotExist) && c.Update:
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, usageError("there is no %s yet; --update writes it as the expected state of the tools", c.Snapshot)
	case err != nil:
		return nil, err
	}
	snapshot, err := compat.Parse(raw)
	if err != nil {
		place := c.Snapshot
		if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
			before := raw[:min(int(syntax.Offset), len(raw))]
			place += fmt.Sprintf(":%d", 1+bytes.Count(before, []byte("\n")))
		}
		return nil, usageError("%s: %v; name another file with --snapshot, or remove it", place, err)
	}
	return snapshot, nil
}

// leaveOut removes the lists named by --without from a snapshot.
func (c *checkCmd) leaveOut(s *compat.Snapshot) {
	if s == nil {
		return
	}
	for _, list := range c.Without {
		switch list {
		case "prompts":
			s.Prompts = nil
		case "resources":
			s.Resources = nil
		case "templates":
			s.Templates = nil
		}
	}
}

// snapshot returns the server's current lists, without resources that are data.
func (c *checkCmd) snapshot(ctx context.Context, con *console, was *compat.Snapshot) (*compat.Snapshot, error) {
	session, all, err := c.listFrom(ctx, con, client.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = session.Close() }() // errors on close do not matter
	c.stray, c.era = con.noteFaults(session) || c.stray, session.Era()
	now, err := con.snapshot(all)
	if err != nil {
		return nil, err
	}
	if session.Era() == client.Modern {
		c.addTaskSupport(ctx, con, session, was, now)
	}
	return now.WithoutData(), nil
}

// snapshot returns the lists of a server as a snapshot, without secrets, because the file is committed.
func (c *console) snapshot(all *catalog) (*compat.Snapshot, error) {
	known := c.secrets.KnownJSON
	now, err := compat.NewSnapshot(compat.Entries{
		Tools:     entriesOf(all.tools, func(t client.Tool) json.RawMessage { return known(t.Readable()) }),
		Prompts:   entriesOf(all.prompts, func(p client.Prompt) json.RawMessage { return known(p.Readable()) }),
		Resources: entriesOf(all.resources, func(r client.Resource) json.RawMessage { return known(r.Readable()) }),
		Templates: entriesOf(all.templates, func(r client.Resource) json.RawMessage { return known(r.Readable()) }),
	})
	if err != nil {
		return nil, noError("what the server lists is wrong: %v", err)
	}
	return now, nil
}

// addTaskSupport adds which tools run as tasks, which lists since revision 2026-07-28 do not include. It takes that
// from the list for legacy clients or, if the server does not support them, from the file.
func (c *checkCmd) addTaskSupport(ctx context.Context, con *console, session *client.Client, was, now *compat.Snapshot) {
	if !session.DeclaresTasks() {
		return
	}
	support := map[string]*compat.Execution{}
	if was != nil {
		for _, t := range was.Tools {
			support[t.Name] = t.Execution
		}
	}
	tools, _ := c.legacyTools(ctx, con) // without a list, the file has the last word
	for i := range tools {
		if support[tools[i].Name] = nil; tools[i].Execution != nil {
			support[tools[i].Name] = &compat.Execution{TaskSupport: tools[i].Execution.TaskSupport}
		}
	}
	for i := range now.Tools {
		now.Tools[i].Execution = support[now.Tools[i].Name]
	}
}

// text formats the changes.
func (c *checkCmd) text(changes []compat.Change, was, now *compat.Snapshot) string {
	var b strings.Builder
	least := classes[c.Least]
	if was == nil {
		changes = nil // everything is new
	}
	b.WriteString(compat.Report(onLines(changes), least))
	if c.Diff {
		b.WriteString(details(changes, least, was, now))
	}
	if hidden := len(changes) - len(shown(changes, least)); hidden > 0 {
		fmt.Fprintf(&b, "not shown: %s below %s\n", count(hidden, "change"), c.Least)
	}
	entries := counts(len(now.Tools), len(now.Prompts), len(now.Resources), len(now.Templates))
	switch worst := compat.Worst(changes); {
	case was == nil:
		fmt.Fprintf(&b, "%s is written: %s\n", c.Snapshot, entries)
	case c.Update:
		fmt.Fprintf(&b, "%s is updated: %s\n", c.Snapshot, entries)
	case len(changes) == 0:
		fmt.Fprintf(&b, "no changes since %s: %s\n", c.since, entries)
	case c.Against != "" && worst > compat.Compatible:
		fmt.Fprintf(&b, "%s since %s\n", verdict(changes), c.since)
	case c.Against != "":
		fmt.Fprintf(&b, "compatible with %s\n", c.since)
	case worst > compat.Compatible:
		fmt.Fprintf(&b, "%s; if intended, run with --update to write %s\n", verdict(changes), c.Snapshot)
	default:
		fmt.Fprintf(&b, "compatible with %s; run with --update to write it\n", c.Snapshot)
	}
	return b.String()
}

// onLines returns the changes with control characters in server text replaced, so that it cannot break a line.
func onLines(changes []compat.Change) []compat.Change {
	clean := slices.Clone(changes)
	for i := range clean {
		for _, text := range []*string{&clean[i].Name, &clean[i].Path, &clean[i].Keyword, &clean[i].Was, &clean[i].Now} {
			if strings.ContainsAny(*text, "\n\t") {
				*text = terminal.OneLine(*text)
			}
		}
	}
	return clean
}

// verdict counts the breaking changes.
func verdict(changes []compat.Change) string {
	var parts []string
	for _, c := range []struct {
		class compat.Class
		thing string
	}{{compat.Breaks, "breaking change"}, {compat.MayBreak, "possibly breaking change"}} {
		if n := len(shown(changes, c.class)) - len(shown(changes, c.class+1)); n > 0 {
			parts = append(parts, count(n, c.thing))
		}
	}
	return strings.Join(parts, ", ")
}

// shown returns the changes of at least the given class.
func shown(changes []compat.Change, least compat.Class) []compat.Change {
	return slices.DeleteFunc(slices.Clone(changes), func(change compat.Change) bool { return change.Class < least })
}

// details returns the diff of each changed entry, in order.
func details(changes []compat.Change, least compat.Class, was, now *compat.Snapshot) string {
	type subject struct {
		kind compat.Kind
		name string
	}
	var b strings.Builder
	seen := map[subject]bool{}
	for _, change := range shown(changes, least) {
		s := subject{change.Kind, change.Name}
		if seen[s] || s.name == "" {
			continue
		}
		seen[s] = true
		fmt.Fprintf(&b, "\n%s:\n%s", terminal.OneLine(change.Subject()), unified("was", "is", entry(was, s.kind, s.name), entry(now, s.kind, s.name), 3))
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// entry returns an entry of a snapshot as indented JSON with object members sorted by name; "" if there is no such
// entry.
func entry(s *compat.Snapshot, kind compat.Kind, name string) string {
	if s == nil {
		return ""
	}
	raw, err := s.Entry(kind, name)
	if err != nil {
		return err.Error() // cannot happen: it was parsed from JSON
	}
	if raw == nil {
		return ""
	}
	var text bytes.Buffer
	canonical, err := rawjson.AppendCanonical(nil, raw)
	if err == nil {
		err = json.Indent(&text, canonical, "", "  ")
	}
	if err != nil {
		return err.Error() // cannot happen: it was just encoded
	}
	return string(terminal.JSON(text.Bytes())) + "\n"
}

// finding is the JSON form of a change.
type finding struct {
	Class    string `json:"class"`
	Party    string `json:"party,omitempty"` // who is affected, if it breaks or may break
	Tool     string `json:"tool,omitempty"`  // one of the four is set
	Prompt   string `json:"prompt,omitempty"`
	Resource string `json:"resource,omitempty"`
	Template string `json:"resourceTemplate,omitempty"`
	Path     string `json:"path,omitempty"`
	Keyword  string `json:"keyword"`
	Was      string `json:"was"`
	Now      string `json:"now"`
}

// findings returns the JSON output of bench check.
func (c *checkCmd) findings(changes []compat.Change, now *compat.Snapshot) any {
	names := map[compat.Class]string{}
	for name, class := range classes {
		names[class] = name
	}
	parties := map[compat.Party]string{compat.Callers: "callers", compat.Readers: "readers"}
	list := []finding{}
	for _, change := range shown(changes, classes[c.Least]) {
		f := finding{Class: names[change.Class], Path: change.Path, Keyword: change.Keyword, Was: change.Was, Now: change.Now}
		*map[compat.Kind]*string{compat.ToolKind: &f.Tool, compat.PromptKind: &f.Prompt, compat.ResourceKind: &f.Resource, compat.TemplateKind: &f.Template}[change.Kind] = change.Name
		if change.Class > compat.Compatible {
			f.Party = parties[change.Party]
		}
		list = append(list, f)
	}
	snapshot, against := c.since, ""
	if c.Against != "" {
		snapshot, against = "", c.since
	}
	worst := ""
	if len(changes) > 0 {
		worst = names[compat.Worst(changes)]
	}
	return struct {
		Snapshot  string    `json:"snapshot,omitempty"` // one of the two is set
		Against   string    `json:"against,omitempty"`
		Tools     int       `json:"tools"`
		Prompts   int       `json:"prompts,omitempty"`
		Resources int       `json:"resources,omitempty"`
		Templates int       `json:"resourceTemplates,omitempty"`
		Updated   bool      `json:"updated"`
		Breaks    bool      `json:"breaks"`          // or may break
		Worst     string    `json:"worst,omitempty"` // of all changes; "" if there are none
		Changes   []finding `json:"changes"`
	}{snapshot, against, len(now.Tools), len(now.Prompts), len(now.Resources), len(now.Templates), c.Update, compat.Worst(changes) > compat.Compatible, worst, list}
}
