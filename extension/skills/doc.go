// Package skills serves agent skills: directories with a SKILL.md that teach a model how to use the tools of a server well.
// It implements the extension io.modelcontextprotocol/skills.
//
//	//go:embed skills
//	var files embed.FS
//
//	func main() {
//		tree, err := fs.Sub(files, "skills")
//		…
//		srv := &runtime.Server{Extensions: []runtime.Extension{skills.MustFromFS(tree)}}
//		stdio.Main(srv)
//	}
//
// Every directory of the tree that has a SKILL.md is a skill: skills/expenses/SKILL.md is served as
// skill://expenses/SKILL.md, and each other file below skills/expenses beside it. Clients that know the extension list the
// skills (skills/list), show them to the user, and read the files of one when the model needs it. For other clients the files
// are resources like any others; [runtime.Server.Instructions] may name the URIs.
//
// # What a skill is
//
// A SKILL.md begins with YAML between two lines "---": a name, which is that of the directory, a description of what the
// skill does and when to use it, and whatever else the format defines. Then follow instructions in Markdown. They may refer to
// other files of the directory, such as references/policy.md; models read those only when they need them, so keep SKILL.md
// short. A directory in a skill may be a skill itself.
//
// Everything is read and checked once, when [FromFS] is called. What clients get later is what was checked: each answer has the
// SHA-256 digest and the size of each file, so that a host can bind the consent of its user to them.
//
// The YAML is read as YAML 1.2 does in its core schema: 2026-01-02 and yes are strings. What readers of YAML do not agree on,
// or JSON cannot say, is refused, since hosts compare the YAML of the file with what the server says of it: aliases, tags, keys
// that are no strings, 017, 0x11 and .inf.
//
// https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx,
// https://agentskills.io/specification
package skills
