package install

import (
	"cmp"
	"net"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/measure/redact"
)

// A Server is a server for a client to start or connect to.
type Server struct {
	// Command is a program with its arguments. Either it or URL is set.
	Command []string
	// URL is the endpoint of a Streamable HTTP server.
	URL string
	// Env are environment variables of the command, NAME=VALUE. For Codex, NAME alone and NAME=$NAME name a variable
	// that Codex passes on.
	Env []string
	// Headers are sent with every request to the URL, "Name: value". For Codex, a value of the form $VARIABLE, or
	// "Bearer $VARIABLE" for Authorization, names a variable of Codex with the value.
	Headers []string
	// Dir is the working directory of the command; "" leaves it to the client.
	Dir string
}

// check returns an error if a client does not support the server.
func (s *Server) check(c *client) error {
	switch {
	case len(s.Command) == 0 && s.URL == "":
		return usage("say what to install: a URL, the path of a program, or -- COMMAND ARGS…")
	case s.URL != "" && c.url == "":
		return usage("the configuration of %s cannot have a URL; %s", c.title, c.instead)
	case s.URL != "" && (len(s.Env) > 0 || s.Dir != ""):
		return usage("--env and --cwd are for a command; a URL has --header")
	case s.URL == "" && len(s.Headers) > 0:
		return usage("--header is for a URL; a command has --env")
	case s.Dir != "" && !c.cwd:
		return usage("the configuration of %s has no working directory; leave --cwd away, or let a script change it", c.title)
	case len(s.Command) > 0 && s.Command[0] == "":
		return usage("the command is empty")
	}
	for _, text := range slices.Concat(s.Command, s.Env, s.Headers, []string{s.Dir, s.URL}) {
		if !utf8.ValidString(text) {
			return usage("%q is not UTF-8, and a configuration has nothing else", text)
		}
	}
	if s.URL != "" {
		if u, err := url.Parse(s.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return usage("%q is not the URL of a server; write https://host/path", s.URL)
		}
	}
	return nil
}

// entry returns the entry for a client.
func (s *Server) entry(c *client, name string) (entry, error) {
	var e entry
	kind := c.stdioType
	if s.URL != "" {
		kind = c.httpType
	}
	if kind != "" {
		e = append(e, member{"type", kind})
	}
	if s.URL != "" {
		e = append(e, member{c.url, s.URL})
	} else {
		e = append(e, member{"command", s.Command[0]})
		if len(s.Command) > 1 || c.format == yamlFormat { // Goose requires args
			e = append(e, member{"args", s.Command[1:]})
		}
	}
	if s.Dir != "" {
		e = append(e, member{"cwd", s.Dir})
	}
	assigned, passed := passedOn(c, s.Env)
	env, err := pairs("--env", "=", "NAME=VALUE", assigned)
	if err != nil {
		return nil, err
	}
	headers, err := pairs("--header", ":", "'Name: value'", s.Headers)
	if err != nil {
		return nil, err
	}
	if len(env) > 0 {
		e = append(e, member{"env", env})
	}
	if len(passed) > 0 {
		e = append(e, member{c.envVars, passed})
	}
	e = append(e, headerMembers(c, headers)...)
	for i := range e {
		e[i].name = cmp.Or(c.rename[e[i].name], e[i].name)
	}
	for _, m := range c.fixed {
		if m.value == nil {
			m.value = name
		}
		e = append(e, m)
	}
	return e, nil
}

// reference matches the value of a variable, as in a shell.
var reference = regexp.MustCompile(`^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))$`)

// referenced returns the variable that a value refers to; "" if there is none.
func referenced(value string) string {
	found := reference.FindStringSubmatch(value)
	if found == nil {
		return ""
	}
	return found[1] + found[2]
}

// passedOn splits variables into those with a value and the names of those that the client passes on.
func passedOn(c *client, env []string) (assigned, names []string) {
	for _, word := range env {
		name, value, ok := strings.Cut(word, "=")
		if c.envVars == "" || name == "" || ok && referenced(value) != name {
			assigned = append(assigned, word)
		} else if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return assigned, names
}

// headerMembers returns the members for headers: those with a value, and those whose value the client takes from its
// environment.
func headerMembers(c *client, headers entry) (e entry) {
	var literal, variables entry
	for _, h := range headers {
		value, _ := h.value.(string)
		token, isBearer := strings.CutPrefix(value, "Bearer ")
		switch {
		case isBearer && c.bearer != "" && strings.EqualFold(h.name, "Authorization") && referenced(token) != "":
			e = append(e, member{c.bearer, referenced(token)})
		case c.envHeaders != "" && referenced(value) != "":
			variables = append(variables, member{h.name, referenced(value)})
		default:
			literal = append(literal, h)
		}
	}
	if len(literal) > 0 {
		e = append(e, member{"headers", literal})
	}
	if len(variables) > 0 {
		e = append(e, member{c.envHeaders, variables})
	}
	return e
}

// pairs parses NAME=VALUE or "Name: value" in order. The last value of a name wins.
func pairs(flag, separator, form string, words []string) (entry, error) {
	var all entry
	for _, word := range words {
		name, value, ok := strings.Cut(word, separator)
		if separator == ":" {
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		}
		switch {
		case !ok && name != "" && separator == "=":
			return nil, usage("%[1]s %[2]s has no value; write %[1]s %[2]s=VALUE", flag, redact.Name(name))
		case !ok || name == "":
			return nil, usage("%s %q is not of the form %s", flag, redact.Name(word), form)
		}
		all = slices.DeleteFunc(all, func(m member) bool { return m.name == name })
		all = append(all, member{name, value})
	}
	return all, nil
}

var (
	// unusual matches characters that some clients reject in a name.
	unusual = regexp.MustCompile(`[^A-Za-z0-9_-]+`)
	// version matches the version suffix of a package name.
	version = regexp.MustCompile(`(.)@.*$`)
	// launchers run a server named in their arguments.
	launchers = []string{"npx", "bunx", "pnpx", "uvx", "uv", "pipx", "node", "bun", "deno", "python", "python3", "go", "docker", "podman", "java", "dotnet", "ruby", "php"}
	// verbs are leading launcher arguments that do not name the server.
	verbs = []string{"run", "exec", "x", "tool", "dlx"}
)

// name derives a name for the server; "" if that is not possible.
func (s *Server) name() string {
	if s.URL != "" {
		u, err := url.Parse(s.URL)
		if err != nil || u.Hostname() == "localhost" || net.ParseIP(u.Hostname()) != nil {
			return ""
		}
		host := u.Hostname()
		for _, prefix := range []string{"www.", "mcp.", "api."} {
			host = strings.TrimPrefix(host, prefix)
		}
		host, _, _ = strings.Cut(host, ".")
		return clean(host)
	}
	if len(s.Command) == 0 {
		return ""
	}
	if called := program(s.Command[0]); !slices.Contains(launchers, called) {
		return clean(called)
	}
	for _, arg := range s.Command[1:] {
		if strings.HasPrefix(arg, "-") || slices.Contains(verbs, arg) {
			continue
		}
		base := path.Base(version.ReplaceAllString(filepath.ToSlash(arg), "$1"))
		return clean(strings.TrimSuffix(base, path.Ext(base)))
	}
	return ""
}

// program returns the name of a program without its directory and, on Windows, its extension.
func program(command string) string {
	base := command[strings.LastIndexAny(command, `/\`)+1:]
	for _, ext := range []string{".exe", ".cmd", ".bat", ".sh"} {
		base = strings.TrimSuffix(base, ext)
	}
	return base
}

func clean(name string) string {
	return strings.Trim(unusual.ReplaceAllString(name, "-"), "-")
}
