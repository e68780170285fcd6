// Command shapes is a server for the official clients to be tested with in addition to the examples: typed tools of
// every shape, so that clients compile and apply every kind of schema that we derive, in several pages, with
// everything that the protocol allows a tool to do while it runs; and prompts and resources with every type of content.
package main

import (
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

func main() {
	registerTypes()
	registerActs()
	registerPrompts()
	registerResources()
	stdio.Main(&runtime.Server{
		Title:        "Shapes",
		Description:  "Everything a client may meet",
		WebsiteURL:   "https://example.com/shapes",
		Icons:        []mcptool.Icon{{Src: "https://example.com/shapes.png", MIMEType: "image/png", Sizes: []string{"48x48"}}},
		Instructions: "Call every tool.",
		MaskErrors:   true,
		Limits:       runtime.Limits{ToolsPerPage: 4},
		ClientLog:    runtime.ClientLogAll,
	})
}
