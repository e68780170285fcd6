package install

import (
	"fmt"
	"regexp"
	"strings"
)

// Scope is the set of sessions that a server is installed for.
type Scope string

// Scopes.
const (
	User    Scope = "user"    // all sessions of the user
	Project Scope = "project" // sessions in the current directory, often through a committed file
)

// A client describes the configuration of an MCP client.
type client struct {
	name, title string
	// docs is the documentation of the configuration.
	docs string
	// container is the member of the file that contains the servers.
	container string
	// format is the format of the file.
	format *format
	// rename maps the members command, args, env and headers to other names.
	rename map[string]string
	// fixed are additional members of each entry; a nil value is replaced by the name of the server.
	fixed entry
	// user and project are the paths of the files, user by operating system. "" or absent means that none is
	// documented. $HOME, $APPDATA, $CONFIG (XDG_CONFIG_HOME or its default) and $CODEX_HOME are expanded.
	user    map[string]string
	project string
	// names matches valid server names; nil allows all.
	names *regexp.Regexp
	// stdioType and httpType are values of the member type; "" omits it.
	stdioType, httpType string
	// url is the member for the URL of a Streamable HTTP server; "" if the file does not support it, and instead then
	// describes the alternative.
	url, instead string
	// cwd means that an entry may have a working directory.
	cwd bool
	// absolute means that the client may not have the user's PATH.
	absolute bool
	// envVars, envHeaders and bearer name the members for what the client takes from its environment: the variables that
	// it passes to a command, the variable for each header, and the one for a bearer token. Clients without such a member
	// have "".
	envVars, envHeaders, bearer string
	// workspace is the variable for the project directory, in the project file.
	workspace string
	// variables is how the client replaces references to variables in the values of entries.
	variables variableSyntax
	// then describes how to make the client load the change.
	then string
}

// A variableSyntax is a syntax of references to variables.
type variableSyntax int

const (
	literalValues   variableSyntax = iota // no references
	bracedVariables                       // ${NAME} and ${NAME:-DEFAULT}
	shellVariables                        // $NAME as well
	editorVariables                       // ${env:NAME} and ${workspaceFolder}
)

// anyOS returns a path that is the same on every operating system.
func anyOS(path string) map[string]string {
	return map[string]string{"linux": path, "darwin": path, "windows": path}
}

// clients are the supported clients, as documented in November 2026.
var clients = []client{
	{
		// https://modelcontextprotocol.io/docs/develop/connect-local-servers (locations, format, absolute paths,
		// restart; none for Linux) and https://support.claude.com/en/articles/11503834 (remote servers are added under
		// Connectors, not in the file).
		name: "claude-desktop", title: "Claude Desktop", docs: "https://modelcontextprotocol.io/docs/develop/connect-local-servers",
		container: "mcpServers",
		user: map[string]string{
			"darwin":  "$HOME/Library/Application Support/Claude/claude_desktop_config.json",
			"windows": "$APPDATA/Claude/claude_desktop_config.json",
		},
		format: plainJSON, absolute: true,
		instead: "add it in the application, under Settings, Connectors, or install a command that bridges: npx -y mcp-remote URL",
		then:    "quit Claude Desktop and start it again",
	},
	{
		// https://code.claude.com/docs/en/mcp: scopes, .mcp.json, type http, headers, and names valid for `claude mcp
		// add`. Variables: ${VAR} and ${VAR:-default}.
		name: "claude-code", title: "Claude Code", docs: "https://code.claude.com/docs/en/mcp",
		container: "mcpServers",
		user:      anyOS("$HOME/.claude.json"), project: ".mcp.json",
		format: plainJSON, names: regexp.MustCompile(`^[A-Za-z0-9_-]+$`),
		stdioType: "stdio", httpType: "http", url: "url",
		variables: bracedVariables,
		then:      "start Claude Code again; /mcp shows the server",
	},
	{
		// https://code.visualstudio.com/docs/copilot/reference/mcp-configuration: servers, type, ${workspaceFolder}.
		// User profile folder: https://code.visualstudio.com/docs/configure/settings#_settings-file-locations. cwd is
		// in the editor's JSON schema for the file. Variables: https://code.visualstudio.com/docs/reference/variables-reference.
		name: "vscode", title: "VS Code", docs: "https://code.visualstudio.com/docs/copilot/reference/mcp-configuration",
		container: "servers", format: commentedJSON,
		user: map[string]string{
			"linux":   "$CONFIG/Code/User/mcp.json",
			"darwin":  "$HOME/Library/Application Support/Code/User/mcp.json",
			"windows": "$APPDATA/Code/User/mcp.json",
		},
		project:   ".vscode/mcp.json",
		stdioType: "stdio", httpType: "http", url: "url", cwd: true,
		workspace: "${workspaceFolder}", variables: editorVariables,
		then: "run “MCP: List Servers” in VS Code to start it",
	},
	{
		// https://cursor.com/docs/mcp: locations, type stdio, url and headers, ${workspaceFolder} and ${env:NAME}, envFile.
		name: "cursor", title: "Cursor", docs: "https://cursor.com/docs/mcp",
		container: "mcpServers", format: commentedJSON,
		user: anyOS("$HOME/.cursor/mcp.json"), project: ".cursor/mcp.json",
		stdioType: "stdio", url: "url",
		workspace: "${workspaceFolder}", variables: editorVariables,
		then: "restart Cursor and see that the server is switched on in its settings",
	},
	{
		// https://geminicli.com/docs/tools/mcp-server: locations, httpUrl for Streamable HTTP (url is for SSE),
		// headers, cwd, $VAR and ${VAR}.
		name: "gemini-cli", title: "Gemini CLI", docs: "https://geminicli.com/docs/tools/mcp-server",
		container: "mcpServers", format: commentedJSON,
		user: anyOS("$HOME/.gemini/settings.json"), project: ".gemini/settings.json",
		url: "httpUrl", cwd: true, variables: shellVariables,
		then: "start Gemini CLI again; /mcp shows the server",
	},
	{
		// https://developers.openai.com/codex/mcp: files, command, args, env, env_vars, cwd, url, http_headers,
		// env_http_headers and bearer_token_env_var, trusted projects, CODEX_HOME, and names valid for `codex mcp add`.
		name: "codex", title: "Codex", docs: "https://developers.openai.com/codex/mcp",
		container: "mcp_servers", format: tomlFormat, rename: map[string]string{"headers": "http_headers"},
		user: anyOS("$CODEX_HOME/config.toml"), project: ".codex/config.toml",
		names: regexp.MustCompile(`^[A-Za-z0-9_-]+$`),
		url:   "url", cwd: true,
		envVars: "env_vars", envHeaders: "env_http_headers", bearer: "bearer_token_env_var",
		then: "start Codex again; /mcp shows the server",
	},
	{
		// https://goose-docs.ai/docs/guides/config-files: files, and members of extensions. args is required.
		name: "goose", title: "Goose", docs: "https://goose-docs.ai/docs/guides/config-files",
		container: "extensions", format: yamlFormat, rename: map[string]string{"command": "cmd", "env": "envs"},
		fixed: entry{{"name", nil}, {"enabled", true}},
		user: map[string]string{
			"linux": "$CONFIG/goose/config.yaml", "darwin": "$CONFIG/goose/config.yaml",
			"windows": "$APPDATA/Block/goose/config/config.yaml",
		},
		stdioType: "stdio", httpType: "streamable_http", url: "uri", variables: shellVariables,
		then: "start a new session of Goose",
	},
	{
		// https://gofastmcp.com/integrations/mcp-json-configuration: the format of most other clients.
		name: "mcp-json", title: "mcp.json", docs: "https://gofastmcp.com/integrations/mcp-json-configuration",
		container: "mcpServers", format: commentedJSON,
		project:  "mcp.json",
		httpType: "http", url: "url", cwd: true,
		then: "tell the client of the file, or copy the entry",
	},
}

// Clients returns the names of the clients, for a help text.
func Clients() []string {
	var names []string
	for _, c := range clients {
		names = append(names, c.name)
	}
	return names
}

// find returns the client with the given name.
func find(name string) (*client, error) {
	for i := range clients {
		if clients[i].name == name {
			return &clients[i], nil
		}
	}
	return nil, usage("unknown client %q; use one of %s", name, strings.Join(Clients(), ", "))
}

// scope returns the requested scope. The default is the user scope if the client has one, else the project scope.
func (c *client) scope(asked Scope) (Scope, error) {
	switch {
	case asked == "" && c.user == nil:
		return Project, nil
	case asked == "":
		return User, nil
	case asked != User && asked != Project:
		return "", usage("unknown scope %q; use user or project", asked)
	case asked == User && c.user == nil:
		return "", usage("%s has no file for a user; use --scope project, or name a file with --file", c.title)
	case asked == Project && c.project == "":
		return "", usage("%s has no file for a project; use --scope user, or name a file with --file", c.title)
	default:
		return asked, nil
	}
}

// A UsageError is an invalid request, with a fix in the message.
type UsageError struct {
	Message string
}

// Error returns the message.
func (e *UsageError) Error() string { return e.Message }

func usage(format string, args ...any) error {
	return &UsageError{Message: fmt.Sprintf(format, args...)}
}
