package install

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v4"
)

// Formats other than JSON. New entries are inserted as lines; others cannot be changed.
var (
	tomlFormat = &format{name: "TOML", decode: decodeTOML, add: addTOML}
	yamlFormat = &format{name: "YAML", decode: decodeYAML, add: addYAML}
)

func decodeTOML(text []byte) (map[string]any, error) {
	if err := tomlSyntax.checkNesting(text); err != nil {
		return nil, err
	}
	if valid := bytes.ToValidUTF8(text, nil); len(valid) != len(text) { // the parser would report another character
		at := 0
		for at < len(valid) && text[at] == valid[at] {
			at++
		}
		return nil, errorAt(text, at, fmt.Sprintf("the byte 0x%02X is not UTF-8; save the file as UTF-8", text[at]))
	}
	tree := map[string]any{}
	if err := toml.Unmarshal(text, &tree); err != nil {
		place := &PlaceError{Line: 1, Column: 1, Reason: strings.TrimPrefix(err.Error(), "toml: ")}
		if at := (*toml.DecodeError)(nil); errors.As(err, &at) {
			place.Line, place.Column = at.Position()
		}
		return nil, place
	}
	return tree, nil
}

// addTOML appends a table, which TOML allows anywhere.
func addTOML(text []byte, container, name string, e entry) ([]byte, error) {
	var b bytes.Buffer
	if len(bytes.TrimSpace(text)) > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "[%s.%s]\n", container, name)
	for _, m := range e {
		fmt.Fprintf(&b, "%s = %s\n", m.name, inline(m.value, " ="))
	}
	return append(ended(text), withNewlines(text, b.Bytes())...), nil
}

func decodeYAML(text []byte) (map[string]any, error) {
	var tree map[string]any
	if len(bytes.TrimSpace(text)) == 0 {
		return map[string]any{}, nil
	}
	if err := yaml.Load(text, &tree); err != nil { // includes an error for several documents
		place := &PlaceError{Line: 1, Column: 1, Reason: err.Error()}
		if at := (*yaml.LoadError)(nil); errors.As(err, &at) && at.Mark.Line > 0 {
			place.Line, place.Column, place.Reason = at.Mark.Line, at.Mark.Column, at.Message
		}
		return nil, place
	}
	if tree == nil { // the document is null
		tree = map[string]any{}
	}
	return tree, nil
}

var firstChild = regexp.MustCompile(`^(?:[ \t]*(?:#.*)?\r?\n)*( +)[^ #\r\n]`)

// addYAML inserts an entry before the others of the container, or appends the container.
func addYAML(text []byte, container, name string, e entry) ([]byte, error) {
	before, after, indent := append(ended(text), container+":\n"...), []byte(nil), "  "
	header := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(container) + `:[ \t]*(?:\{\})?([ \t]*#.*|[ \t]*)\r?$`)
	if at := header.FindSubmatchIndex(text); at != nil {
		end := min(at[1]+1, len(text)) // after the line
		after = text[end:]
		before = ended(append(append(bytes.Clone(text[:at[0]]), container+":"...), text[at[2]:end]...)) // without {}
		if child := firstChild.FindSubmatch(after); child != nil {
			indent = string(child[1])
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%s:\n", indent, inline(name, ""))
	for _, m := range e {
		fmt.Fprintf(&b, "%s%s%s: %s\n", indent, indent, m.name, inline(m.value, ":"))
	}
	return append(append(before, withNewlines(text, b.Bytes())...), after...), nil
}

// ended returns a copy of text with its last line terminated.
func ended(text []byte) []byte {
	text = bytes.Clone(text)
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, withNewlines(text, []byte("\n"))...)
	}
	return text
}
