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

	"github.com/mcptool-go/mcptool/bench/redact"
)

// A Server is a server for a client to start or connect to.
type Server struct {
	// Command is a program with its arguments. Either it or URL is set.
	Command []string
	// URL is the endpoint of a Streamable HTTP server.
	URL string
	// Env are environment variables of the command, NAME=VALUE.
	Env []string
	// Headers are sent with every request to the URL, "Name: value".
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
			return usage("%q is no URL of a server; it is written https://host/path", s.URL)
		}
	}
	return nil
}

// entry returns the members to set for a client, and those to remove. Other members of an existing entry are not
// affected.
func (s *Server) entry(c *client, name string) (set []member, drop []string, err error) {
	set, drop, err = s.members(c)
	for i := range set {
		set[i].name = cmp.Or(c.rename[set[i].name], set[i].name)
	}
	for i := range drop {
		drop[i] = cmp.Or(c.rename[drop[i]], drop[i])
	}
	for _, m := range c.fixed {
		if m.value == nil {
			m.value = name
		}
		set = append(set, m)
	}
	return set, drop, err
}

// members is entry with the member names of most clients.
func (s *Server) members(c *client) (set []member, drop []string, err error) {
	if s.URL != "" {
		if c.httpType != "" {
			set = append(set, member{"type", c.httpType})
		} else {
			drop = append(drop, "type")
		}
		set = append(set, member{c.url, s.URL})
		headers, err := pairs("--header", ":", s.Headers)
		if err != nil {
			return nil, nil, err
		}
		if len(headers) > 0 {
			set = append(set, member{"headers", headers})
		}
		drop = append(drop, "command", "args", "env", "cwd")
		if c.url != "url" {
			drop = append(drop, "url")
		}
		return set, drop, nil
	}
	if c.stdioType != "" {
		set = append(set, member{"type", c.stdioType})
	} else {
		drop = append(drop, "type")
	}
	set = append(set, member{"command", s.Command[0]})
	if len(s.Command) > 1 || c.format == yamlFormat { // Goose requires args
		set = append(set, member{"args", s.Command[1:]})
	} else {
		drop = append(drop, "args")
	}
	if s.Dir != "" {
		set = append(set, member{"cwd", s.Dir})
	}
	env, err := pairs("--env", "=", s.Env)
	if err != nil {
		return nil, nil, err
	}
	if len(env) > 0 {
		set = append(set, member{"env", env})
	}
	drop = append(drop, "url", "headers")
	if c.url != "url" && c.url != "" {
		drop = append(drop, c.url)
	}
	return set, drop, nil
}

// pairs parses NAME=VALUE or "Name: value" in order. The last value of a name wins.
func pairs(flag, separator string, words []string) ([]member, error) {
	var all []member
	for _, word := range words {
		name, value, ok := strings.Cut(word, separator)
		if separator == ":" {
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		}
		if !ok && name != "" && separator == "=" {
			return nil, usage("%[1]s %[2]s has no value; write %[1]s %[2]s=VALUE", flag, redact.Name(name))
		}
		if !ok || name == "" {
			return nil, usage("%s %q has no name; it is written %s", flag, redact.Name(word), map[string]string{"=": "NAME=VALUE", ":": "'Name: value'"}[separator])
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
