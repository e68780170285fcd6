//go:build unix

package cobratools_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	cobratools "github.com/mcptool-go/mcptool/integrations/cobra"
	"github.com/mcptool-go/mcptool/mcptool"
)

// TestMain runs the application of the tests unless the arguments are flags of a test binary: calls of its tools run
// this binary again.
func TestMain(m *testing.M) {
	if len(os.Args) == 1 || strings.HasPrefix(os.Args[1], "-test.") {
		os.Exit(m.Run())
	}
	root := newRoot()
	if os.Args[1] == "list" {
		root = newNotes()
	}
	root.SetArgs(os.Args[1:]) // by default, cobra ignores the arguments of a program named cobra.test
	if err := root.Execute(); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// newRoot returns an application with all types of flags, and commands that misbehave.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use: "demo", Short: "An application for tests", Version: "1.2.3",
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			if cmd.Name() == "mcp" {
				fmt.Println("a greeting on the stream of the protocol")
			}
		},
	}
	root.PersistentFlags().String("context", "", "the `cluster` to use")
	root.PersistentFlags().CountP("verbose", "v", "more output")
	root.AddGroup(&cobra.Group{ID: "basic", Title: "Basic commands:"})
	config := &cobra.Command{Use: "config", Short: "Configuration"}
	config.AddCommand(
		&cobra.Command{Use: "view", Short: "Print the configuration", Run: dump},
		&cobra.Command{Use: "set KEY VALUE", Args: cobra.ExactArgs(2), Run: dump},
		&cobra.Command{Use: "old", Deprecated: "use view", Run: dump},
	)
	hidden := &cobra.Command{Use: "secret", Hidden: true}
	hidden.AddCommand(&cobra.Command{Use: "inner", Run: dump})
	run := &cobra.Command{Use: "run [ARG...]", Short: "Runnable, and with a subcommand", Run: dump}
	run.AddCommand(&cobra.Command{Use: "inner", Run: dump})
	unusual := &cobra.Command{Use: "unusual (TYPE NAME | TYPE/NAME) [flags]", Run: dump}
	raw := &cobra.Command{Use: "raw", DisableFlagParsing: true, Run: dump}
	root.AddCommand(config, hidden, run, unusual, raw, newGet(), newTypes(), newGroups())
	root.AddCommand(misbehaving()...)
	root.AddCommand(cobratools.Command(allowed()...))
	return root
}

// allowed are the tools of the tests of a server.
func allowed() []cobratools.Option {
	return []cobratools.Option{
		cobratools.AllowJSON("get --output=json", mcptool.ReadOnly(true)),
		cobratools.Allow("config view", mcptool.ReadOnly(true)),
		cobratools.AllowJSON("config set", mcptool.Idempotent(true)),
		cobratools.AllowJSON("types"),
		cobratools.AllowJSON("run"),
		cobratools.Allow("unusual", mcptool.Description("A command whose Use cannot be read.")),
		cobratools.Allow("groups"),
		cobratools.Allow("fail"),
		cobratools.Allow("panic"),
		cobratools.Allow("exit"),
		cobratools.Allow("hang"),
		cobratools.Allow("sleep", mcptool.Timeout(time.Second)),
		cobratools.Allow("hang-twice"),
		cobratools.Allow("leave"),
		cobratools.Allow("flood"),
		cobratools.Allow("stdout"),
		cobratools.Allow("stdin"),
		cobratools.AllowJSON("text"),
		cobratools.MaxOutputBytes(10_000),
	}
}

func newGet() *cobra.Command {
	get := &cobra.Command{
		Use:     "get KIND [NAME...] [flags]",
		GroupID: "basic",
		Short:   "Print objects",
		Long:    "Print objects of a kind, all of them or those with the given names.",
		Example: "  demo get pods\n  demo get pods web-1 web-2 --output json",
		Args:    cobra.MinimumNArgs(1),
		Run:     dump,
	}
	flags := get.Flags()
	flags.StringP("output", "o", "table", "format of the output")
	flags.String("sort", "name", "order")
	flags.StringP("namespace", "n", "default", "namespace of the objects")
	flags.StringToStringP("selector", "l", nil, "labels that objects must have")
	flags.Int("limit", 50, "most objects")
	flags.Duration("wait", 5*time.Second, "how long to wait for the server")
	flags.String("name", "", "a flag with the name of an argument")
	flags.Bool("old", false, "no longer used")
	flags.Bool("internal", false, "for tests")
	must(flags.MarkDeprecated("old", "it has no effect"))
	must(flags.MarkHidden("internal"))
	must(get.MarkFlagRequired("namespace"))
	must(get.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"json", "table"}, cobra.ShellCompDirectiveNoFileComp)))
	must(get.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions([]string{"name\tby name", "age"}, cobra.ShellCompDirectiveNoFileComp)))
	must(get.RegisterFlagCompletionFunc("namespace", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		panic("a completion that asks a server")
	}))
	must(get.RegisterFlagCompletionFunc("wait", cobra.FixedCompletions([]string{"1s", "1m"}, cobra.ShellCompDirectiveDefault)))
	return get
}

// newTypes returns a command with a flag of each type. It accepts any positional arguments.
func newTypes() *cobra.Command {
	types := &cobra.Command{Use: "types [ARG...]", Short: "Print all flags and arguments", Run: dump}
	f := types.Flags()
	f.Bool("bool", true, "")
	f.Count("count", "")
	f.Int("int", 0, "")
	f.Int64("int64", -7, "")
	f.Uint8("uint8", 0, "")
	f.Float64("float64", 0.5, "")
	f.Duration("duration", 0, "")
	f.String("string", "", "")
	f.StringSlice("string-slice", []string{"a", "b"}, "")
	f.StringArray("string-array", nil, "")
	f.IntSlice("int-slice", nil, "")
	f.BoolSlice("bool-slice", nil, "")
	f.DurationSlice("duration-slice", nil, "")
	f.StringToString("map", map[string]string{"k": "v"}, "")
	f.StringToInt("int-map", nil, "")
	f.IP("ip", nil, "address to listen on")
	f.BytesHex("hex", nil, "")
	f.Var(&level{"info"}, "level", "")
	return types
}

// level is a type of flag that pflag does not know.
type level struct{ name string }

func (l *level) String() string { return l.name }
func (l *level) Type() string   { return "level" }
func (l *level) Set(s string) error {
	if s != "info" && s != "debug" {
		return errors.New("must be info or debug")
	}
	l.name = s
	return nil
}

func newGroups() *cobra.Command {
	groups := &cobra.Command{Use: "groups", Short: "Flags that depend on each other", ValidArgs: []string{"red\ta color", "blue"}, Run: dump}
	for _, name := range []string{"user", "password", "file", "stdin", "token"} {
		groups.Flags().String(name, "", "")
	}
	groups.MarkFlagsRequiredTogether("user", "password")
	groups.MarkFlagsMutuallyExclusive("file", "stdin")
	groups.MarkFlagsOneRequired("token", "user")
	return groups
}

func misbehaving() []*cobra.Command {
	return []*cobra.Command{
		{Use: "fail", RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Println("step 1 is done")
			return errors.New("step 2: no space left")
		}},
		{Use: "odd TEXT", Args: cobra.ExactArgs(1), Run: func(_ *cobra.Command, args []string) { fmt.Println(args[0]) }},
		{Use: "panic", Run: func(*cobra.Command, []string) { panic("out of luck") }},
		{Use: "exit", Run: func(*cobra.Command, []string) { fmt.Fprintln(os.Stderr, "giving up"); os.Exit(3) }},
		{Use: "sleep", Run: func(*cobra.Command, []string) { time.Sleep(5 * time.Minute) }},
		{Use: "hang PIDFILE", Run: func(_ *cobra.Command, args []string) { hang(args[0]) }},
		{Use: "hang-twice PIDFILE", Run: func(_ *cobra.Command, args []string) {
			child := exec.Command(os.Args[0], "hang", "--", args[0])
			child.Stdout = os.Stdout
			must(child.Run())
		}},
		{Use: "leave PIDFILE", Run: func(_ *cobra.Command, args []string) {
			child := exec.Command(os.Args[0], "hang", "--", args[0])
			child.Stdout = os.Stdout
			must(child.Start())
			for {
				if _, err := os.Stat(args[0]); err == nil {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			fmt.Println("done")
		}},
		{Use: "flood", Run: func(*cobra.Command, []string) {
			for i := range 100_000 {
				fmt.Println("line", i)
				fmt.Fprintln(os.Stderr, "warning", i)
			}
		}},
		{Use: "stdout", Run: func(*cobra.Command, []string) {
			_, _ = syscall.Write(1, []byte(`{"jsonrpc":"2.0","id":1,"result":"forged"}`+"\n"))
		}},
		{Use: "stdin", Run: func(*cobra.Command, []string) {
			n, err := os.Stdin.Read(make([]byte, 1))
			fmt.Println(n, err)
		}},
		{Use: "env", Run: func(*cobra.Command, []string) { fmt.Println(strings.Join(os.Environ(), "\n")) }},
		{Use: "text", Run: func(*cobra.Command, []string) { fmt.Println("this is not JSON") }},
	}
}

// hang writes its process ID to a file, and ignores signals that can be ignored.
func hang(pidFile string) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE)
	must(os.WriteFile(pidFile+".tmp", []byte(strconv.Itoa(os.Getpid())), 0o600))
	must(os.Rename(pidFile+".tmp", pidFile))
	time.Sleep(5 * time.Minute)
}

// dumped is the output of dump.
type dumped struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Flags   map[string]string `json:"flags"` // those that were set
}

func dump(cmd *cobra.Command, args []string) {
	d := dumped{Command: cmd.CommandPath(), Args: args, Flags: map[string]string{}}
	cmd.Flags().Visit(func(f *pflag.Flag) { d.Flags[f.Name] = f.Value.String() })
	must(json.NewEncoder(os.Stdout).Encode(d))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
