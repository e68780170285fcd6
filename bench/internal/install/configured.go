package install

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/atomicfile"
	"github.com/mcptool-go/mcptool/internal/suggest"
)

// A Configured is a server in the configuration of a client.
type Configured struct {
	Name string
	File string
	// Server is the server as it is written, with its references to variables.
	Server Server
	// Problem is why the server cannot be used; "" if it can.
	Problem string

	client *client
	entry  clientEntry
}

// shortNames are names of clients for the command line.
var shortNames = map[string]string{"claude": "claude-code", "gemini": "gemini-cli"}

// Prefixes returns what can be CLIENT in a [Reference]: the clients, and short names of some.
func Prefixes() []string { return slices.AppendSeq(Clients(), maps.Keys(shortNames)) }

// Reference splits CLIENT:NAME, which names a server in the configuration of a client; NAME may be empty. The client is
// returned as in [Clients]. ok reports whether the word is a reference.
func Reference(word string) (client, name string, ok bool) {
	client, name, ok = strings.Cut(word, ":")
	client = cmp.Or(shortNames[client], client)
	return client, name, ok && slices.Contains(Clients(), client)
}

// List returns the servers in the configuration of a client, sorted by name. If several have the same name, it returns the
// one that the client uses: a server of the project, which is the current directory, takes precedence over one of the user.
// One that Claude Code has for the user in this project takes precedence over both.
func List(m Machine, clientName string) ([]Configured, error) {
	c, err := find(clientName)
	if err != nil {
		return nil, err
	}
	type layer struct {
		file    string
		servers map[string]any
	}
	var layers, local []layer // later ones take precedence
	var missing, disabled []string
	for _, scope := range []Scope{User, Project} {
		if scope == User && c.user == nil || scope == Project && c.project == "" {
			continue
		}
		file, err := m.file(c, scope, "")
		if err != nil {
			return nil, err
		}
		t, err := open(file, 0)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", file, atomicfile.Cause(err))
		}
		if !t.exists {
			missing = append(missing, "; there is no "+file)
			continue
		}
		tree, err := c.format.decode(bytes.TrimPrefix(t.data, byteOrderMark))
		if err != nil {
			return nil, fmt.Errorf("%s:%w", file, err)
		}
		here := object(object(tree["projects"])[m.Dir]) // of Claude Code, for the user in this project
		layers = append(layers, layer{file, object(tree[c.container])})
		local = append(local, layer{file, object(here[c.container])})
		disabled = slices.Concat(disabled, list(object(tree["mcp"])["excluded"]), list(here["disabledMcpServers"]), list(here["disabledMcpjsonServers"]))
	}
	byName := map[string]Configured{}
	for _, l := range append(layers, local...) {
		for name, value := range l.servers {
			byName[name] = c.configured(name, l.file, value, slices.Contains(disabled, name))
		}
	}
	if len(byName) == 0 {
		return nil, usage("%s has no servers here%s", c.title, strings.Join(missing, ""))
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b Configured) int { return cmp.Compare(a.Name, b.Name) }), nil
}

// Lookup returns a server in the configuration of a client, with the values of its variables, as the client starts it in the
// current directory. The error suggests a name.
func Lookup(m Machine, clientName, name string) (Server, error) {
	all, err := List(m, clientName)
	if err != nil {
		return Server{}, err
	}
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	i := slices.Index(names, name)
	if i < 0 {
		title, found := all[0].client.title, "it has "+strings.Join(names, ", ")
		if near := suggest.Nearest(name, names); near != "" {
			found = fmt.Sprintf("did you mean %q?", near)
		}
		return Server{}, usage("%s has no server %q; %s", title, name, found)
	}
	r := reader{machine: m, client: all[i].client, problem: all[i].Problem}
	server := r.server(&all[i].entry)
	if r.problem != "" {
		return Server{}, usage("%q in %s cannot be used: %s", name, all[i].File, r.problem)
	}
	return server, nil
}

// A clientEntry is an entry of a configuration, with the member names of most clients.
type clientEntry struct {
	Type     string                     `json:"type"`
	Command  string                     `json:"command"`
	Args     []string                   `json:"args"`
	Env      map[string]json.RawMessage `json:"env"`
	EnvFile  string                     `json:"envFile"`
	Dir      string                     `json:"cwd"`
	URL      string                     `json:"url"`
	Headers  map[string]json.RawMessage `json:"headers"`
	Disabled bool                       `json:"disabled"`
	Enabled  *bool                      `json:"enabled"`
	// Variables of the environment of Codex. Those that it passes on, env_vars, are in the environment anyway.
	EnvHeaders map[string]string `json:"env_http_headers"`
	Bearer     string            `json:"bearer_token_env_var"`
}

// configured decodes an entry.
func (c *client) configured(name, file string, value any, disabled bool) Configured {
	out := Configured{Name: name, File: file, client: c}
	members := maps.Clone(object(value))
	if members == nil {
		out.Problem = "its entry is not an object"
		return out
	}
	for usual, own := range c.rename {
		members[usual] = members[own]
	}
	if members[c.url] != nil {
		members["url"] = members[c.url]
	}
	text, err := json.Marshal(members)
	if err == nil {
		err = json.Unmarshal(text, &out.entry)
	}
	e := &out.entry
	switch kind := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(e.Type)); {
	case err != nil:
		out.Problem = "its entry is not valid: " + strings.TrimPrefix(err.Error(), "json: ")
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			out.Problem = fmt.Sprintf("its entry is not valid: %s cannot be a JSON %s", wrong.Field, wrong.Value)
		}
	case disabled || e.Disabled || e.Enabled != nil && !*e.Enabled:
		out.Problem = "it is disabled"
	case !slices.Contains([]string{"", "stdio", "local", "http", "streamablehttp"}, kind):
		out.Problem = fmt.Sprintf("its transport is %s, and bench has stdio and Streamable HTTP", e.Type)
	case e.Command == "" && e.URL == "":
		out.Problem = "it has neither a command nor a URL"
	}
	out.Server = (&reader{client: c, literal: true}).server(e)
	return out
}

// A reader converts entries to servers.
type reader struct {
	machine Machine
	client  *client
	literal bool   // keep references to variables
	problem string // of the first variable without a value
}

// server returns the server of an entry.
func (r *reader) server(e *clientEntry) Server {
	if e.Command == "" {
		headers := r.pairs(": ", e.Headers)
		for _, name := range slices.Sorted(maps.Keys(e.EnvHeaders)) {
			headers = append(headers, name+": "+r.variable(e.EnvHeaders[name]))
		}
		if e.Bearer != "" {
			headers = append(headers, "Authorization: Bearer "+r.variable(e.Bearer))
		}
		return Server{URL: r.expand(e.URL), Headers: headers}
	}
	s := Server{Command: []string{r.expand(e.Command)}, Dir: r.expand(e.Dir)}
	for _, arg := range e.Args {
		s.Command = append(s.Command, r.expand(arg))
	}
	if e.EnvFile != "" && !r.literal {
		s.Env = r.envFile(r.expand(e.EnvFile))
	}
	s.Env = append(s.Env, r.pairs("=", e.Env)...)
	return s
}

// pairs returns variables or headers, sorted by name.
func (r *reader) pairs(separator string, values map[string]json.RawMessage) (pairs []string) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		pairs = append(pairs, name+separator+r.expand(bare(values[name])))
	}
	return pairs
}

// bare returns the text of a string, or the JSON of another value; "" for null.
func bare(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return string(value)
	}
	return text
}

// envFile returns the variables in a file: lines NAME=VALUE, as in a shell.
func (r *reader) envFile(path string) (env []string) {
	data, err := os.ReadFile(path)
	if err != nil {
		r.fail("its envFile cannot be read: %v", err)
	}
	for line := range strings.Lines(string(data)) {
		name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		if !ok || strings.HasPrefix(name, "#") {
			continue
		}
		value = strings.TrimSpace(value)
		if n := len(value); n > 1 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
			value = value[1 : n-1]
		}
		env = append(env, strings.TrimSpace(name)+"="+value)
	}
	return env
}

func (r *reader) fail(format string, args ...any) {
	r.problem = cmp.Or(r.problem, fmt.Sprintf(format, args...))
}

// variableReference matches $NAME, ${NAME} and ${NAME:-DEFAULT}, or any text in braces.
var variableReference = regexp.MustCompile(`\$(?:([A-Za-z_]\w*)|\{(([A-Za-z_]\w*)(:-[^}]*)?|[^}]*)\})`)

// expand replaces the references to variables in a text by their values, as the client does.
func (r *reader) expand(text string) string {
	if r.literal || r.client.variables == literalValues {
		return text
	}
	return variableReference.ReplaceAllStringFunc(text, func(reference string) string {
		found := variableReference.FindStringSubmatch(reference)
		bare, braced, name, fallback := found[1], found[2], found[3], found[4]
		switch {
		case bare != "" && r.client.variables == shellVariables:
			return cmp.Or(r.machine.Getenv(bare), reference)
		case bare == "" && r.client.variables == editorVariables:
			return r.predefined(braced)
		case name == "" || r.client.variables == editorVariables:
			return reference
		case fallback != "":
			return cmp.Or(r.machine.Getenv(name), fallback[len(":-"):])
		default:
			return r.variable(name)
		}
	})
}

// predefined returns the value of a variable of VS Code or Cursor.
func (r *reader) predefined(name string) string {
	if variable, ok := strings.CutPrefix(name, "env:"); ok {
		return r.variable(variable)
	}
	value, ok := map[string]string{
		"workspaceFolder": r.machine.Dir, "workspaceFolderBasename": filepath.Base(r.machine.Dir), "userHome": r.machine.home(),
		"pathSeparator": string(filepath.Separator), "/": string(filepath.Separator),
	}[name]
	if !ok {
		r.fail("it has ${%s}, whose value only %s knows; name the command or the URL itself, with --env or --header", name, r.client.title)
	}
	return value
}

// variable returns the value of an environment variable.
func (r *reader) variable(name string) string {
	if r.literal {
		return "$" + name
	}
	value := r.machine.Getenv(name)
	if value == "" {
		r.fail("it needs the variable %s, which is not set", name)
	}
	return value
}

// object returns a value that is an object; else nil.
func object(value any) map[string]any {
	members, _ := value.(map[string]any)
	return members
}

// list returns the strings of a value that is a list.
func list(value any) (texts []string) {
	elements, _ := value.([]any)
	for _, e := range elements {
		if text, ok := e.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}
