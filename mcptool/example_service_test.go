package mcptool_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Notes is a service: the methods share its state, and calls run at once.
type Notes struct {
	mu    sync.Mutex
	texts []string
}

type Note struct {
	Text string `json:"text"`
}

func (n *Notes) AddNote(_ context.Context, in Note) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.texts = append(n.texts, in.Text)
	return len(n.texts), nil
}

func (n *Notes) ListNotes(context.Context, struct{}) ([]string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.texts), nil
}

// ClearNotes is for the program itself. Its context makes it look like a tool with a mistake.
func (n *Notes) ClearNotes(context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.texts = nil
	return nil
}

// Every method of tool shape becomes a tool, except for those excluded.
func ExampleRegisterService() {
	mcptool.RegisterService(&Notes{}, mcptool.OpenWorld(false), mcptool.ExceptMethods("ClearNotes"))
	defer removeTools(mcptool.Default)

	for tool := range mcptool.Default.Tools() {
		fmt.Println(tool.Info().Name)
	}
	// Output:
	// add_note
	// list_notes
}

// NewService returns the tools, for a registry of one's own or for tests. Without
// ExceptMethods, its error has the method that is not a tool.
func ExampleNewService() {
	registry := &mcptool.Registry{}
	tools, err := mcptool.NewService(&Notes{}, mcptool.ExceptMethods("ClearNotes"))
	if err == nil {
		err = registry.Add(tools)
	}
	for tool := range registry.Tools() {
		fmt.Println(tool.Info().Name)
	}
	fmt.Println("error", err)

	_, err = mcptool.NewService(&Notes{})
	if refused, ok := errors.AsType[*mcptool.RegisterError](err); ok {
		fmt.Println(refused.Mistakes[0].Tool+":", refused.Mistakes[0].Reason)
	}
	// Output:
	// add_note
	// list_notes
	// error <nil>
	// ClearNotes: it takes no arguments beside the context, and it returns only an error
}
