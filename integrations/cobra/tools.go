package cobratools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
)

const (
	defaultTimeout   = time.Minute
	defaultMaxOutput = 256 << 10
)

// Tools returns a tool for each command of root that [Allow] and [AllowJSON] name, in that order, for a server of your
// own, for example over HTTP. A command that is being executed, such as the one that starts the server, cannot be a
// tool. Flags that are set when Tools is called have this value in every call. The error lists all mistakes. Tools does
// not keep root, and the tools may be called concurrently.
func Tools(root *cobra.Command, opts ...Option) (mcptool.Tools, error) {
	tools, _, err := newTools(root, opts)
	return tools, err
}

func newTools(root *cobra.Command, opts []Option) (mcptool.Tools, *program, error) {
	c := &config{maxOutputBytes: defaultMaxOutput, declared: map[string][]declared{}, found: map[string]bool{}}
	for _, opt := range opts {
		opt.apply(c)
	}
	p, err := newProgram(c)
	mistakes := []error{err}
	if len(c.allowed) == 0 {
		mistakes = append(mistakes, errors.New("no command is allowed; name each one with Allow"))
	}
	var tools mcptool.Tools
	commands := map[string]string{} // by the name of the tool
	for _, a := range c.allowed {
		tool, err := c.newTool(root, a, p)
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("command %q: %w", a.command, err))
			continue
		}
		name := tool.Info().Name
		if other, taken := commands[name]; taken {
			mistakes = append(mistakes, fmt.Errorf("command %q: the tool of command %q is also named %s", a.command, other, name))
		}
		commands[name] = a.command
		tools = append(tools, tool)
	}
	for _, command := range slices.Sorted(maps.Keys(c.declared)) {
		if !slices.ContainsFunc(c.allowed, func(a allowed) bool { return a.path() == command }) {
			mistakes = append(mistakes, fmt.Errorf("Positional: command %q is not allowed", command))
		}
	}
	for _, name := range c.omitted {
		if !c.found[name] {
			mistakes = append(mistakes, fmt.Errorf("Omit: no tool has a flag --%s", name))
		}
	}
	if err := errors.Join(mistakes...); err != nil {
		return nil, nil, fmt.Errorf("cobratools: %w", err)
	}
	return tools, p, nil
}

// newTool returns the tool of an allowed command.
func (c *config) newTool(root *cobra.Command, a allowed, p *program) (*mcptool.Tool, error) {
	cmd, fixed := root, map[string]string{}
	var path []string
	for _, word := range strings.Fields(a.command) {
		if flag, ok := strings.CutPrefix(word, "--"); ok {
			name, value, ok := strings.Cut(flag, "=")
			if !ok {
				return nil, fmt.Errorf("write --%s=value", name)
			}
			fixed[name] = value
			continue
		}
		path = append(path, word)
		i := slices.IndexFunc(cmd.Commands(), func(sub *cobra.Command) bool { return sub.Name() == word })
		if i < 0 {
			return nil, fmt.Errorf("%s has no command %s; it has: %s", cmd.CommandPath(), word, subcommands(cmd))
		}
		cmd = cmd.Commands()[i]
	}
	if err := checkCommand(cmd); err != nil {
		return nil, err
	}
	l, err := c.newLine(cmd, path, fixed)
	if err != nil {
		return nil, err
	}
	usage := usageOf(cmd)
	run := func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
		argv, err := l.argv(args)
		if err != nil {
			return nil, err
		}
		out, err := p.run(ctx, argv)
		if err != nil {
			return nil, err
		}
		out.stderr = strings.Replace(out.stderr, usage, "", 1)
		return out.result(a.json)
	}
	name := strings.Join(path, "_")
	if cmd == root {
		name = root.Name()
	}
	// Properties that the caller's options set must not be set again.
	given, err := mcptool.NewRaw(name, l.schema(), run, a.opts...)
	if err != nil {
		return nil, err
	}
	opts := slices.Clip(a.opts)
	if given.Info().Title == "" {
		opts = append(opts, mcptool.Title(title(cmd)))
	}
	if text := strings.TrimSpace(help(cmd) + "\n\n" + l.rules); given.Info().Description == "" && text != "" {
		opts = append(opts, mcptool.Description(text))
	}
	if mcptool.Internal(private.Key{}).Settings(given).Timeout == 0 {
		opts = append(opts, mcptool.Timeout(defaultTimeout))
	}
	return mcptool.NewRaw(name, l.schema(), run, opts...)
}

// checkCommand returns the reason why a command cannot be a tool.
func checkCommand(cmd *cobra.Command) error {
	top := cmd
	for ; top.HasParent(); top = top.Parent() {
		builtIn := !top.Parent().HasParent() && (top.Name() == "help" || top.Name() == "completion")
		if top.Hidden || top.Deprecated != "" || builtIn {
			return fmt.Errorf("%s is hidden, deprecated or built into cobra", top.CommandPath())
		}
	}
	switch {
	case cmd.CalledAs() != "":
		return errors.New("it is the command that starts the server")
	case !cmd.Runnable():
		return fmt.Errorf("it only groups commands; allow those that are needed, of: %s", subcommands(cmd))
	case cmd.DisableFlagParsing:
		return errors.New("it parses its flags itself (DisableFlagParsing), so arguments could be flags")
	}
	return nil
}

// subcommands lists the subcommands that could be allowed, or whose subcommands could.
func subcommands(cmd *cobra.Command) string {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.CalledAs() == "" {
			names = append(names, sub.Name())
		}
	}
	return strings.Join(names, ", ")
}
