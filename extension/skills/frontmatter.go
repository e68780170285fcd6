package skills

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/mcptool-go/mcptool/internal/bytesize"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// frontmatter is the YAML at the beginning of a SKILL.md.
type frontmatter struct {
	json              []byte // an object
	name, description string
}

// problem is a mistake in a SKILL.md.
type problem struct {
	line        int // 0 for the whole file
	reason, fix string
}

// Limits of the frontmatter. The last three are defined by the format.
const (
	maxFrontmatter = 64 << 10 // bytes
	maxDepth       = 16
	maxName        = 64   // characters
	maxDescription = 1024 // characters
	maxCompat      = 500  // characters
)

const fence = "---"

// readFrontmatter returns the frontmatter of a SKILL.md, or its mistakes.
func readFrontmatter(data []byte) (frontmatter, []problem) {
	block, p := splitFrontmatter(data)
	if p != nil {
		return frontmatter{}, []problem{*p}
	}
	root, p := parseYAML(block)
	if p != nil {
		return frontmatter{}, []problem{*p}
	}
	c := converter{}
	if root.Kind != yaml.MappingNode {
		return frontmatter{}, []problem{{2, "the frontmatter is not a mapping", "begin it with name: and description:"}}
	}
	f := frontmatter{json: c.appendNode(nil, root, 0)}
	if c.checkFields(root); len(c.problems) > 0 {
		return frontmatter{}, c.problems
	}
	f.name, _ = textOf(member(root, "name"))
	f.description, _ = textOf(member(root, "description"))
	return f, nil
}

// splitFrontmatter returns the text between the lines "---".
func splitFrontmatter(data []byte) ([]byte, *problem) {
	switch {
	case !utf8.Valid(data):
		return nil, &problem{0, "it is not UTF-8", "save it as UTF-8"}
	case bytes.HasPrefix(data, []byte("\ufeff")):
		return nil, &problem{1, "it begins with a byte order mark, which many readers treat as text", "save it without one"}
	}
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	if string(trimRight(first)) != fence {
		return nil, &problem{1, "it does not begin with frontmatter", `begin with the line "---", then name: and description:, then "---"`}
	}
	for at := 0; at <= len(rest); {
		line, _, more := bytes.Cut(rest[at:], []byte("\n"))
		if string(trimRight(line)) == fence {
			if at > maxFrontmatter {
				return nil, &problem{1, fmt.Sprintf("the frontmatter has %s, more than the %s that are read", bytesize.Text(int64(at)), bytesize.Text(maxFrontmatter)), "move text below it"}
			}
			return rest[:at], nil
		}
		if !more {
			break
		}
		at += len(line) + 1
	}
	return nil, &problem{1, "the frontmatter has no end", `write a line "---" below it`}
}

func trimRight(line []byte) []byte { return bytes.TrimRight(line, " \t\r") }

// parseYAML returns the root of a YAML document.
func parseYAML(block []byte) (root *yaml.Node, p *problem) {
	defer func() {
		if v := recover(); v != nil { // of the YAML parser
			p = &problem{1, fmt.Sprintf("the frontmatter cannot be parsed: %v", v), "write it in simpler YAML"}
		}
	}()
	if isBlank(block) {
		return nil, &problem{2, "the frontmatter is empty", "write name: and description:"}
	}
	var doc yaml.Node
	if err := yaml.Load(block, &doc); err != nil {
		line, reason := 1, err.Error()
		if bad, ok := errors.AsType[*yaml.LoadError](err); ok {
			line, reason = bad.Mark.Line+1, bad.Message
		}
		return nil, &problem{line, "the frontmatter is not valid YAML: " + reason, "correct it; strings with a colon need quotes"}
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, &problem{2, "the frontmatter is not a YAML document", "write name: and description:"}
	}
	return doc.Content[0], nil
}

// isBlank reports whether YAML consists of comments and white space.
func isBlank(block []byte) bool {
	for line := range bytes.Lines(block) {
		if text := bytes.TrimSpace(line); len(text) > 0 && text[0] != '#' {
			return false
		}
	}
	return true
}

// converter writes YAML nodes as JSON.
type converter struct{ problems []problem }

// refuse notes a mistake at a node.
func (c *converter) refuse(n *yaml.Node, reason, fix string) {
	const most = 20
	if len(c.problems) < most {
		c.problems = append(c.problems, problem{n.Line + 1, reason, fix}) // the first line is the fence
	}
}

// appendNode appends a node as JSON.
func (c *converter) appendNode(dst []byte, n *yaml.Node, depth int) []byte {
	switch {
	case n.Kind == yaml.AliasNode:
		c.refuse(n, "*"+n.Value+" is an alias", "write the value itself")
	case n.Anchor != "":
		c.refuse(n, "&"+n.Anchor+" is an anchor", "leave it out")
	case hasTag(n):
		c.refuse(n, "the value has the tag "+n.Tag, "leave the tag out")
	case depth > maxDepth:
		c.refuse(n, fmt.Sprintf("it is nested more than %d levels deep", maxDepth), "make it flatter")
	case n.Kind == yaml.MappingNode:
		return c.appendMapping(dst, n, depth)
	case n.Kind == yaml.SequenceNode:
		dst = append(dst, '[')
		for _, item := range n.Content {
			dst = c.appendNode(rawjson.AppendComma(dst), item, depth+1)
		}
		return append(dst, ']')
	default:
		return c.appendScalar(dst, n)
	}
	return append(dst, "null"...)
}

// hasTag reports whether the source has a tag, as opposed to an implied tag.
func hasTag(n *yaml.Node) bool {
	return n.Style&yaml.TaggedStyle != 0 || n.Tag != "" && !strings.HasPrefix(n.Tag, "!!")
}

// appendMapping appends a mapping as a JSON object.
func (c *converter) appendMapping(dst []byte, n *yaml.Node, depth int) []byte {
	seen := make(map[string]bool, len(n.Content)/2)
	dst = append(dst, '{')
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name, ok := c.key(key)
		switch {
		case !ok:
		case seen[name]:
			c.refuse(key, fmt.Sprintf("duplicate key %q", name), "remove one")
		}
		seen[name] = true
		dst = append(rawjson.AppendString(rawjson.AppendComma(dst), name), ':')
		dst = c.appendNode(dst, value, depth+1)
	}
	return append(dst, '}')
}

// key returns the name of a member.
func (c *converter) key(n *yaml.Node) (name string, ok bool) {
	name, isText := textOf(n)
	switch {
	case n.Kind != yaml.ScalarNode || n.Anchor != "" || hasTag(n):
		c.refuse(n, "a key is not a plain string", "use a text")
	case name == "<<" && n.Style&quoted == 0:
		c.refuse(n, "<< merges another mapping, which not all readers do", "write its members themselves")
	case !isText:
		c.refuse(n, "the key "+n.Value+" is not a string in YAML", "quote it")
	default:
		c.checkText(n, name)
		return name, true
	}
	return "", false
}
