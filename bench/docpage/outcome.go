package docpage

import (
	"encoding/json"
	"strconv"
	"strings"
)

// A Call is the sample call of a tool.
type Call struct {
	Arguments json.RawMessage // nil: none could be made of the schema
	Skipped   string          // why the tool was not called, a sentence; "" if it was
	Outcome   Outcome         // what came of it
}

// Ending is how a call ended.
type Ending string

// The endings.
const (
	Result   Ending = "Result"         // what the model asked for
	Error    Ending = "Error"          // what the tool could not do, told to the model
	Refused  Ending = "Protocol error" // the server did not take the call
	NoAnswer Ending = "No answer"      // nothing came, or nothing that can be read
	Mixed    Ending = "It varies"      // now this, now that
)

// An Outcome is what came of a call.
type Outcome struct {
	Ending Ending
	Blocks []Block
	// Varies says that the same call came to something else another time. The blocks then have
	// only what holds of both: the shape.
	Varies bool
}

// A Block is a part of an outcome: JSON, or a text.
type Block struct {
	Label string // what it is: structured content, text, image
	JSON  bool
	Text  string

	value *value // of JSON
}

// Answered returns the outcome that a result of tools/call says.
func Answered(result []byte) Outcome {
	v, err := parseValue(result)
	if err != nil || !v.object() {
		return Unanswered("the result is no JSON object that can be read")
	}
	o := Outcome{Ending: Result}
	if v.get("isError").is("true") {
		o.Ending = Error
	}
	structured := v.get("structuredContent")
	if structured != nil {
		o.Blocks = append(o.Blocks, jsonBlock("structured content", structured))
	}
	for _, c := range v.get("content").list() {
		b := contentBlock(c)
		if structured != nil && b.value != nil && b.value.compact() == structured.compact() {
			continue // the same again, for clients that read texts only
		}
		o.Blocks = append(o.Blocks, b)
	}
	return o
}

// Declined returns the outcome of a call that the server answered with a protocol error.
func Declined(code int, message string) Outcome {
	return Outcome{Ending: Refused, Blocks: []Block{{Label: "code " + strconv.Itoa(code), Text: visible(message)}}}
}

// Unanswered returns the outcome of a call that came to nothing, and why.
func Unanswered(why string) Outcome {
	return Outcome{Ending: NoAnswer, Blocks: []Block{{Label: "why", Text: visible(why)}}}
}

func jsonBlock(label string, v *value) Block {
	return Block{Label: label, JSON: true, value: v, Text: v.pretty()}
}

// contentBlock returns a content block of a result.
func contentBlock(c *value) Block {
	kind := c.get("type").str()
	switch kind {
	case "text":
		text := c.get("text").str()
		if v, err := parseValue([]byte(text)); err == nil && (v.kind == '{' || v.kind == '[') {
			return jsonBlock("text, which is JSON", v)
		}
		return Block{Label: "text", Text: visible(text)}
	case "image", "audio":
		data := c.get("data").str()
		size := len(data) / 4 * 3 // of base64, give or take the padding
		return Block{Label: kind, Text: visible(c.get("mimeType").str()) + ", about " + count(thousands(size), "byte")}
	case "resource_link":
		return Block{Label: "link to a resource", Text: visible(c.get("name").str() + " " + c.get("uri").str())}
	case "resource":
		r := c.get("resource")
		text := visible(r.get("uri").str())
		if body := r.get("text").str(); body != "" {
			text += "\n" + visible(body)
		}
		return Block{Label: "resource", Text: text}
	default:
		return jsonBlock("content", c)
	}
}

// Both returns what two outcomes of the same call have in common: all of it, or the shape.
func Both(a, b Outcome) Outcome {
	if a.same(b) {
		return a
	}
	if a.Ending != b.Ending {
		return Outcome{Ending: Mixed, Varies: true, Blocks: []Block{{Label: "how it ends", Text: "Two calls that were the same did not end the same way."}}}
	}
	o := Outcome{Ending: a.Ending, Varies: true}
	for i, block := range a.Blocks[:min(len(a.Blocks), len(b.Blocks))] {
		other := b.Blocks[i]
		if block.Label != other.Label {
			break
		}
		o.Blocks = append(o.Blocks, block.and(other))
	}
	return o
}

func (o Outcome) same(other Outcome) bool {
	if o.Ending != other.Ending || len(o.Blocks) != len(other.Blocks) {
		return false
	}
	for i, b := range o.Blocks {
		if b.Label != other.Blocks[i].Label || b.Text != other.Blocks[i].Text {
			return false
		}
	}
	return true
}

func (b Block) and(other Block) Block {
	switch {
	case b.Text == other.Text:
		return b
	case b.value != nil && other.value != nil:
		shape := shapeOf(b.value, other.value)
		return Block{Label: b.Label + ", its shape", JSON: true, value: shape, Text: shape.pretty()}
	default:
		return Block{Label: b.Label, Text: "(a text that is another each time)"}
	}
}

// shapeOf returns of what kinds the values in two values are, where they agree on that. Values that
// happen to be equal are not kept: in what varies, that may be chance.
func shapeOf(a, b *value) *value {
	if a.kind != b.kind {
		return &value{kind: 't', text: "varies"}
	}
	switch a.kind {
	case '{':
		out := &value{kind: '{'}
		for _, name := range a.names {
			if other := b.get(name); other != nil {
				out.put(name, shapeOf(a.members[name], other))
			}
		}
		return out
	case '[':
		out := &value{kind: '['}
		if len(a.items) > 0 && len(b.items) > 0 {
			out.put("", shapeOf(a.items[0], b.items[0]))
		}
		return out
	default:
		return &value{kind: 't', text: map[byte]string{'"': "string", '0': "number", 't': "boolean", 'n': "null"}[a.kind]}
	}
}

// What is shown of a result.
const (
	maxLines = 48
	maxLine  = 400
)

// cut returns the text as it is shown, and what is said of the rest.
func (b Block) cut() (text, rest string) {
	lines := strings.Split(strings.TrimRight(b.Text, "\n"), "\n")
	if more := len(lines) - maxLines; more > 0 {
		lines = lines[:maxLines]
		rest = "and " + count(thousands(more), "more line")
	}
	for i, line := range lines {
		lines[i] = shorten(line, maxLine)
	}
	return strings.Join(lines, "\n"), rest
}
