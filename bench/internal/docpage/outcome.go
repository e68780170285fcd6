package docpage

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// A Call is the sample call of a tool.
type Call struct {
	Arguments json.RawMessage // nil if they could not be generated
	Skipped   string          // why the tool was not called, as a sentence; "" if it was
	Outcome   Outcome         // result of the call
}

// Ending is the kind of result of a call.
type Ending string

// Endings of calls.
const (
	Result   Ending = "Result"         // a successful result
	Error    Ending = "Error"          // a tool error, for the model
	Refused  Ending = "Protocol error" // the server rejected the call
	NoAnswer Ending = "No answer"      // no response, or an unreadable one
	Mixed    Ending = "It varies"      // differs between calls
)

// An Outcome is the result of a call.
type Outcome struct {
	Ending Ending
	Blocks []Block
	// Varies means that another call with the same arguments had another result. The blocks then contain only the
	// common shape.
	Varies bool
}

// A Block is a part of an outcome: JSON or text.
type Block struct {
	Label string // the kind: structured content, text, image
	JSON  bool
	Text  string

	value *jsondoc.Value // if JSON
}

// Answered returns the outcome for a tools/call result.
func Answered(result []byte) Outcome {
	v, err := parseJSON(result)
	if err != nil || !v.IsObject() {
		return Unanswered("the result is not a valid JSON object")
	}
	o := Outcome{Ending: Result}
	if v.Get("isError").IsTrue() {
		o.Ending = Error
	}
	structured, content := v.Get("structuredContent"), v.Get("content").Elements()
	sameString := func(c *jsondoc.Value) bool { return c.Get("type").Text() == "text" && c.Get("text").Equal(structured) }
	if structured != nil && !slices.ContainsFunc(content, sameString) {
		o.Blocks = append(o.Blocks, jsonBlock("structured content", structured))
	}
	for _, c := range content {
		b := contentBlock(c)
		if structured != nil && b.value != nil && compact(b.value) == compact(structured) {
			continue // a duplicate for text-only clients
		}
		o.Blocks = append(o.Blocks, b)
	}
	return o
}

// Messages returns the outcome for a prompts/get result: the messages, each with its role.
func Messages(result []byte) Outcome {
	v, err := parseJSON(result)
	if err != nil || !v.IsObject() {
		return Unanswered("the result is not a valid JSON object")
	}
	o := Outcome{Ending: Result}
	if text := v.Get("description").Text(); text != "" {
		o.Blocks = append(o.Blocks, Block{Label: "description", Text: visible(text)})
	}
	for _, m := range v.Get("messages").Elements() {
		content := m.Get("content")
		if content == nil {
			o.Blocks = append(o.Blocks, jsonBlock("message", m))
			continue
		}
		b := contentBlock(content)
		b.Label = label(m.Get("role").Text()) + ": " + b.Label
		o.Blocks = append(o.Blocks, b)
	}
	return o
}

// Declined returns the outcome for a protocol error.
func Declined(code int, message string) Outcome {
	return Outcome{Ending: Refused, Blocks: []Block{{Label: "code " + strconv.Itoa(code), Text: visible(message)}}}
}

// Unanswered returns the outcome of a call without a result, and the reason.
func Unanswered(why string) Outcome {
	return Outcome{Ending: NoAnswer, Blocks: []Block{{Label: "why", Text: visible(why)}}}
}

func jsonBlock(label string, v *jsondoc.Value) Block {
	return Block{Label: label, JSON: true, value: v, Text: pretty(v)}
}

// contentBlock converts a content block of a result.
func contentBlock(c *jsondoc.Value) Block {
	kind := c.Get("type").Text()
	switch kind {
	case "text":
		text := c.Get("text").Text()
		if v, err := parseJSON([]byte(text)); err == nil && (v.IsObject() || v.IsArray()) {
			return jsonBlock("text, which is JSON", v)
		}
		return Block{Label: "text", Text: visible(text)}
	case "resource_link":
		return Block{Label: "link to a resource", Text: visible(c.Get("name").Text() + " " + c.Get("uri").Text())}
	case "resource":
		r := c.Get("resource")
		text := visible(r.Get("uri").Text())
		if body := r.Get("text").Text(); body != "" {
			text += "\n" + visible(body)
		}
		return Block{Label: "resource", Text: text}
	default:
		return factsBlock(kind, c)
	}
}

// contentFacts are the members that describe a content block, in display order. commonMembers are not shown.
var (
	contentFacts  = []string{"name", "title", "uri", "mimeType", "text", "data"}
	commonMembers = []string{"type", "annotations", "_meta", "icons"}
)

// factsBlock returns a content block of any type as a list of facts, or as JSON if it has other members.
func factsBlock(kind string, c *jsondoc.Value) Block {
	var facts []string
	for _, name := range contentFacts {
		text := c.Get(name).Text()
		if name == "data" && text != "" {
			size := len(text) / 4 * 3 // of base64, ignoring padding
			text = "about " + count(thousands(size), "byte")
		}
		if text != "" {
			facts = append(facts, visible(text))
		}
	}
	for _, m := range c.Entries() {
		if !slices.Contains(contentFacts, m.Name) && !slices.Contains(commonMembers, m.Name) {
			facts = nil
			break
		}
	}
	if kind == "" || facts == nil {
		return jsonBlock("content", c)
	}
	return Block{Label: visible(strings.ReplaceAll(kind, "_", " ")), Text: strings.Join(facts, ", ")}
}

// Both returns the common part of two outcomes of the same call: everything, or the shape.
func Both(a, b Outcome) Outcome {
	if a.same(b) {
		return a
	}
	if a.Ending != b.Ending {
		return Outcome{Ending: Mixed, Varies: true, Blocks: []Block{{Label: "outcome", Text: "Two identical calls had different outcomes."}}}
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
	return o.Ending == other.Ending && slices.EqualFunc(o.Blocks, other.Blocks, func(a, b Block) bool { return a.Label == b.Label && a.Text == b.Text })
}

func (b Block) and(other Block) Block {
	switch {
	case b.Text == other.Text:
		return b
	case b.value != nil && other.value != nil:
		shape := shapeOf(b.value, other.value)
		return Block{Label: b.Label + ", types only", JSON: true, value: shape, Text: pretty(shape)}
	default:
		return Block{Label: b.Label, Text: "(text that differs between calls)"}
	}
}

// shapeOf returns the types of the values in a and b where they agree. It does not keep equal values, since in varying
// results they may be equal by chance.
func shapeOf(a, b *jsondoc.Value) *jsondoc.Value {
	switch kind := kindWord(a); {
	case kind != kindWord(b):
		return literalWord("varies")
	case a.IsObject():
		out := jsondoc.Object()
		for _, m := range a.Members {
			if other := b.Get(m.Name); other != nil {
				out.Members = append(out.Members, jsondoc.Member{Name: m.Name, Value: shapeOf(m.Value, other)})
			}
		}
		return out
	case a.IsArray():
		out := jsondoc.Array()
		if len(a.Items) > 0 && len(b.Items) > 0 {
			out.Items = []*jsondoc.Value{shapeOf(a.Items[0], b.Items[0])}
		}
		return out
	default:
		return literalWord(kind)
	}
}

// literalWord returns a value that renders as an unquoted word.
func literalWord(word string) *jsondoc.Value {
	return &jsondoc.Value{Raw: []byte(word)}
}

// kindWord returns the type of v, in the words used for rows.
func kindWord(v *jsondoc.Value) string {
	switch v.Kind {
	case rawjson.Object:
		return "object"
	case rawjson.Array:
		return "list"
	case rawjson.String:
		return "string"
	case rawjson.Number:
		return "number"
	case rawjson.Null:
		return "null"
	default:
		return "boolean"
	}
}

// Display limits of a result.
const (
	maxLines = 48
	maxLine  = 400
)

// cut returns the displayed part of the text, and a note on the rest.
func (b Block) cut() (text, rest string) {
	lines := strings.Split(strings.TrimRight(b.Text, "\n"), "\n")
	if more := len(lines) - maxLines; more > 0 {
		lines = lines[:maxLines]
		rest = "and " + count(thousands(more), "more line")
	}
	return terminal.ShortenLines(strings.Join(lines, "\n"), maxLine), rest
}
