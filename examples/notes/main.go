// Command notes keeps notes. It uses all features of a server: a tool that adds notes, resources to read them and to
// follow their changes, a handbook of Markdown files, and a prompt for the user.
package main

import (
	"embed"
	"io/fs"
	"log"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/stdio"
)

//go:embed handbook
var handbook embed.FS

func main() {
	if err := register(mcptool.Default, newStore(mcptool.Default)); err != nil {
		log.Fatal(err)
	}
	stdio.Main(nil)
}

// register adds everything that the server offers to a registry.
func register(registry *mcptool.Registry, notes *store) error {
	add, err := mcptool.New(notes.Add)
	if err != nil {
		return err
	}
	note, err := mcptool.NewResource(notes.Read, mcptool.ListWith(notes.List), mcptool.Complete("id", notes.CompleteID))
	if err != nil {
		return err
	}
	review, err := mcptool.NewPrompt(notes.Review, mcptool.Complete("id", notes.CompleteReview))
	if err != nil {
		return err
	}
	files, err := fs.Sub(handbook, "handbook")
	if err != nil {
		return err
	}
	return registry.Add(add, review, note, mcptool.Files(files, "handbook:///", mcptool.Title("Handbook")))
}
