package cobratools_test

import (
	"fmt"

	"github.com/spf13/cobra"

	cobratools "github.com/mcptool-go/mcptool/integrations/cobra"
	"github.com/mcptool-go/mcptool/mcptool"
)

// Use of the command does not name its arguments, and a model needs to know what a name is.
func ExamplePositional() {
	remove := &cobra.Command{Use: "delete", Short: "Delete objects"}
	remove.AddCommand(&cobra.Command{
		Use: "clusters", Short: "Delete clusters", Args: cobra.MinimumNArgs(1),
		Run: func(_ *cobra.Command, names []string) { fmt.Println("deleted", names) },
	})
	root := &cobra.Command{Use: "cloud", Short: "Manage clusters"}
	root.AddCommand(remove)

	tools, err := cobratools.Tools(root,
		cobratools.Allow("delete clusters", mcptool.Destructive(true)),
		cobratools.Positional("delete clusters", "NAME...", "the clusters to delete, as list prints them"),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tools[0].Info().Name, tools[0].InputSchema())
	// Output:
	// delete_clusters {"additionalProperties":false,"properties":{"name":{"description":"the clusters to delete, as list prints them","items":{"type":"string"},"minItems":1,"type":"array"}},"required":["name"],"type":"object"}
}
