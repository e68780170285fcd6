package toolsearch_test

import (
	"context"
	"fmt"

	"github.com/mcptool-go/mcptool/extension/toolsearch"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// Tools that most conversations need stay in the list. A name that no tool has is a mistake.
func ExampleOptions() {
	listServers, err := mcptool.New(func(context.Context, struct{}) ([]string, error) { return []string{"web"}, nil },
		mcptool.Name("list_servers"), mcptool.Description("List servers."), mcptool.ReadOnly(true), mcptool.Group("compute"))
	if err != nil {
		fmt.Println(err)
		return
	}
	registry := &mcptool.Registry{}
	if err := registry.Add(listServers); err != nil {
		fmt.Println(err)
		return
	}
	srv := &runtime.Server{Tools: registry, Extensions: []runtime.Extension{toolsearch.New(toolsearch.Options{
		Keep:       []string{"list_server"},
		KeepGroups: []string{"monitoring"},
	})}}
	fmt.Println(srv.Check())
	// Output:
	// extension "io.github.mcptool-go/toolsearch": Options.Keep: there is no tool "list_server"; did you mean "list_servers"?
}
