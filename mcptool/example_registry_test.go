package mcptool_test

import (
	"context"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
)

type ReviewIn struct {
	Title string `json:"title"`
}

func ReviewNote(_ context.Context, in ReviewIn) (string, error) {
	return "Review the note " + in.Title + ".", nil
}

// A plugin adds a service, a prompt and a resource in one change, and removes them in another.
func ExampleRegistry() {
	registry := &mcptool.Registry{} // runtime.Server.Tools
	tools, err := mcptool.NewService(&Notes{}, mcptool.ExceptMethods("ClearNotes"))
	if err != nil {
		fmt.Println(err)
	}
	review, err := mcptool.NewPrompt(ReviewNote)
	if err != nil {
		fmt.Println(err)
	}
	if err := registry.Add(tools, review); err != nil { // all of them, or none
		fmt.Println(err)
	}
	for tool := range registry.Tools() {
		fmt.Println(tool.Info().Name)
	}
	fmt.Println("removed:", registry.Remove(tools, review))

	// Output:
	// add_note
	// list_notes
	// removed: 3
}
