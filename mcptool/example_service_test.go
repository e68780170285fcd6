package mcptool_test

import (
	"context"
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

// Every method of tool shape becomes a tool.
func ExampleRegisterService() {
	mcptool.RegisterService(&Notes{}, mcptool.OpenWorld(false))
	defer mcptool.Default.Remove("add_note", "list_notes")

	for _, tool := range mcptool.Default.Tools() {
		fmt.Println(tool.Name())
	}
	// Output:
	// add_note
	// list_notes
}
