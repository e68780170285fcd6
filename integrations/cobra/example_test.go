//go:build unix

package cobratools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	cobratools "github.com/mcptool-go/mcptool/integrations/cobra"
	"github.com/mcptool-go/mcptool/mcptool"
)

// newNotes returns the application of the example, whose command mcp serves the command list.
func newNotes() *cobra.Command {
	list := &cobra.Command{
		Use:   "list [TAG...]",
		Short: "List the notes that have all tags",
		RunE: func(cmd *cobra.Command, tags []string) error {
			asJSON, err := cmd.Flags().GetBool("json")
			if err != nil {
				return err
			}
			notes := []string{"buy milk"}
			if slices.Contains(tags, "work") {
				notes = []string{"call Ada", "write the report"}
			}
			if asJSON {
				return json.NewEncoder(os.Stdout).Encode(map[string]any{"notes": notes})
			}
			fmt.Println(notes)
			return nil
		},
	}
	list.Flags().Bool("json", false, "print JSON")
	root := &cobra.Command{Use: "notes", Short: "Keep notes", Version: "1.0.0"}
	root.AddCommand(list, cobratools.Command(
		cobratools.AllowJSON("list --json=true", mcptool.ReadOnly(true)),
	))
	return root
}

// Tools are for a server of your own, or for tests. They run the program again for each call.
func ExampleTools() {
	tools, err := cobratools.Tools(newNotes(), cobratools.AllowJSON("list --json=true", mcptool.ReadOnly(true)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tools[0].Info().Name, tools[0].InputSchema())
	result, err := tools[0].Call(context.Background(), []byte(`{"tag":["work"]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", result.Structured)
	// Output:
	// list {"additionalProperties":false,"properties":{"tag":{"description":"positional, as in: list [TAG...]","items":{"type":"string"},"type":"array"}},"type":"object"}
	// {"notes":["call Ada","write the report"]}
}
