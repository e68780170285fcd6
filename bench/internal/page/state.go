package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/mcptool-go/mcptool/bench/internal/lint"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// A state is the state of the page, as the API shows it.
type state struct {
	Server     *serverInfo  `json:"server"` // nil before the first connection
	Tools      []entry      `json:"tools"`
	Prompts    []entry      `json:"prompts"`
	Resources  []entry      `json:"resources"`
	Templates  []entry      `json:"templates"`
	Tokens     int          `json:"tokens"`   // of all tools, estimated
	Findings   []lintResult `json:"findings"` // about all tools
	Error      string       `json:"error"`    // why a list is missing, or the error of the connection; "" if there is none
	Connecting bool         `json:"connecting"`
	Build      *Build       `json:"build"`
	Transcript bool         `json:"transcript"` // api/transcript is offered
	Target     string       `json:"target"`
}

// emptyState returns a state with empty lists.
func emptyState() state {
	return state{Tools: []entry{}, Prompts: []entry{}, Resources: []entry{}, Templates: []entry{}, Findings: []lintResult{}}
}

type serverInfo struct {
	client.Server

	Instructions string     `json:"instructions"`
	Era          client.Era `json:"era"`
	Revision     string     `json:"revision"`
}

// An entry is the entry of a list as the server sent it, with members tokens and findings.
type entry map[string]json.RawMessage // raw, to keep the order of properties and large numbers

// A lintResult is a finding of bench lint.
type lintResult struct {
	Severity lint.Level `json:"severity"`
	Rule     string     `json:"rule"`
	Text     string     `json:"text"`
}

// A subject identifies the tool, prompt, resource or template of a finding. It is a Finding with only that member.
type subject = lint.Finding

// refresh requests all lists.
func (s *session) refresh() {
	c, ctx, p := s.client, s.current, s.page
	tools, toolsErr := c.Tools(ctx)
	prompts, promptsErr := c.Prompts(ctx)
	resources, resourcesErr := c.Resources(ctx)
	templates, templatesErr := c.ResourceTemplates(ctx)
	if ctx.Err() != nil {
		return
	}
	l := emptyState()
	l.Server = &serverInfo{c.Server(), c.Server().Instructions, c.Era(), c.Server().Revision}
	if err := errors.Join(listError("tools", toolsErr), listError("prompts", promptsErr), listError("resources", resourcesErr), listError("resource templates", templatesErr)); err != nil {
		l.Error = p.options.Redact(err.Error())
	}
	report := lint.Check(lint.Lists{Tools: tools, Prompts: prompts, Resources: resources, Templates: templates}, lint.Options{Profiles: lint.UsualProfiles()})
	found := map[subject][]lintResult{}
	for i := range report.Findings {
		f := &report.Findings[i]
		text := f.Found + ": " + f.Why + ". Fix: " + f.Fix
		if f.Path != "" {
			text = f.Path + ": " + text
		}
		of := subject{Tool: f.Tool, Prompt: f.Prompt, Resource: f.Resource, Template: f.Template}
		found[of] = append(found[of], lintResult{f.Level, f.Rule, text})
	}
	l.Tokens, l.Findings = report.Tokens, append(l.Findings, found[subject{}]...)
	l.Tools = entries(tools, found, func(t *client.Tool) (client.Entry, subject) { return t.Entry, subject{Tool: t.Name} })
	l.Prompts = entries(prompts, found, func(p *client.Prompt) (client.Entry, subject) { return p.Entry, subject{Prompt: p.Name} })
	l.Resources = entries(resources, found, func(r *client.Resource) (client.Entry, subject) { return r.Entry, subject{Resource: r.URI} })
	l.Templates = entries(templates, found, func(r *client.Resource) (client.Entry, subject) { return r.Entry, subject{Template: r.URITemplate} })
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session == s {
		p.listed, p.stateChange = l, p.changeLocked()
	}
}

// listError returns the error for a list, or nil. The protocol allows a server to declare a feature that it then
// does not list.
func listError(list string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the list of %s cannot be read: %w", list, err)
}

// entries returns the entries of a list, each with the findings about its subject.
func entries[T any](list []T, found map[subject][]lintResult, of func(*T) (client.Entry, subject)) []entry {
	all := []entry{}
	for i := range list {
		listed, about := of(&list[i])
		e := entry{}
		_ = json.Unmarshal(listed.Readable(), &e) // it was decoded before
		e["tokens"] = strconv.AppendInt(nil, int64(lint.Tokens(lint.Size(listed.Raw))), 10)
		e["findings"], _ = json.Marshal(append([]lintResult{}, found[about]...)) // texts can always be encoded
		all = append(all, e)
	}
	return all
}

// stateLocked returns the lists with the state of the connection and the build.
func (p *Page) stateLocked() state {
	s := p.listed
	s.Build, s.Transcript, s.Target = p.build, p.options.Save != nil, p.target()
	if p.session != nil {
		s.Connecting = !p.session.isReady()
		if p.session.err != nil {
			s.Error = p.explain(p.session.err)
		}
	}
	return s
}
