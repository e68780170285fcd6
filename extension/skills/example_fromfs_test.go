package skills_test

import (
	"fmt"
	"testing/fstest"

	"github.com/mcptool-go/mcptool/extension/skills"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// A server with a skill: programs pass the tree of an embed.FS.
func ExampleFromFS() {
	tree := fstest.MapFS{
		"expenses/SKILL.md":             {Data: []byte("---\nname: expenses\ndescription: Files expenses. Use it for receipts and travel costs.\n---\n\nAsk for the receipt first.\n")},
		"expenses/references/policy.md": {Data: []byte("# Policy\n")},
	}
	extension, err := skills.FromFS(tree)
	if err != nil {
		fmt.Println(err)
		return
	}
	srv := &runtime.Server{Tools: &mcptool.Registry{}, Extensions: []runtime.Extension{extension}}
	fmt.Println("mistakes:", srv.Check())
	for r := range srv.Tools.Resources() {
		fmt.Println(r.URI(), r.Link().MIMEType)
	}
	// Output:
	// mistakes: <nil>
	// skill://expenses/SKILL.md text/markdown
	// skill://expenses/references/policy.md text/markdown
}

// All mistakes are told at once, each with its place and what to do.
func ExampleFromFS_mistakes() {
	_, err := skills.FromFS(fstest.MapFS{
		"expenses/SKILL.md": {Data: []byte("---\nname: expense\ndescription: Files expenses\nversion: 017\n---\n")},
		"travel/SKILL.md":   {Data: []byte("# Travel\n")},
	})
	fmt.Println(err)
	// Output:
	// skills: expenses/SKILL.md:4: 017 begins with 0, so some readers parse it as an octal number; leave the 0 out, or quote it
	// travel/SKILL.md:1: it does not begin with frontmatter; begin with the line "---", then name: and description:, then "---"
}
