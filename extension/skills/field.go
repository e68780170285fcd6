package skills

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// reservedMetadata is the prefix of metadata keys that are reserved for extensions of the protocol.
const reservedMetadata = "io.modelcontextprotocol/"

// checkFields checks the members that the format defines.
func (c *converter) checkFields(root *yaml.Node) {
	for _, name := range []string{"name", "description"} {
		if member(root, name) == nil {
			c.problems = append(c.problems, problem{1, "the frontmatter has no " + name, "write " + name + ": and a text"})
		}
	}
	if n := member(root, "name"); n != nil {
		if text, isText := textOf(n); !isText || !isSkillName(text) {
			c.refuse(n, fmt.Sprintf("the name %q is not allowed", n.Value), "use 1 to 64 lower-case letters and digits, with single hyphens between them")
		}
	}
	c.checkLength(member(root, "description"), "description", maxDescription)
	c.checkLength(member(root, "compatibility"), "compatibility", maxCompat)
	metadata := member(root, "metadata")
	if metadata == nil {
		return
	}
	if metadata.Kind != yaml.MappingNode {
		c.refuse(metadata, "metadata is not a mapping", "write keys and texts below it")
		return
	}
	for i := 0; i+1 < len(metadata.Content); i += 2 {
		if key := metadata.Content[i]; strings.HasPrefix(key.Value, reservedMetadata) {
			c.refuse(key, fmt.Sprintf("the key %q of metadata is reserved for extensions of the protocol", key.Value), "use another prefix, such as your domain")
		}
	}
}

// checkLength checks a member that is a text, unless it is nil.
func (c *converter) checkLength(n *yaml.Node, name string, most int) {
	if n == nil {
		return
	}
	switch text, isText := textOf(n); {
	case !isText:
		c.refuse(n, "the "+name+" is not a string", "write a string, in quotes if it looks like a number")
	case strings.TrimSpace(text) == "":
		c.refuse(n, "the "+name+" is empty", "write a text")
	case utf8.RuneCountInString(text) > most:
		c.refuse(n, fmt.Sprintf("the %s has %d characters, and at most %d are allowed", name, utf8.RuneCountInString(text), most), "shorten it")
	}
}

// member returns the value of a member of a mapping; nil if there is none.
func member(n *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// isSkillName reports whether name is a valid name of a skill.
func isSkillName(name string) bool {
	for part := range strings.SplitSeq(name, "-") {
		if part == "" || strings.ContainsFunc(part, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
			return false
		}
	}
	return len(name) <= maxName
}
