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
// skill://expenses/SKILL.md, and the other files below skills/expenses next to it. Clients that know the extension list
// the skills (skills/list), show them to the user, and read the files of one when the model needs it. For other clients
// the files are resources like any others; [runtime.Server.Instructions] may name the URIs.
//
// # What a skill is
//
// A SKILL.md begins with YAML between two lines "---": a name, which must be the name of the directory, a description
// of the purpose of the skill and when to use it, and the other fields of the format. Then follow instructions in
// Markdown. They may refer to other files of the directory, such as references/policy.md; models read those only when
// they need them, so keep SKILL.md short. A directory in a skill may be a skill itself.
//
// Everything is read and checked once, when [FromFS] is called, and clients get exactly the checked files: each answer
// has the SHA-256 digest and the size of each file, so that a host can bind the consent of its user to them.
//
// The YAML is read as YAML 1.2 with its core schema: 2026-01-02 and yes are strings. Hosts compare the YAML of the file
// with the JSON of the server, so YAML that parsers read differently, or that JSON cannot express, is refused: aliases,
// tags, keys that are not strings, 017, 0x11 and .inf.
//
// https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx,
// https://agentskills.io/specification
package skills
