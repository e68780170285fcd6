package cobratools

import (
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Option configures [Command] and [Tools].
type Option interface{ apply(*config) }

type option func(*config)

func (o option) apply(c *config) { o(c) }

// config contains the values of the options.
type config struct {
	allowed        []allowed
	omitted        []string
	env            []string
	maxOutputBytes int
	declared       map[string][]declared // by command

	found map[string]bool // the flags of the allowed commands
}

// declared is a positional argument that the option Positional declares.
type declared struct{ word, description string }

// allowed is a command that is a tool.
type allowed struct {
	command string
	json    bool
	opts    []mcptool.ToolOption
}

// path returns the names of the command, without flags.
func (a allowed) path() string {
	words := slices.DeleteFunc(strings.Fields(a.command), func(word string) bool { return strings.HasPrefix(word, "--") })
	return strings.Join(words, " ")
}

// Allow makes a command a tool. The command is written without the name of the program: "get", or "config view" for a
// command of a command, or "" for the root. It must be runnable, and neither hidden nor deprecated. Only commands that
// are allowed are tools: allowing a command does not allow its subcommands.
//
// Flags may follow, each as --name=value without spaces: "get --namespace=staging". They have this value in every call,
// and the tool does not have them as arguments.
//
// The options describe and limit the tool, for example [mcptool.ReadOnly]. Clients treat a tool without hints as
// destructive. By default a call may take one minute ([mcptool.Timeout]), and the title and the description are from the
// help of the command. The option [mcptool.Name] cannot be used.
func Allow(command string, opts ...mcptool.ToolOption) Option {
	return option(func(c *config) { c.allowed = append(c.allowed, allowed{command, false, opts}) })
}

// AllowJSON is [Allow] for a command that prints one JSON value, usually because of a flag: "get --output=json". The
// value is the structured part of the result. Output that is not JSON is an error, unless the command fails.
func AllowJSON(command string, opts ...mcptool.ToolOption) Option {
	return option(func(c *config) { c.allowed = append(c.allowed, allowed{command, true, opts}) })
}

// Omit leaves flags out of the arguments of all tools that have them, for example persistent flags that every command has
// and no call needs. It is a mistake if no tool has such a flag. By default all flags are arguments that are neither
// hidden, deprecated nor set.
func Omit(flags ...string) Option {
	return option(func(c *config) { c.omitted = append(c.omitted, flags...) })
}

// Positional declares the next positional argument of an allowed command and describes it for the model. The word has one of
// the forms of Use: NAME for an argument that is required, [NAME] for an optional one, NAME... for one or more, [NAME...] for
// any number:
//
//	cobratools.Allow("delete clusters", mcptool.Destructive(true)),
//	cobratools.Positional("delete clusters", "NAME...", "the clusters to delete, as list prints them"),
//
// The arguments are in the order of the options. Only the last one can be repeated, and no required one may follow an optional
// one. They replace all arguments that Use names; the command itself still checks what it gets. If the description is
// empty, it is the line of Use. By default the positional arguments are those that Use names, described by that line.
func Positional(command, word, description string) Option {
	return option(func(c *config) {
		key := strings.Join(strings.Fields(command), " ")
		c.declared[key] = append(c.declared[key], declared{word, description})
	})
}

// Env sets the environment of the commands, in the form KEY=value, as in [os/exec.Cmd]. The default, and nil, is the
// environment of the server.
func Env(vars []string) Option {
	return option(func(c *config) { c.env = vars })
}

// MaxOutputBytes limits the standard output of a command in the result, by default to 256 KiB. The limit must be above
// zero. Longer output is truncated, and a text in the result reports it; longer JSON is an error. For standard error the
// limit is 8 KiB, and the end is kept.
func MaxOutputBytes(n int) Option {
	return option(func(c *config) { c.maxOutputBytes = n })
}
