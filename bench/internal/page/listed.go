package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/mcptool-go/mcptool/bench/internal/lint"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// listed holds what a server is and lists, as the API shows it.
type listed struct {
	Server    serverInfo   `json:"server"`
	Tools     []entry      `json:"tools"`
	Prompts   []entry      `json:"prompts"`
	Resources []entry      `json:"resources"`
	Templates []entry      `json:"templates"`
	Tokens    int          `json:"tokens"`   // of all tools, estimated
	Findings  []lintResult `json:"findings"` // about all tools
	problem   string       // why a list is missing
}

type serverInfo struct {
	Name         string     `json:"name"`
	Title        string     `json:"title"`
	Version      string     `json:"version"`
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

// refresh requests all lists.
func (s *session) refresh() {
	c, ctx := s.client, s.current
	info := c.Server()
	l := &listed{Server: serverInfo{info.Name, info.Title, info.Version, info.Instructions, c.Era(), info.Revision}}
	var errs []error
	tools, err := c.Tools(ctx)
	errs = append(errs, explainList("tools", err))
	prompts, err := c.Prompts(ctx)
	errs = append(errs, explainList("prompts", err))
	resources, err := c.Resources(ctx)
	errs = append(errs, explainList("resources", err))
	templates, err := c.ResourceTemplates(ctx)
	errs = append(errs, explainList("resource templates", err))
	if ctx.Err() != nil {
		return
	}
	if err := errors.Join(errs...); err != nil {
		l.problem = s.page.options.Redact(err.Error())
	}
	report := lint.Check(lint.Lists{Tools: tools, Prompts: prompts, Resources: resources, Templates: templates}, lint.Options{Profiles: lint.UsualProfiles()})
	l.Tokens = report.Tokens
	found := map[lint.Finding][]lintResult{} // by subject
	for i := range report.Findings {
		f := &report.Findings[i]
		text := f.Found + ": " + f.Why + ". Fix: " + f.Fix
		if f.Path != "" {
			text = f.Path + ": " + text
		}
		of := lint.Finding{Tool: f.Tool, Prompt: f.Prompt, Resource: f.Resource, Template: f.Template}
		found[of] = append(found[of], lintResult{f.Level, f.Rule, text})
	}
	l.Findings = append([]lintResult{}, found[lint.Finding{}]...)
	l.Tools = entries(tools, func(t client.Tool) (client.Entry, []lintResult) { return t.Entry, found[lint.Finding{Tool: t.Name}] })
	l.Prompts = entries(prompts, func(p client.Prompt) (client.Entry, []lintResult) {
		return p.Entry, found[lint.Finding{Prompt: p.Name}]
	})
	l.Resources = entries(resources, func(r client.Resource) (client.Entry, []lintResult) {
		return r.Entry, found[lint.Finding{Resource: r.URI}]
	})
	l.Templates = entries(templates, func(r client.Resource) (client.Entry, []lintResult) {
		return r.Entry, found[lint.Finding{Template: r.URITemplate}]
	})
	p := s.page
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session == s {
		p.listed = l
		p.publishLocked(func(s *stream) { s.state = true })
	}
}

// explainList returns the error for a list, or nil. The protocol allows a server to declare a feature that it then
// does not list.
func explainList(list string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the list of %s cannot be read: %w", list, err)
}

// entries returns the entries of a list. of returns the entry, and the findings about it.
func entries[T any](list []T, of func(T) (client.Entry, []lintResult)) []entry {
	all := []entry{}
	for i := range list {
		listed, findings := of(list[i])
		e := entry{}
		_ = json.Unmarshal(listed.Readable(), &e) // it was decoded before
		e["tokens"] = strconv.AppendInt(nil, int64(lint.Tokens(lint.Size(listed.Raw))), 10)
		e["findings"], _ = json.Marshal(append([]lintResult{}, findings...)) // texts can always be encoded
		all = append(all, e)
	}
	return all
}

// state is the state of the page as the API shows it. Before the first connection, Server is nil.
type state struct {
	*listed

	Server     *serverInfo `json:"server"`
	Connecting bool        `json:"connecting"`
	Build      *Build      `json:"build"`
	Error      string      `json:"error"`      // the error of the connection or of a list; "" if there is none
	Transcript bool        `json:"transcript"` // api/transcript is offered
	Target     string      `json:"target"`
}

func (p *Page) state() state {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := state{listed: p.listed, Build: p.build, Transcript: p.options.Save != nil, Target: p.options.Redact(shellWords(p.options.Target))}
	if s.listed == nil {
		s.listed = &listed{Tools: []entry{}, Prompts: []entry{}, Resources: []entry{}, Templates: []entry{}, Findings: []lintResult{}}
	} else {
		s.Server, s.Error = &s.listed.Server, s.problem
	}
	if p.session != nil {
		select {
		case <-p.session.ready:
		default:
			s.Connecting = true
		}
		if p.session.err != nil {
			s.Error = p.explain(p.session.err)
		}
	}
	return s
}
