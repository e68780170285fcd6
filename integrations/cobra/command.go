package cobratools

import (
	"github.com/spf13/cobra"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

// Command returns a command, named mcp, that serves the allowed commands of its root over standard input and output,
// until the client disconnects. It fails at the start if an option is wrong, with all mistakes. The caller may change
// the names and texts of the command before it is executed. The persistent hooks of its parents, such as
// PersistentPreRun, do not run for it, because they run for each call.
func Command(opts ...Option) *cobra.Command {
	noHook := func(*cobra.Command, []string) {}
	return &cobra.Command{
		Use:               "mcp",
		Short:             "Serve commands of this program to an MCP client, over standard input and output",
		Args:              cobra.NoArgs,
		SilenceUsage:      true,
		PersistentPreRun:  noHook,
		PersistentPostRun: noHook,
		RunE: func(cmd *cobra.Command, _ []string) error {
			root := cmd.Root()
			tools, p, err := newTools(root, opts)
			if err != nil {
				return err
			}
			registry := &mcptool.Registry{}
			if err := registry.Add(tools); err != nil {
				return err
			}
			// Serve does not wait for calls that it has cancelled, and the end of the program would leave their processes.
			defer p.running.Lock()
			return stdio.Serve(cmd.Context(), &runtime.Server{
				Name: root.Name(), Version: root.Version, Instructions: help(root), Tools: registry,
			})
		},
	}
}
