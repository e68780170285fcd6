package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// packages are the npm packages, with their versions.
var packages = []string{
	"ajv@8.20.0", "ajv-formats@3.0.1", "@octokit/openapi@23.0.2",
	"@modelcontextprotocol/server-everything@2026.8.31", "@modelcontextprotocol/server-filesystem@2026.8.31",
	"@modelcontextprotocol/server-memory@2026.8.31", "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
	"@modelcontextprotocol/server-github@2025.4.8", "@modelcontextprotocol/server-gitlab@2025.4.25",
	"@modelcontextprotocol/server-slack@2025.4.25", "@modelcontextprotocol/server-google-maps@0.6.2",
	"@playwright/mcp@0.0.83", "@antv/mcp-server-chart@0.9.10",
}

// servers are the commands of the packages that are MCP servers, with their arguments.
var servers = [][]string{
	{"mcp-server-everything"},
	{"mcp-server-filesystem", "."},
	{"mcp-server-memory"},
	{"mcp-server-sequential-thinking"},
	{"mcp-server-github"},
	{"mcp-server-gitlab"},
	{"mcp-server-slack"},
	{"mcp-server-google-maps"},
	{"playwright-mcp"},
	{"mcp-server-chart"},
}

// secrets are environment variables without which servers do not start. Only their tools are listed, so the values do not
// matter.
var secrets = []string{
	"GITHUB_PERSONAL_ACCESS_TOKEN=none", "GITLAB_PERSONAL_ACCESS_TOKEN=none", "SLACK_BOT_TOKEN=none", "SLACK_TEAM_ID=none",
	"GOOGLE_MAPS_API_KEY=none",
}

// install installs the missing packages in a directory.
func install(ctx context.Context, dir string) error {
	stamp := filepath.Join(dir, "installed")
	if done, err := os.ReadFile(stamp); err == nil && string(done) == strings.Join(packages, "\n") {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private":true}`), 0o600); err != nil {
		return err
	}
	args := []string{"install", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund"}
	c := exec.CommandContext(ctx, "npm", append(args, packages...)...)
	c.Dir = dir
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install: %w\n%s", err, text)
	}
	return os.WriteFile(stamp, []byte(strings.Join(packages, "\n")), 0o600)
}

// A foreignSchema is a schema that somebody else has written.
type foreignSchema struct {
	name string // of its package and in it
	json json.RawMessage
}

// collect returns the schemas of the packages, each once.
func collect(ctx context.Context, dir string) (all []foreignSchema, err error) {
	for _, command := range servers {
		found, err := toolSchemas(ctx, dir, command)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", command[0], err)
		}
		all = append(all, found...)
	}
	components, err := componentSchemas(filepath.Join(dir, "node_modules/@octokit/openapi/generated/api.github.com.json"))
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(append(all, components...), func(s foreignSchema) bool {
		repeated := seen[string(s.json)]
		seen[string(s.json)] = true
		return repeated
	}), nil
}

// toolSchemas returns the schemas of the tools of a server.
func toolSchemas(ctx context.Context, dir string, command []string) (found []foreignSchema, _ error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "node_modules/.bin/"+command[0], command[1:]...)
	c.Dir, c.Env = dir, append(os.Environ(), secrets...)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "foreignschemas", Version: "0"}, nil).Connect(ctx, &mcp.CommandTransport{Command: c}, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = session.Close() }() // an error if the server does not exit by itself
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, err
		}
		for kind, schema := range map[string]any{"arguments": tool.InputSchema, "result": tool.OutputSchema} {
			if schema == nil {
				continue
			}
			data, err := json.Marshal(schema)
			if err != nil {
				return nil, err
			}
			found = append(found, foreignSchema{command[0] + " " + tool.Name + " " + kind, data})
		}
	}
	slices.SortFunc(found, func(a, b foreignSchema) int { return strings.Compare(a.name, b.name) })
	return found, nil
}

// maxComponent is the maximum length of a schema with the components that it refers to, in bytes.
const maxComponent = 15_000

// componentSchemas returns the component schemas of an OpenAPI document, each as a document with those that it refers to.
func componentSchemas(path string) (found []foreignSchema, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var document struct {
		Components struct{ Schemas map[string]json.RawMessage }
	}
	const inOpenAPI, inSchema = `"#/components/schemas/`, `"#/$defs/`
	if err := json.Unmarshal(bytes.ReplaceAll(data, []byte(inOpenAPI), []byte(inSchema)), &document); err != nil {
		return nil, err
	}
	schemas := document.Components.Schemas
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		defs := map[string]json.RawMessage{}
		size := 0
		for todo := []string{name}; len(todo) > 0 && size <= maxComponent; {
			next := todo[0]
			todo = todo[1:]
			if defs[next] != nil {
				continue
			}
			defs[next] = schemas[next]
			size += len(schemas[next])
			for _, part := range strings.Split(string(schemas[next]), inSchema)[1:] {
				ref, _, _ := strings.Cut(part, `"`)
				todo = append(todo, ref)
			}
		}
		if size > maxComponent {
			continue
		}
		data, err := json.Marshal(map[string]any{"$ref": "#/$defs/" + name, "$defs": defs})
		if err != nil {
			return nil, err
		}
		found = append(found, foreignSchema{"@octokit/openapi " + name, data})
	}
	return found, nil
}
