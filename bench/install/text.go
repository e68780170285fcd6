package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v4"

	"github.com/mcptool-go/mcptool/bench/redact"
)

// A textFormat is a format other than JSON. Editing is limited to the insertion of new entries as lines.
type textFormat struct {
	name string
	// decode parses a file; the error is a *PlaceError.
	decode func(text []byte) (map[string]any, error)
	// insert returns text with an entry added to a container. The caller checks the result.
	insert func(text, container, name string, members []member) string
}

// Formats other than JSON.
var (
	tomlFormat = &textFormat{name: "TOML", decode: decodeTOML, insert: insertTOML}
	yamlFormat = &textFormat{name: "YAML", decode: decodeYAML, insert: insertYAML}
)

// A textDocument is a configuration in a textFormat.
type textDocument struct {
	*textFormat
	title string // of the client
	file  string
	text  []byte
	tree  map[string]any
	diff  string // the change made by set, without secrets
}

func (f *textFormat) parse(title, file string, data []byte) (*textDocument, error) {
	tree, err := f.decode(bytes.TrimPrefix(data, byteOrderMark))
	if err != nil {
		return nil, err
	}
	return &textDocument{textFormat: f, title: title, file: file, text: data, tree: tree}, nil
}

// set adds an entry. It rejects changes to an existing entry, and additions that would change the meaning of anything
// else.
func (d *textDocument) set(container, name string, members []member, drop []string) (Action, error) {
	if entry := d.entry(container, name); entry != nil {
		if hasMembers(entry, members, drop) {
			return Nothing, nil
		}
		return "", usage("%s has another server %q, and bench adds entries to %s files without changing those that are there; edit it yourself (--print prints the entry), or choose another --name", d.title, name, d.name)
	}
	text := d.insert(string(d.text), container, name, members)
	tree, err := d.decode(bytes.TrimPrefix([]byte(text), byteOrderMark))
	if err != nil || !d.isExtended(tree, container, name, members) {
		return "", usage("this %s file cannot be extended safely; add the entry yourself: --print prints it", d.name)
	}
	hidden := d.insert(string(d.text), container, name, hideSecrets(members))
	if d.diff, err = udiff.ToUnified(d.file, d.file, string(d.text), udiff.Lines(string(d.text), hidden), 0); err != nil {
		return "", err
	}
	d.text, d.tree = []byte(text), tree
	return Add, nil
}

// unset rejects the removal of an entry.
func (d *textDocument) unset(container, name string) (Action, error) {
	if d.entry(container, name) == nil {
		return Nothing, nil
	}
	return "", usage("bench does not remove entries from %s files; remove %s.%s yourself", d.name, container, name)
}

// entry returns an entry of a container as JSON; nil if there is none.
func (d *textDocument) entry(container, name string) []byte {
	servers, _ := d.tree[container].(map[string]any)
	entry, ok := servers[name]
	if !ok {
		return nil
	}
	text, err := json.Marshal(entry)
	if err != nil {
		return []byte("null") // it has values without a JSON form
	}
	return text
}

func (d *textDocument) bytes() []byte { return d.text }

// isExtended reports whether tree equals the tree of the document with the entry added.
func (d *textDocument) isExtended(tree map[string]any, container, name string, members []member) bool {
	servers, _ := tree[container].(map[string]any)
	added, err := json.Marshal(servers[name])
	if err != nil || !hasMembers(added, members, nil) {
		return false
	}
	delete(servers, name)
	if old, ok := d.tree[container]; len(servers) == 0 && (!ok || old == nil) {
		delete(tree, container)
		if ok {
			tree[container] = nil
		}
	}
	before, err := json.Marshal(d.tree) // sorts members
	if err != nil {
		return false
	}
	after, err := json.Marshal(tree)
	servers[name] = json.RawMessage(added)
	tree[container] = servers
	return err == nil && bytes.Equal(before, after)
}

// hasMembers reports whether an entry has all of members, and none of those in drop.
func hasMembers(entry []byte, members []member, drop []string) bool {
	var has map[string]json.RawMessage
	if json.Unmarshal(entry, &has) != nil {
		return false
	}
	for _, name := range drop {
		if has[name] != nil {
			return false
		}
	}
	for _, m := range members {
		var value any
		if json.Unmarshal([]byte(jsonText(m.value, ":")), &value) != nil {
			return false
		}
		if want, err := json.Marshal(value); err != nil || !bytes.Equal(want, has[m.name]) {
			return false
		}
	}
	return true
}

// hideSecrets returns members with secrets redacted.
func hideSecrets(members []member) []member {
	hidden := make([]member, len(members))
	for i, m := range members {
		hidden[i] = m
		switch v := m.value.(type) {
		case []member:
			hidden[i].value = hideSecrets(v)
		case []string:
			var args []string
			if json.Unmarshal(redact.JSON([]byte(jsonText(v, ":")), redact.Text), &args) == nil {
				hidden[i].value = args
			}
		case string:
			if hidden[i].value = redact.Text(v); redact.Secret(m.name, v) {
				hidden[i].value = redact.Hidden
			}
		}
	}
	return hidden
}

// jsonText encodes a member value as JSON, which is also valid YAML and, with another colon, TOML. Both formats accept
// JSON strings, except for characters detected by the caller's check.
func jsonText(value any, colon string) string {
	switch v := value.(type) {
	case []member:
		words := make([]string, len(v))
		for i, m := range v {
			words[i] = jsonText(m.name, "") + colon + " " + jsonText(m.value, colon)
		}
		return "{" + strings.Join(words, ", ") + "}"
	case []string:
		words := make([]string, len(v))
		for i, s := range v {
			words[i] = jsonText(s, "")
		}
		return "[" + strings.Join(words, ", ") + "]"
	default:
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(v) // strings and booleans can always be encoded
		return strings.TrimRight(b.String(), "\n")
	}
}

// insertTOML appends a table; TOML allows this anywhere.
func insertTOML(text, container, name string, members []member) string {
	var b strings.Builder
	if strings.TrimSpace(text) != "" {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "[%s.%s]\n", container, name)
	for _, m := range members {
		fmt.Fprintf(&b, "%s = %s\n", m.name, jsonText(m.value, " ="))
	}
	return endLine(text) + withNewlines(text, b.String())
}

// yamlHeader matches the line of a root member with an empty value or a block below it.
func yamlHeader(container string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(container) + `:[ \t]*(\{\})?([ \t]*#.*|[ \t]*)\r?$`)
}

var yamlChild = regexp.MustCompile(`^(?:[ \t]*(?:#.*)?\r?\n)*( +)[^ #\r\n]`)

// insertYAML inserts an entry before the others of the container, or appends the container.
func insertYAML(text, container, name string, members []member) string {
	before, after, indent := endLine(text)+container+":\n", "", "  "
	if strings.TrimSpace(text) == "" {
		before = container + ":\n"
	}
	if at := yamlHeader(container).FindStringSubmatchIndex(text); at != nil {
		end := min(at[1]+1, len(text)) // after the line
		before, after = endLine(text[:at[0]]+container+":"+text[at[4]:end]), text[end:]
		if child := yamlChild.FindStringSubmatch(after); child != nil {
			indent = child[1]
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s:\n", indent, jsonText(name, ""))
	for _, m := range members {
		fmt.Fprintf(&b, "%s%s: %s\n", indent+indent, m.name, jsonText(m.value, ":"))
	}
	return before + withNewlines(text, b.String()) + after
}

// endLine terminates the last line of text.
func endLine(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + withNewlines(text, "\n")
}

// withNewlines converts lines to the line endings of text.
func withNewlines(text, lines string) string {
	if strings.Contains(text, "\r\n") {
		return strings.ReplaceAll(lines, "\n", "\r\n")
	}
	return lines
}

func decodeTOML(text []byte) (map[string]any, error) {
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

func decodeYAML(text []byte) (map[string]any, error) {
	tree := map[string]any{}
	if len(bytes.TrimSpace(text)) == 0 {
		return tree, nil
	}
	if err := yaml.Load(text, &tree); err != nil { // includes an error for several documents
		place := &PlaceError{Line: 1, Column: 1, Reason: err.Error()}
		if at := (*yaml.LoadError)(nil); errors.As(err, &at) && at.Mark.Line > 0 {
			place.Line, place.Column, place.Reason = at.Mark.Line, at.Mark.Column, at.Message
		}
		return nil, place
	}
	return tree, nil
}
